// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The first view of a live machine. How far it will move is not known at the start: until someone takes the camera it
// steps back whenever something leaves the picture.

import { Vector3 } from "three";
import { POSE } from "./data";
import type { Stage } from "./stage";

/** Poses that are remembered, ms between them, ms that the camera takes to step back. */
const MOST = 120;
const BETWEEN = 120;
const TAKES = 500;
/** Half the picture is 1: beyond this something has left it. */
const EDGE = 0.97;
/** Of the extent of the machine at its start: what is farther off is not waited for. */
const FAR = 4;
/** After it has stepped back it waits so many times longer than before, for what cannot be caught. */
const WAITS = 1.6;

export class Framing {
  private readonly past: Float32Array[] = [];
  private noted = -Infinity; // ms
  private wait = 300; // ms
  private next = -Infinity; // ms
  private way: { from: Vector3; fromTarget: Vector3; to: Vector3; toTarget: Vector3; start: number } | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly extent: number,
    first: Float32Array,
  ) {
    this.past.push(first.slice());
    stage.frame(this.past);
    stage.camera.controls.addEventListener("start", () => (this.way = null));
  }

  /** Shows these poses, of which the stage knows already. */
  update(poses: Float32Array, now: number): void {
    const { camera } = this.stage;
    if (camera.moved || now - this.noted < BETWEEN) return;
    this.noted = now;
    const leaves = this.leaves();
    if (this.past.length >= MOST) this.past.splice(1, 1); // the first stays
    this.past.push(poses.slice());
    if (!leaves || this.way !== null || now < this.next) return;
    this.next = now + this.wait;
    this.wait *= WAITS;

    const [from, fromTarget] = [camera.eye.position.clone(), camera.controls.target.clone()];
    this.stage.frame(this.past);
    this.way = { from, fromTarget, to: camera.eye.position.clone(), toTarget: camera.controls.target.clone(), start: now };
    this.stage.setPoses(poses, 0);
    this.tick(now);
  }

  /** The camera on its way. */
  tick(now: number): void {
    if (this.way === null) return;
    const { from, fromTarget, to, toTarget, start } = this.way;
    const { camera } = this.stage;
    const s = Math.min((now - start) / TAKES, 1);
    const eased = s * s * (3 - 2 * s);
    camera.eye.position.lerpVectors(from, to, eased);
    camera.controls.target.lerpVectors(fromTarget, toTarget, eased);
    camera.controls.update();
    this.stage.touch();
    if (s === 1) this.way = null;
  }

  /** Whether a body that is not far off is outside of the picture. */
  private leaves(): boolean {
    const { machine, camera } = this.stage;
    camera.eye.updateMatrixWorld();
    const at = new Vector3();
    const start = new Vector3();
    return machine.bodies.some((body, i) => {
      start.fromArray(this.past[0], POSE * i);
      if (body.position.distanceTo(start) > FAR * this.extent) return false;
      const outline = machine.outline[i];
      if (outline.length === 0 || body.position.distanceToSquared(start) === 0) return false;
      for (let k = 0; k < outline.length; k += 3) {
        at.fromArray(outline, k).applyQuaternion(body.quaternion).add(body.position);
        at.applyQuaternion(machine.root.quaternion).project(camera.eye);
        if (Math.abs(at.x) > EDGE || Math.abs(at.y) > EDGE) return true;
      }
      return false;
    });
  }
}
