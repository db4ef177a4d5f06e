// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The camera: orbit, pan, zoom; the initial view; following a body.

import { PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Bounds } from "./bounds";

/** Vertical field of view, degrees: narrow, so that parallel lines appear nearly parallel. */
const FIELD = 32;
/** Fraction of the picture that the motion may fill. */
const FILLED = 0.86;
/** Direction of the initial view, rad: to the side of the front and above horizontal; flat machines are seen nearly from the front. */
const SIDE = 0.62;
const FLAT_SIDE = 0.3;
const ABOVE = 0.32;
const FLAT_ABOVE = 0.2;
const LOW_ABOVE = 0.75;
/** Depth over width below which a machine is flat; height over width below which it is low, and seen from higher up. */
const FLAT = 0.2;

export class Camera {
  readonly eye = new PerspectiveCamera(FIELD, 1, 0.01, 100);
  readonly controls: OrbitControls;
  private bounds: Bounds | null = null;
  moved = false; // true: moved by the user, so no longer fitted when the size changes
  private followed: Vector3 | null = null; // last place of the body that is followed
  readonly drifted = new Vector3(); // displacement with the machine, if no body is followed

  constructor(canvas: HTMLElement, changed: () => void) {
    this.controls = new OrbitControls(this.eye, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", changed);
    this.controls.addEventListener("start", () => (this.moved = true));
  }

  setSize(width: number, height: number): void {
    this.eye.aspect = width / Math.max(height, 1);
    this.eye.updateProjectionMatrix();
    if (!this.moved) this.fit();
  }

  setBounds(bounds: Bounds): void {
    this.bounds = bounds;
    this.eye.near = bounds.radius / 200;
    this.eye.far = bounds.radius * 60;
    this.controls.minDistance = bounds.radius / 40;
    this.controls.maxDistance = bounds.radius * 25;
    this.eye.updateProjectionMatrix();
    this.reset();
  }

  /** Restores the initial view; a followed body stays in the middle. */
  reset(): void {
    this.moved = false;
    this.fit();
  }

  /** Follows a body, which is now at this place, in the middle of the picture; null: follows none. */
  follow(place: Vector3 | null): void {
    this.drifted.set(0, 0, 0);
    if (place === null) {
      this.followed = null;
      return;
    }
    const step = place.clone().sub(this.followed ?? this.controls.target);
    if (step.lengthSq() > 0) {
      this.eye.position.add(step);
      this.controls.target.add(step);
      this.controls.update();
    }
    this.followed = place.clone();
  }

  /** Moves the camera and the initial view with the machine, whose displacement from the start is given. */
  drift(way: Vector3): void {
    const step = way.clone().sub(this.drifted);
    this.drifted.copy(way);
    if (step.lengthSq() === 0) return;
    this.eye.position.add(step);
    this.controls.target.add(step);
    this.controls.update();
  }

  private fit(): void {
    const { bounds } = this;
    if (bounds === null) return;
    const back = firstDirection(bounds);
    const right = new Vector3(0, 1, 0).cross(back).normalize();
    const up = back.clone().cross(right);

    // a point at (x, y, z) from the middle is visible if |x| <= (d - z) tan(field / 2), likewise y
    const tall = FILLED * Math.tan((FIELD * Math.PI) / 360);
    const wide = tall * this.eye.aspect;
    let middle = bounds.centre.clone();
    let distance = 0;
    for (let round = 0; round < 4; round++) {
      distance = 0;
      const seen = { left: Infinity, right: -Infinity, low: Infinity, high: -Infinity };
      for (const point of bounds.points) {
        const p = point.clone().sub(middle);
        const [x, y, z] = [p.dot(right), p.dot(up), p.dot(back)];
        distance = Math.max(distance, z + Math.abs(x) / wide, z + Math.abs(y) / tall);
      }
      for (const point of bounds.points) {
        const p = point.clone().sub(middle);
        const s = 1 / Math.max(distance - p.dot(back), 1e-9);
        seen.left = Math.min(seen.left, s * p.dot(right));
        seen.right = Math.max(seen.right, s * p.dot(right));
        seen.low = Math.min(seen.low, s * p.dot(up));
        seen.high = Math.max(seen.high, s * p.dot(up));
      }
      middle = middle
        .addScaledVector(right, (distance * (seen.left + seen.right)) / 2)
        .addScaledVector(up, (distance * (seen.low + seen.high)) / 2);
    }
    distance = Math.max(distance, bounds.radius * 0.5);
    this.controls.target.copy(this.followed ?? middle.add(this.drifted));
    this.eye.position.copy(this.controls.target).addScaledVector(back, distance);
    this.controls.update();
  }
}

/** Returns the direction from the middle to the eye: perpendicular to the widest horizontal direction, from the front, slightly from the
 * side and above. */
function firstDirection(bounds: Bounds): Vector3 {
  let [xx, xz, zz] = [0, 0, 0];
  for (const p of bounds.points) {
    const [x, z] = [p.x - bounds.centre.x, p.z - bounds.centre.z];
    xx += x * x;
    xz += x * z;
    zz += z * z;
  }
  // the widest direction is the first eigenvector of the second moments
  const angle = 0.5 * Math.atan2(2 * xz, xx - zz);
  const half = (xx + zz) / 2;
  const root = Math.hypot((xx - zz) / 2, xz);
  const flat = half + root > 0 && (half - root) / (half + root) < FLAT * FLAT;
  const uniform = root < 0.2 * half;
  let front = uniform ? Math.PI / 2 : angle + Math.PI / 2; // direction to the eye, from x towards z
  if (Math.sin(front) < 0) front += Math.PI;
  // nearly along x: both sides are equivalent, take the positive one
  if (Math.abs(Math.sin(front)) < 1e-3) front = 0;
  front -= flat ? FLAT_SIDE : SIDE;
  const size = bounds.box.getSize(new Vector3());
  const low = size.y < FLAT * Math.min(size.x, size.z);
  const above = flat ? FLAT_ABOVE : low ? LOW_ABOVE : ABOVE;
  return new Vector3(Math.cos(front) * Math.cos(above), Math.sin(above), Math.sin(front) * Math.cos(above));
}
