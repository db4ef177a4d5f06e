// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// A displayed machine: its picture, its curves, and its frames. Another model gets a new one.

import { Vector3 } from "three";
import { POSE } from "./data";
import type { Scene } from "./data";
import { find, make } from "./dom";
import { Drag } from "./drag";
import { Forces } from "./forces";
import type { Shown } from "./forces";
import { readFrame, readHead } from "./frame";
import type { Sizes } from "./frame";
import { Framing } from "./framing";
import { remark } from "./live";
import type { SceneMessage } from "./live";
import { LivePlots } from "./liveplots";
import { Motion } from "./motion";
import { Stage } from "./stage";

/** Largest number of points of the trail of the selected body, and ms between its drawings. */
const TRAIL = 600;
const TRAIL_REST = 100;

export interface WatchedEvents {
  chosen(body: number): void; // by a click
  send(text: string): void;
}

/** The place of a camera. */
export interface View {
  eye: Vector3;
  target: Vector3;
}

export class Watched {
  readonly scene: Scene;
  readonly number: number;
  readonly stage: Stage | null;
  readonly plots: LivePlots;
  readonly motion = new Motion();
  readonly poses: Float32Array;
  received = 0;
  drawn = 0;
  private readonly sizes: Sizes;
  private readonly forces: Forces | null = null;
  private readonly drag: Drag | null = null;
  private framing: Framing | null = null;
  private trail: number[] = [];
  private trailOf = -1;
  private trailDrawn = 0; // ms
  private trailGrown = false;
  private fresh = false; // a frame has arrived since the last picture
  private unframed = false; // not checked yet whether all of it is in the picture
  private unseen = -1; // number of the frame to be acknowledged; -1: none

  constructor(
    message: SceneMessage,
    window: number,
    shown: Shown,
    private readonly events: WatchedEvents,
    private readonly view: View | null,
  ) {
    const { scene, number, series } = message;
    this.scene = scene;
    this.number = number;
    this.poses = new Float32Array(POSE * scene.bodies.length);
    this.sizes = { bodies: scene.bodies.length, joints: scene.joints.length, links: scene.links.length, series: series.length };
    this.plots = new LivePlots(find("plots"), series, window);
    this.stage = this.makeStage();
    if (this.stage === null) return;
    this.forces = new Forces(scene, this.stage, find("stage"));
    Object.assign(this.forces.shown, shown);
    this.drag = new Drag(scene, this.stage, (text) => events.send(text));
  }

  dispose(): void {
    this.drag?.dispose();
    this.forces?.dispose();
    this.plots.dispose();
    this.stage?.dispose();
    for (const missing of document.querySelectorAll("#stage .missing")) missing.remove();
  }

  /** Receives a frame. */
  add(bytes: ArrayBuffer, now: number): void {
    const head = readHead(bytes);
    const frame = head?.scene === this.number ? readFrame(bytes, this.sizes) : null;
    if (frame === null || typeof frame === "string") {
      if (head === null) remark("a frame is too short for its head");
      if (frame !== null) remark(frame);
      // it is ignored, but acknowledged so that further ones are sent
      if (head !== null) this.events.send(`seen ${head.number}`);
      return;
    }
    this.received++;
    if (this.motion.last !== null && frame.t < this.motion.last.t) this.trail = [];
    this.unseen = frame.number;
    this.fresh = true;
    this.motion.add(frame, now);
    for (const { t, values } of frame.rows) this.plots.add(t, values);
    this.forces?.setFrame(frame);
    this.scene.joints.forEach((joint, i) => (joint.there = frame.joints[i] > 0));
    this.scene.links.forEach((link, i) => (link.there = frame.links[i] > 0));
    if (this.framing === null && this.stage !== null) this.begin(this.stage, frame.poses);
    if (this.trailOf >= 0) this.addToTrail(frame.poses);
  }

  /** Draws a picture, dt s after the last one. follows: the camera follows a body. */
  draw(now: number, dt: number, playing: boolean, follows: boolean): void {
    const moved = this.motion.advance(Math.min(dt, 0.25), playing);
    if ((moved || this.fresh) && this.motion.last !== null) {
      this.motion.poses(this.poses);
      this.stage?.setPoses(this.poses, this.motion.time);
      this.forces?.update(now);
      this.unframed = !follows && this.framing !== null;
      this.drawn++;
    }
    if (this.unframed && this.held < 0) this.unframed = !this.framing!.update(this.poses, now);
    this.fresh = false;
    this.framing?.tick(now);
    this.drag?.tick();
    this.drawTrail(now);
    this.stage?.draw(playing && moved ? dt : 0);
    this.forces?.placeLabels();
    this.plots.tick(now);
    if (this.unseen >= 0) this.events.send(`seen ${this.unseen}`);
    this.unseen = -1;
  }

  show(shown: Shown): void {
    if (this.forces === null) return;
    Object.assign(this.forces.shown, shown);
    this.fresh = true;
  }

  /** Draws the trail of a body from now on; -1: of none. */
  leaveTrail(body: number): void {
    this.trailOf = body;
    this.trail = [];
    if (body >= 0 && this.motion.last !== null) this.addToTrail(this.motion.last.poses);
  }

  /** Returns the body that this page pulls; -1: none. */
  get held(): number {
    return this.drag?.body ?? -1;
  }

  /** Whether the last time is shown and the camera does not move. */
  get rests(): boolean {
    const { motion, framing, stage } = this;
    return !this.fresh && !this.unframed && motion.time === motion.last?.t && framing?.rests === true && stage?.rests === true;
  }

  get grips(): number[] {
    return [...(this.motion.last?.grips ?? [])];
  }

  /** Returns the view if the user has changed it, else null. */
  get viewByHand(): View | null {
    if (this.stage === null || !this.stage.camera.moved) return null;
    const { eye, controls } = this.stage.camera;
    return { eye: eye.position.clone(), target: controls.target.clone() };
  }

  private begin(stage: Stage, poses: Float32Array): void {
    this.framing = new Framing(stage, poses);
    if (this.view === null) return;
    const { camera } = stage;
    camera.moved = true;
    camera.eye.position.copy(this.view.eye);
    camera.controls.target.copy(this.view.target);
    camera.controls.update();
  }

  private addToTrail(poses: Float32Array): void {
    this.trailGrown = true;
    this.trail.push(...poses.subarray(POSE * this.trailOf, POSE * this.trailOf + 3));
    if (this.trail.length > 3 * TRAIL) this.trail.splice(0, this.trail.length - 3 * TRAIL);
  }

  private drawTrail(now: number): void {
    if (this.trailOf < 0 || !this.trailGrown || now - this.trailDrawn < TRAIL_REST) return;
    this.trailDrawn = now;
    this.trailGrown = false;
    this.stage?.choose(this.trailOf, Float32Array.from(this.trail));
  }

  private makeStage(): Stage | null {
    try {
      return new Stage(find("stage"), this.scene, { chosen: (body) => this.events.chosen(body) });
    } catch (error) {
      console.info(error);
      const sentence = "This browser does not offer WebGL, so the machine cannot be drawn. Curves and tables are complete.";
      find("stage").append(make("p", { class: "missing" }, sentence));
      return null;
    }
  }
}
