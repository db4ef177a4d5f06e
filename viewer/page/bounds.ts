// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// How far a motion reaches, in the page's axes (y up).
//
// A machine is what moves and where it is held, at the start. A point of the motion counts if it is within 2.5 radii of the
// machine, or where most of the motion is farther off, within 1.3 times what holds four fifths of it, but at most 12 radii:
// what flies away is not waited for. If what moves as a whole goes farther than that, the camera goes along, and only what
// happens about its middle counts. What is held counts where it is not much larger than the motion: a bowl does, a wide
// floor does not. About a bowl or a track all of the motion counts.

import { Box3, Sphere, Vector3 } from "three";
import type { Scene } from "./data";
import type { Machine } from "./machine";

const NEAR = 2.5;
const MOST = 0.8;
const BEYOND_MOST = 1.3;
const FARTHEST = 12;
/** It goes far if it is there for this share of the time. */
const OFTEN = 0.2;
/** Where only the start is known, the camera goes along when the middle of what moves is so many radii away. */
const LEASH = 2;
/** Of the radius of the motion: larger things that are held do not count, and those that are not much smaller lead it. */
const LARGE = 4;
const LEADS = 0.5;
/** Of the radius of the machine: how much is seen about one with which the camera goes. */
const ABOUT = 2;
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
  const bodies = scene.bodies.map((_, i) => i);
  const moving = bodies.filter((i) => !machine.isHeld(i));
  const pointsOf = (pose: Float32Array): Vector3[] => moving.flatMap((i) => outlineIn(machine, i, pose));
  const anchors = anchorsIn(scene, machine, poses[0]);
  const held = bodies.filter((i) => machine.isHeld(i)).map((i) => outlineIn(machine, i, poses[0]));
  const joined = [...pointsOf(poses[0]), ...anchors];
  const start = ballOf(joined.length > 0 ? joined : held.flat());

  const perFrame = moving.reduce((n, i) => n + machine.outline[i].length / 3, 0);
  const every = Math.max(1, Math.ceil((poses.length * perFrame) / MOST_POINTS));
  const some = poses.filter((_, f) => f % every === 0);
  const middle = machine.middleOf(poses[0]);
  const ways = some.map((pose) => machine.middleOf(pose).sub(middle));
  const whole = ballOf([start.center, ...ways.map((way) => way.clone().add(start.center))]);
  const near = held.filter((own) => own.length > 0 && ballOf([...own, whole.center]).radius <= LARGE * Math.max(whole.radius, start.radius));
  const led = near.some((own) => ballOf(own).radius > LEADS * whole.radius);
  const goesFar = ways.filter((way) => way.length() > FARTHEST * start.radius).length > OFTEN * ways.length;
  const drifts = goesFar && !led;

  const all = some.flatMap((pose, f) => pointsOf(pose).map((p) => (drifts ? p.sub(ways[f]) : p)));
  const points = drifts ? nearOf(all, start, NEAR) : nearOf(all, start, led ? Infinity : FARTHEST);
  if (drifts) points.push(...cornersAbout(start, ABOUT));
  else points.push(...near.flat(), ...anchors);
  if (points.length === 0) points.push(start.center);
  const box = new Box3().setFromPoints(points);
  const radius = Math.max(box.getSize(new Vector3()).length() / 2, 1e-3);
  const leash = drifts ? 0 : poses.length === 1 ? LEASH * radius : Infinity;
  return { points, box, centre: box.getCenter(new Vector3()), radius, middle, leash };
}

/** Those near a ball, or near where most of them are, but not farther off than so many radii. */
function nearOf(points: Vector3[], { center, radius }: Sphere, farthest: number): Vector3[] {
  const distances = points.map((p) => p.distanceTo(center)).sort((a, b) => a - b);
  const most = distances[Math.floor(MOST * distances.length)] ?? 0;
  const reach = Math.max(NEAR * radius, Math.min(BEYOND_MOST * most, farthest * radius));
  return points.filter((p) => p.distanceTo(center) <= reach);
}

/** To all sides, but not below, where there may be a floor. */
function cornersAbout({ center, radius }: Sphere, times: number): Vector3[] {
  const ways = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, -1]];
  return ways.map(([x, y, z]) => new Vector3(x, y, z).multiplyScalar(times * radius).add(center));
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
