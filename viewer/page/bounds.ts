// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The bounds of a motion, in the page's axes (y up).
//
// The machine consists of the moving bodies and their anchors at the start. A point of the motion counts if it is within 2.5 radii of the
// machine. If most of the motion is farther off, it counts within 1.3 times the radius that contains four fifths of the motion, but at
// most 12 radii, so that parts that fly away are ignored. If the moving bodies as a whole go farther, the camera follows them, and only
// the motion about their middle counts. Fixed bodies count if they are not much larger than the motion, or if they are a track: a bowl
// counts, a wide floor does not. Around a bowl or a track all of the motion counts.
//
// For a running simulation only the past is known. Then a point counts if it is within 4 radii of the place to which the machine has
// moved as a whole. A machine without anchors takes the camera along to places where it has not been before, and beyond 12 radii.

import { Box3, Sphere, Vector3 } from "three";
import type { Scene } from "./data";
import type { Machine } from "./machine";

const NEAR = 2.5;
const MOST = 0.8;
const BEYOND_MOST = 1.3;
const FARTHEST = 12;
/** A machine counts as going far if it is far away for this fraction of the time. */
const OFTEN = 0.2;
/** Live, in radii of the machine: bodies farther from the middle of the motion are ignored. */
const WITH = 4;
/** Live, in radii of the machine: distance beyond the previous bounds at which the camera starts to follow. */
const SLACK = 0.1;
/** In radii of the motion: larger fixed bodies do not count, and those that are not much smaller are tracks. */
const LARGE = 4;
const LEADS = 0.5;
/** In radii of the machine: radius that is visible around a machine that the camera follows. */
const ABOUT = 2;
/** Largest number of points to which a camera is fitted. */
const MOST_POINTS = 20_000;

export interface Bounds {
  points: Vector3[];
  box: Box3;
  centre: Vector3;
  radius: number;
  middle: Vector3; // middle of the moving bodies at the start
  room: Box3; // around that middle: a machine that leaves it takes the camera along
  with: number; // m: live, a body farther from its place in the machine is ignored
}

const everywhere = (): Box3 => new Box3(new Vector3().setScalar(-Infinity), new Vector3().setScalar(Infinity));
const nowhere = (): Box3 => new Box3(new Vector3(), new Vector3());

/** Returns the part of a displacement that is outside of the room, by which the camera follows. */
export function beyond(way: Vector3, room: Box3): Vector3 {
  return way.clone().sub(room.clampPoint(way, new Vector3()));
}

/** Computes the bounds of the machine in these poses. known: they are the whole motion, not only its past. */
export function boundsOf(scene: Scene, machine: Machine, poses: Float32Array[], known: boolean): Bounds {
  const bodies = scene.bodies.map((_, i) => i);
  const moving = bodies.filter((i) => !machine.isHeld(i));
  const pointsOf = (pose: Float32Array): Vector3[] => moving.flatMap((i) => outlineIn(machine, i, pose));
  const anchors = anchorsIn(scene, machine, poses[0]);
  const held = bodies.filter((i) => machine.isHeld(i)).map((i) => outlineIn(machine, i, poses[0]));
  const tracks = bodies.filter((i) => machine.isHeld(i)).map((i) => scene.bodies[i].parts.some((part) => part.type === "line"));
  const joined = [...pointsOf(poses[0]), ...anchors];
  const start = ballOf(joined.length > 0 ? joined : held.flat());

  const perFrame = moving.reduce((n, i) => n + machine.outline[i].length / 3, 0);
  const every = Math.max(1, Math.ceil((poses.length * perFrame) / MOST_POINTS));
  const some = poses.filter((_, f) => f % every === 0);
  const middle = machine.middleOf(poses[0]);
  const ways = some.map((pose) => machine.middleOf(pose).sub(middle));
  const whole = ballOf([start.center, ...ways.map((way) => way.clone().add(start.center))]);
  const near = held.filter((own, i) => tracks[i] || (own.length > 0 && ballOf([...own, whole.center]).radius <= LARGE * Math.max(whole.radius, start.radius)));
  const led = near.some((own) => ballOf(own).radius > LEADS * whole.radius);
  const goesFar = ways.filter((way) => way.length() > FARTHEST * start.radius).length > OFTEN * ways.length;
  const isTied = led || (!known && anchors.length > 0);
  const drifts = goesFar && !isTied;
  const room = drifts ? nowhere() : known || isTied ? everywhere() : roomFor(ways, start.radius);

  const inMachine = (p: Vector3, f: number): boolean => p.clone().sub(ways[f]).distanceTo(start.center) <= WITH * start.radius;
  const counted = some.flatMap((pose, f) => {
    const points = known ? pointsOf(pose) : pointsOf(pose).filter((p) => inMachine(p, f));
    return points.map((p) => p.sub(beyond(ways[f], room)));
  });
  const points = !known ? counted : drifts ? nearOf(counted, start, NEAR) : nearOf(counted, start, led ? Infinity : FARTHEST);
  if (drifts) points.push(...cornersAbout(start, ABOUT));
  else points.push(...near.flat(), ...anchors);
  if (points.length === 0) points.push(start.center);
  const box = new Box3().setFromPoints(points);
  const radius = Math.max(box.getSize(new Vector3()).length() / 2, 1e-3);
  return { points, box, centre: box.getCenter(new Vector3()), radius, middle, room, with: WITH * start.radius };
}

/** Returns the points near a ball, or near most of the points, but not farther than this many radii. */
function nearOf(points: Vector3[], { center, radius }: Sphere, farthest: number): Vector3[] {
  const distances = points.map((p) => p.distanceTo(center)).sort((a, b) => a - b);
  const most = distances[Math.floor(MOST * distances.length)] ?? 0;
  const reach = Math.max(NEAR * radius, Math.min(BEYOND_MOST * most, farthest * radius));
  return points.filter((p) => p.distanceTo(center) <= reach);
}

/** Returns a box around the places to which the machine has moved, slightly enlarged and limited in size. */
function roomFor(ways: Vector3[], radius: number): Box3 {
  const most = new Box3(new Vector3().setScalar(-FARTHEST * radius), new Vector3().setScalar(FARTHEST * radius));
  return new Box3().setFromPoints(ways).expandByScalar(SLACK * radius).intersect(most);
}

/** Returns points in all directions except downwards, where there may be a floor. */
function cornersAbout({ center, radius }: Sphere, times: number): Vector3[] {
  const ways = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, -1]];
  return ways.map(([x, y, z]) => new Vector3(x, y, z).multiplyScalar(times * radius).add(center));
}

/** Returns the anchors of joints and links in bodies that do not move. */
function anchorsIn(scene: Scene, machine: Machine, pose: Float32Array): Vector3[] {
  const points: Vector3[] = [];
  for (const { bodies, anchors, at } of [...scene.joints, ...scene.links.map((link) => ({ ...link, at: 0 }))]) {
    bodies.forEach((body, side) => side >= at && machine.isHeld(body) && points.push(machine.placeIn(pose, body, new Vector3(...anchors[side]))));
  }
  return points;
}

/** Returns the outline of body i in a pose. */
function outlineIn(machine: Machine, i: number, pose: Float32Array): Vector3[] {
  const outline = machine.outline[i];
  return Array.from({ length: outline.length / 3 }, (_, c) => machine.placeIn(pose, i, new Vector3().fromArray(outline, 3 * c)));
}

function ballOf(points: Vector3[]): Sphere {
  const ball = new Box3().setFromPoints(points).getBoundingSphere(new Sphere());
  ball.radius = Math.max(ball.radius, 1e-3);
  return ball;
}
