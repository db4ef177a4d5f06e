// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// How far a motion reaches, in the page's axes (y up).
//
// Bodies that fly away are not waited for: a point counts if it is within 2.5 radii of the machine at the start, or where
// most of the motion is farther off, within 1.3 times what holds four fifths of it, but at most 15 radii. What is held
// counts where it is not much larger than that: a bowl does, a wide floor does not.

import { Box3, Quaternion, Sphere, Vector3 } from "three";
import { POSE } from "./data";
import type { Scene } from "./data";
import type { Machine } from "./machine";

const NEAR = 2.5;
const MOST = 0.8;
const BEYOND_MOST = 1.3;
const FARTHEST = 15;
/** Of the radius of the motion: larger things that are held do not count. */
const LARGE = 4;
/** So many points are enough to fit a camera. */
const MOST_POINTS = 20_000;

export interface Bounds {
  points: Vector3[];
  box: Box3;
  centre: Vector3;
  radius: number;
}

/** Of the machine in these poses. */
export function boundsOf(scene: Scene, machine: Machine, poses: Float32Array[]): Bounds {
  const held = (i: number): boolean => scene.bodies[i].kind === "ground" || scene.bodies[i].kind === "fixed";
  const all = scene.bodies.map((_, i) => i);
  const moving = all.filter((i) => !held(i));
  const perFrame = moving.reduce((n, i) => n + machine.outline[i].length / 3, 0);
  const every = Math.max(1, Math.ceil((poses.length * perFrame) / MOST_POINTS));
  const pointsOf = (bodies: number[], pose: Float32Array): Vector3[] => bodies.flatMap((i) => outlineIn(machine, i, pose));

  // what moves
  const start = ballOf(moving.length > 0 ? pointsOf(moving, poses[0]) : pointsOf(all, poses[0]));
  let points = poses.filter((_, f) => f % every === 0).flatMap((pose) => pointsOf(moving, pose));
  const distances = points.map((p) => p.distanceTo(start.center)).sort((a, b) => a - b);
  const most = distances[Math.floor(MOST * distances.length)] ?? 0;
  const reach = Math.max(NEAR * start.radius, Math.min(BEYOND_MOST * most, FARTHEST * start.radius));
  points = points.filter((p) => p.distanceTo(start.center) <= reach);

  // what is held
  const motion = points.length > 0 ? ballOf(points) : start;
  for (const i of all.filter(held)) {
    const own = pointsOf([i], poses[0]);
    if (own.length > 0 && ballOf([...own, motion.center]).radius <= LARGE * motion.radius) points.push(...own);
  }
  if (points.length === 0) points.push(start.center);
  const box = new Box3().setFromPoints(points);
  const radius = Math.max(box.getSize(new Vector3()).length() / 2, 1e-3);
  return { points, box, centre: box.getCenter(new Vector3()), radius };
}

/** The outline of body i where the pose puts it. */
function outlineIn(machine: Machine, i: number, pose: Float32Array): Vector3[] {
  const k = POSE * i;
  const origin = new Vector3().fromArray(pose, k);
  const q = new Quaternion(pose[k + 4], pose[k + 5], pose[k + 6], pose[k + 3]);
  const outline = machine.outline[i];
  const points: Vector3[] = [];
  for (let c = 0; c < outline.length; c += 3) {
    points.push(new Vector3().fromArray(outline, c).applyQuaternion(q).add(origin).applyQuaternion(machine.root.quaternion));
  }
  return points;
}

function ballOf(points: Vector3[]): Sphere {
  const ball = new Box3().setFromPoints(points).getBoundingSphere(new Sphere());
  ball.radius = Math.max(ball.radius, 1e-3);
  return ball;
}
