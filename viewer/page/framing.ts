// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The initial view of a running machine, whose motion is not known yet. Until the user moves the camera, it moves back when a body leaves
// the picture, and comes near again when it follows a machine that has moved away.

import { Vector3 } from "three";
import type { Bounds } from "./bounds";
import { POSE } from "./data";
import type { Stage } from "./stage";

/** Number of stored poses, ms between them, ms in which the camera moves back, and ms until it may move again, which increase each time
 * up to a second, because some bodies cannot be kept in the picture. */
const MOST = 120;
const BETWEEN = 120;
const TAKES = 500;
const WAIT = { first: 300, longer: 1.6, most: 1000 };
/** A body beyond this fraction of half the picture has left it. */
const EDGE = 0.97;

/** A motion of the camera: places of eye and target, without the displacement of the camera with the machine. */
interface Way {
  eye: [Vector3, Vector3];
  target: [Vector3, Vector3];
  start: number; // ms
}

export class Framing {
  private readonly past: Float32Array[] = [];
  private bounds: Bounds;
  private noted = -Infinity; // ms
  private wait = WAIT.first;
  private next = -Infinity; // ms
  private way: Way | null = null;

  constructor(
    private readonly stage: Stage,
    first: Float32Array,
  ) {
    this.past.push(first.slice());
    this.bounds = stage.frame(this.past, false);
    stage.camera.controls.addEventListener("start", () => (this.way = null));
  }

  /** Includes these poses, which the stage already shows. Returns false if it is too early; then try again. */
  update(poses: Float32Array, now: number): boolean {
    const { camera } = this.stage;
    if (now - this.noted < BETWEEN) return false;
    this.noted = now;
    this.stage.keepGroundBelow(poses);
    if (camera.moved) return true;
    if (this.past.length >= MOST) this.past.splice(1, 1); // the first pose is kept
    this.past.push(poses.slice());
    if (!this.leaves(poses)) return true;
    if (this.way !== null || now < this.next) return false;
    this.next = now + this.wait;
    this.wait = Math.min(WAIT.longer * this.wait, WAIT.most);
    this.stepBack(poses, now);
    return true;
  }

  /** Whether the camera does not move. */
  get rests(): boolean {
    return this.way === null;
  }

  /** Moves the camera. */
  tick(now: number): void {
    if (this.way === null) return;
    const { eye, target, start } = this.way;
    const { camera } = this.stage;
    const s = Math.min((now - start) / TAKES, 1);
    const eased = s * s * (3 - 2 * s);
    camera.eye.position.lerpVectors(...eye, eased).add(camera.drifted);
    camera.controls.target.lerpVectors(...target, eased).add(camera.drifted);
    camera.controls.update();
    this.stage.touch();
    if (s === 1) this.way = null;
  }

  private stepBack(poses: Float32Array, now: number): void {
    const { camera } = this.stage;
    const places = (): [Vector3, Vector3] => [camera.eye.position.clone(), camera.controls.target.clone()];
    const before = places();
    this.bounds = this.stage.frame(this.past, false);
    this.stage.setPoses(poses, 0);
    const [eye, target] = places().map((to, i): [Vector3, Vector3] => [before[i].sub(camera.drifted), to.sub(camera.drifted)]);
    this.way = { eye, target, start: now };
    this.tick(now);
  }

  /** Returns whether the machine has moved far, or a body near it is outside of the picture. */
  private leaves(poses: Float32Array): boolean {
    const { machine, camera } = this.stage;
    const { middle, room } = this.bounds;
    const way = machine.middleOf(poses).sub(middle);
    if (!room.containsPoint(way) && !room.min.equals(room.max)) return true;
    camera.eye.updateMatrixWorld();
    return machine.bodies.some((_, i) => this.isInMachine(poses, i, way) && this.isOutside(poses, i));
  }

  /** Returns whether a moving body is near the place that it would have if the machine had moved as a whole. */
  private isInMachine(poses: Float32Array, body: number, way: Vector3): boolean {
    const [first, now] = [this.past[0], poses].map((all) => all.subarray(POSE * body, POSE * (body + 1)));
    if (now.every((x, k) => x === first[k])) return false;
    const { machine } = this.stage;
    const origin = new Vector3();
    const start = machine.placeIn(this.past[0], body, origin);
    return machine.placeIn(poses, body, origin).sub(way).distanceTo(start) <= this.bounds.with;
  }

  private isOutside(poses: Float32Array, body: number): boolean {
    const { machine, camera } = this.stage;
    const outline = machine.outline[body];
    for (let k = 0; k < outline.length; k += 3) {
      const seen = machine.placeIn(poses, body, new Vector3().fromArray(outline, k)).project(camera.eye);
      if (Math.abs(seen.x) > EDGE || Math.abs(seen.y) > EDGE) return true;
    }
    return false;
  }
}
