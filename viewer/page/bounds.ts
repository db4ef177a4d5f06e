// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// How far a motion reaches, in the page's axes (y up).
//
// A machine is what moves and what holds it, at the start. A point of the motion counts if it is within 2.5 radii of the
// machine, or where most of the motion is farther off, within 1.3 times what holds four fifths of it: what flies away is
// not waited for. If what moves as a whole goes farther than 5 radii, the camera goes along, and only what happens about
// its middle counts. What is held counts where it is not much larger than that: a bowl does, a wide floor does not.

import { Box3, Sphere, Vector3 } from "three";
import type { Scene } from "./data";
import type { Machine } from "./machine";

const NEAR = 2.5;
const MOST = 0.8;
const BEYOND_MOST = 1.3;
const FARTHEST = 5;
/** It goes far if it is there for this share of the time. */
const OFTEN = 0.2;
/** Where only the start is known, the camera goes along when the middle of what moves is so many radii away. */
const LEASH = 2;
/** Of the radius of the motion: larger things that are held do not count. */
const LARGE = 4;
/** So many points are enough to fit a camera. */
const MOST_POINTS = 20_000;

export interface Bounds {
  points: Vector3[];
  box: Box3;
  centre: Vector3;
  radius: number;
  middle: Vector3; // of what moves, at the start
  leash: number; // m: farther from there it takes the camera with it
}

/** Of the machine in these poses. */
export function boundsOf(scene: Scene, machine: Machine, poses: Float32Array[]): Bounds {
  const all = scene.bodies.map((_, i) => i);
  const moving = all.filter((i) => !machine.isHeld(i));
  const pointsOf = (bodies: number[], pose: Float32Array): Vector3[] => bodies.flatMap((i) => outlineIn(machine, i, pose));
  const joined = [...pointsOf(moving, poses[0]), ...anchorsIn(scene, machine, poses[0])];
  const start = ballOf(joined.length > 0 ? joined : pointsOf(all, poses[0]));

  // what moves, about its middle if that goes far
  const perFrame = moving.reduce((n, i) => n + machine.outline[i].length / 3, 0);
  const every = Math.max(1, Math.ceil((poses.length * perFrame) / MOST_POINTS));
  const some = poses.filter((_, f) => f % every === 0);
  const middle = machine.middleOf(poses[0]);
  const far = some.filter((pose) => machine.middleOf(pose).distanceTo(middle) > FARTHEST * start.radius);
  const drifts = far.length > OFTEN * some.length;
  const ways = some.map((pose) => (drifts ? machine.middleOf(pose).sub(middle) : new Vector3()));
  let points = some.flatMap((pose, f) => pointsOf(moving, pose).map((p) => p.sub(ways[f])));
  const distances = points.map((p) => p.distanceTo(start.center)).sort((a, b) => a - b);
  const most = distances[Math.floor(MOST * distances.length)] ?? 0;
  const reach = Math.max(NEAR * start.radius, Math.min(BEYOND_MOST * most, FARTHEST * start.radius));
  points = points.filter((p) => p.distanceTo(start.center) <= reach);

  // what is held
  const motion = points.length > 0 ? ballOf(points) : start;
  for (const i of all.filter((body) => machine.isHeld(body))) {
    const own = pointsOf([i], poses[0]);
    if (own.length > 0 && !drifts && ballOf([...own, motion.center]).radius <= LARGE * motion.radius) points.push(...own);
  }
  if (points.length === 0) points.push(start.center);
  const box = new Box3().setFromPoints(points);
  const radius = Math.max(box.getSize(new Vector3()).length() / 2, 1e-3);
  const leash = drifts ? 0 : poses.length === 1 ? LEASH * radius : Infinity;
  return { points, box, centre: box.getCenter(new Vector3()), radius, middle, leash };
}

/** Where joints and links hold on to bodies that do not move. */
function anchorsIn(scene: Scene, machine: Machine, pose: Float32Array): Vector3[] {
  const points: Vector3[] = [];
  for (const { bodies, anchors } of [...scene.joints, ...scene.links]) {
    bodies.forEach((body, side) => machine.isHeld(body) && points.push(machine.placeIn(pose, body, new Vector3(...anchors[side]))));
  }
  return points;
}

/** The outline of body i where the pose puts it. */
function outlineIn(machine: Machine, i: number, pose: Float32Array): Vector3[] {
  const outline = machine.outline[i];
  return Array.from({ length: outline.length / 3 }, (_, c) => machine.placeIn(pose, i, new Vector3().fromArray(outline, 3 * c)));
}

function ballOf(points: Vector3[]): Sphere {
  const ball = new Box3().setFromPoints(points).getBoundingSphere(new Sphere());
  ball.radius = Math.max(ball.radius, 1e-3);
  return ball;
}
