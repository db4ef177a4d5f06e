// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

/** The time of the run that is shown, and its progress. */
export class Clock {
  time: number;
  playing = false;
  loop = true;
  speed = 1; // simulated s per s

  constructor(
    readonly start: number,
    readonly end: number,
    private readonly changed: () => void,
  ) {
    this.time = start;
  }

  seek(t: number): void {
    this.time = Math.min(Math.max(t, this.start), this.end);
    this.changed();
  }

  play(): void {
    if (this.end <= this.start) return;
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.changed();
  }

  pause(): void {
    this.playing = false;
    this.changed();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Advances by dt s of wall-clock time. */
  advance(dt: number): void {
    if (!this.playing) return;
    const t = this.time + dt * this.speed;
    if (t < this.end) this.time = t;
    else if (this.loop) this.time = this.start + ((t - this.start) % (this.end - this.start));
    else {
      this.time = this.end;
      this.playing = false;
    }
    this.changed();
  }
}
