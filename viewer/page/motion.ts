// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The time that a live page shows: between the times of the last two frames, so that motion is smooth even if frames are rare, as in slow
// motion. It lags by one frame, and equals that of the last frame while the simulation is paused.

import { posesBetween } from "./data";
import type { Frame } from "./frame";

/** s between two frames: shortest and longest that count; weight of a new one in the mean. */
const SHORTEST = 0.004;
const LONGEST = 1;
const FOLLOWS = 0.2;

export class Motion {
  time = 0; // that is shown, s
  last: Frame | null = null;
  private before: Frame | null = null;
  private arrived = 0; // ms: arrival of the last frame
  private spacing = 1 / 60; // s: mean wall-clock time between frames
  private rate = 0; // simulated s per s
  private rested = true;

  add(frame: Frame, now: number): void {
    const { last } = this;
    if (last === null || frame.t < last.t) {
      this.before = frame;
      this.time = frame.t;
    } else if (frame.t > last.t) {
      const gap = Math.min(Math.max((now - this.arrived) / 1000, SHORTEST), LONGEST);
      if (!this.rested) this.spacing += FOLLOWS * (gap - this.spacing);
      this.before = last;
      this.arrived = now;
      this.rested = false;
      this.rate = (frame.t - this.time) / this.spacing;
    }
    this.last = frame;
  }

  /** Advances by dt s of wall-clock time. Returns whether the shown time has changed. */
  advance(dt: number, playing: boolean): boolean {
    const { before, last } = this;
    if (before === null || last === null) return false;
    const t = this.time;
    if (!playing) this.rested = true;
    this.time = playing ? Math.min(Math.max(t + dt * this.rate, before.t), last.t) : last.t;
    return this.time !== t;
  }

  poses(out: Float32Array): void {
    const { before, last } = this;
    if (before === null || last === null) return;
    const span = last.t - before.t;
    posesBetween(before.poses, last.poses, span > 0 ? (this.time - before.t) / span : 1, out);
  }
}
