// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// How far a motion reaches, in the page's axes (y up).
//
// A machine is what moves and where it is held, at the start. A point of the motion counts if it is within 2.5 radii of the
// machine, or where most of the motion is farther off, within 1.3 times what holds four fifths of it, but at most 12 radii:
// what flies away is not waited for. If what moves as a whole goes farther than that, the camera goes along, and only what
// happens about its middle counts. What is held counts where it is not much larger than the motion, or a track: a bowl does,
// a wide floor does not. About a bowl or a track all of the motion counts.
//
// While a machine is watched live, only its past is known. Then a point counts if it is within 4 radii of where the machine
// has gone as a whole. One that is held nowhere takes the camera with it where it has not been before, and from 12 radii on.

import { Box3, Sphere, Vector3 } from "three";
import type { Scene } from "./data";
import type { Machine } from "./machine";

const NEAR = 2.5;
const MOST = 0.8;
const BEYOND_MOST = 1.3;
const FARTHEST = 12;
/** It goes far if it is there for this share of the time. */
const OFTEN = 0.2;
/** Of the radius of the machine: what is farther from the middle of what moves is not waited for, live. */
const WITH = 4;
/** Likewise: so much farther than before it may go without the camera. */
const SLACK = 0.1;
/** Of the radius of the motion: larger things that are held do not count, and those that are not much smaller lead it. */
const LARGE = 4;
const LEADS = 0.5;
/** Of the radius of the machine: how much is seen about one with which the camera goes. */
const ABOUT = 2;
/** This many points are enough to fit a camera. */
const MOST_POINTS = 20_000;

export interface Bounds {
  points: Vector3[];
  box: Box3;
  centre: Vector3;
  radius: number;
  middle: Vector3; // of what moves, at the start
  room: Box3; // about there: outside of it what moves takes the camera with it
  with: number; // m: live, a body that is farther from where it would be in the machine is not waited for
}

const everywhere = (): Box3 => new Box3(new Vector3().setScalar(-Infinity), new Vector3().setScalar(Infinity));
const nowhere = (): Box3 => new Box3(new Vector3(), new Vector3());

/** The part of a way outside of the room: so far the camera goes along. */
export function beyond(way: Vector3, room: Box3): Vector3 {
  return way.clone().sub(room.clampPoint(way, new Vector3()));
}

/** Of the machine in these poses. known: they are the whole motion, not its past. */
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

/** Those near a ball, or near where most of them are, but not farther off than this many radii. */
function nearOf(points: Vector3[], { center, radius }: Sphere, farthest: number): Vector3[] {
  const distances = points.map((p) => p.distanceTo(center)).sort((a, b) => a - b);
  const most = distances[Math.floor(MOST * distances.length)] ?? 0;
  const reach = Math.max(NEAR * radius, Math.min(BEYOND_MOST * most, farthest * radius));
  return points.filter((p) => p.distanceTo(center) <= reach);
}

/** Where it has been, and a little more, but not too far. */
function roomFor(ways: Vector3[], radius: number): Box3 {
  const most = new Box3(new Vector3().setScalar(-FARTHEST * radius), new Vector3().setScalar(FARTHEST * radius));
  return new Box3().setFromPoints(ways).expandByScalar(SLACK * radius).intersect(most);
}

/** To all sides, but not below, where there may be a floor. */
function cornersAbout({ center, radius }: Sphere, times: number): Vector3[] {
  const ways = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, -1]];
  return ways.map(([x, y, z]) => new Vector3(x, y, z).multiplyScalar(times * radius).add(center));
}

/** Where joints and links hold on to bodies that do not move. */
function anchorsIn(scene: Scene, machine: Machine, pose: Float32Array): Vector3[] {
  const points: Vector3[] = [];
  for (const { bodies, anchors, at } of [...scene.joints, ...scene.links.map((link) => ({ ...link, at: 0 }))]) {
    bodies.forEach((body, side) => side >= at && machine.isHeld(body) && points.push(machine.placeIn(pose, body, new Vector3(...anchors[side]))));
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
