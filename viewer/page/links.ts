// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Links between points of two bodies: distances as rods, ropes that hang when they are slack, springs as coils that stretch, dampers and
// actuators as pistons. All straight pieces are copies of one cylinder, all coils with as many turns copies of one helix.

import { Color, CylinderGeometry, Float32BufferAttribute, Group, InstancedMesh, Matrix4, Quaternion, Vector3 } from "three";
import { coilGeometry } from "./coil";
import { isThere, POSE } from "./data";
import type { Link, LinkKind } from "./data";
import type { Paint } from "./paint";
import { sagOf } from "./sag";

/** Radius of links without one, as a fraction of the extent. */
const THICKNESS = 0.007;
const SIDES = 12;
const COLOURS: Record<LinkKind, string> = { rod: "#7d8690", rope: "#75654e", spring: "#b9913f", damper: "#5d6872", actuator: "#4f6d8c" };
/** Number of straight pieces; a taut rope uses only one of them. */
const PIECES: Record<LinkKind, number> = { rod: 1, rope: 16, spring: 0, damper: 2, actuator: 2 };
/** Fractions of the initial length: barrel of a piston, and depth of the rod in it. */
const BARREL = 0.55;
const INSIDE = 0.25;
/** Radius of the rod of a piston, and of the damper in a coil, as fractions of theirs. */
const ROD = 0.45;
const CORE = 0.42;
/** Turns of a coil per radius of length, with limits. */
const TURNS = { per: 0.8, least: 4, most: 16 };
/** A rope hangs if it is longer than the distance by this fraction. */
const SLACK = 1e-3;
const UP = new Vector3(0, 1, 0);
const ALONG = new Vector3(0, 0, 1);
const NOWHERE = new Matrix4().makeScale(0, 0, 0);

/** Computes the place of a point of a body frame. */
function place(poses: Float32Array, body: number, at: Vector3, out: Vector3): Vector3 {
  const k = POSE * body;
  turn.set(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]);
  out.copy(at).applyQuaternion(turn);
  return out.set(out.x + poses[k], out.y + poses[k + 1], out.z + poses[k + 2]);
}

interface Drawn {
  link: Link;
  ends: [Vector3, Vector3];
  first: number; // number of its first straight piece
  pieces: number;
  radius: number; // m
  length: number; // m: initial length; 0: not known yet
  coil: { mesh: InstancedMesh; index: number } | null;
}

export class Links {
  readonly group = new Group();
  private readonly all: Drawn[] = [];
  private sticks: InstancedMesh | null = null;
  private readonly coils: InstancedMesh[] = [];
  private started = false;

  /** down: direction in which ropes hang, in the model's axes. */
  constructor(
    private readonly links: Link[],
    private readonly extent: number,
    private readonly down: Vector3,
    private readonly paint: Paint,
  ) {}

  setPoses(poses: Float32Array, t: number): void {
    if (this.links.length === 0) return;
    if (!this.started) this.start(poses);
    for (const drawn of this.all) {
      const { link, ends } = drawn;
      place(poses, link.bodies[0], ends[0], from);
      place(poses, link.bodies[1], ends[1], to);
      this.draw(drawn, isThere(link, t) && from.distanceTo(to) > 0);
    }
    for (const mesh of [this.sticks!, ...this.coils]) mesh.instanceMatrix.needsUpdate = true;
  }

  /** plain: without shadows and gloss, because drawing is slow. */
  showPlain(plain: boolean): void {
    if (this.sticks !== null) this.sticks.material = this.paint.of("metal", plain);
    for (const mesh of this.coils) mesh.material = this.paint.of("coil", plain);
  }

  /** Makes coils and pistons for their initial lengths. */
  private start(poses: Float32Array): void {
    this.started = true;
    const coils = new Map<number, Drawn[]>();
    let count = 0;
    for (const link of this.links) {
      const ends = link.anchors.map((at) => new Vector3(...at)) as [Vector3, Vector3];
      const length = place(poses, link.bodies[0], ends[0], from).distanceTo(place(poses, link.bodies[1], ends[1], to));
      const radius = link.radius ?? THICKNESS * this.extent;
      const pieces = link.kind === "spring" ? (link.damped ? 2 : 0) : PIECES[link.kind];
      const drawn: Drawn = { link, ends, first: count, pieces, radius, length: length > 0 ? length : (link.length ?? 10 * radius), coil: null };
      count += pieces;
      this.all.push(drawn);
      if (link.kind !== "spring") continue;
      const turns = Math.round(Math.min(Math.max((TURNS.per * drawn.length) / radius, TURNS.least), TURNS.most));
      coils.set(turns, [...(coils.get(turns) ?? []), drawn]);
    }
    this.makeSticks(count);
    for (const [turns, springs] of coils) this.makeCoils(turns, springs);
    for (const mesh of [this.sticks!, ...this.coils]) {
      mesh.frustumCulled = false;
      mesh.castShadow = true;
      this.group.add(mesh);
    }
  }

  private makeSticks(count: number): void {
    const shape = new CylinderGeometry(1, 1, 1, SIDES);
    shape.setAttribute("color", new Float32BufferAttribute(new Array<number>(3 * shape.getAttribute("position").count).fill(1), 3));
    this.sticks = new InstancedMesh(shape, this.paint.of("metal", false), count);
    this.sticks.visible = count > 0; // otherwise its colours would be missing
    for (const { link, first, pieces } of this.all) {
      for (let i = first; i < first + pieces; i++) {
        const colour = new Color(link.color ?? COLOURS[link.kind]);
        // the rod of a piston is brighter
        if (PIECES[link.kind] !== 1 && link.kind !== "rope" && i > first) colour.set(0xb4bcc4);
        if (link.kind === "spring" && i === first) colour.set(COLOURS.damper);
        this.sticks.setColorAt(i, colour);
      }
    }
  }

  private makeCoils(turns: number, springs: Drawn[]): void {
    const mesh = new InstancedMesh(coilGeometry(turns), this.paint.of("coil", false), springs.length);
    springs.forEach((drawn, index) => {
      drawn.coil = { mesh, index };
      mesh.setColorAt(index, new Color(drawn.link.color ?? COLOURS.spring));
    });
    this.coils.push(mesh);
  }

  /** Draws a link between from and to. */
  private draw(drawn: Drawn, there: boolean): void {
    const { link, first, pieces, radius, coil } = drawn;
    for (let i = first; i < first + pieces; i++) this.sticks!.setMatrixAt(i, NOWHERE);
    if (coil !== null) coil.mesh.setMatrixAt(coil.index, there ? between(from, to, ALONG, radius) : NOWHERE);
    if (!there) return;
    if (link.kind === "rope") this.drawRope(drawn);
    else if (link.kind === "rod") this.sticks!.setMatrixAt(first, between(from, to, UP, radius));
    else if (pieces === 2) this.drawPiston(drawn, link.kind === "spring" ? CORE * radius : radius);
  }

  private drawPiston({ first, length }: Drawn, radius: number): void {
    const now = from.distanceTo(to);
    const barrel = Math.min(BARREL * length, 0.9 * now);
    const rod = Math.max(now - barrel + Math.min(INSIDE * length, 0.5 * barrel), 0.1 * now);
    middle.lerpVectors(from, to, barrel / now);
    this.sticks!.setMatrixAt(first, between(from, middle, UP, radius));
    middle.lerpVectors(to, from, Math.min(rod / now, 0.97));
    this.sticks!.setMatrixAt(first + 1, between(middle, to, UP, ROD * radius));
  }

  private drawRope({ link, first, pieces, radius }: Drawn): void {
    const chord = from.distanceTo(to);
    const length = link.length ?? 0;
    if (!(length > chord * (1 + SLACK))) {
      this.sticks!.setMatrixAt(first, between(from, to, UP, radius));
      return;
    }
    const deep = sagOf(from, to, this.down, length);
    const at = (s: number, out: Vector3): Vector3 => out.lerpVectors(from, to, s).addScaledVector(this.down, 4 * deep * s * (1 - s));
    at(0, one);
    for (let i = 0; i < pieces; i++) {
      at((i + 1) / pieces, two);
      this.sticks!.setMatrixAt(first + i, between(one, two, UP, radius));
      one.copy(two);
    }
  }
}

/** Returns the matrix that places an object of length 1 along an axis, centred, between two points. */
function between(a: Vector3, b: Vector3, axis: Vector3, radius: number): Matrix4 {
  way.subVectors(b, a);
  const length = way.length();
  if (length === 0) return NOWHERE;
  turn.setFromUnitVectors(axis, way.divideScalar(length));
  size.set(radius, radius, radius)[axis === UP ? "y" : "z"] = length;
  return matrix.compose(centre.addVectors(a, b).multiplyScalar(0.5), turn, size);
}

const [from, to, middle, one, two, way, size, centre] = Array.from({ length: 8 }, () => new Vector3());
const turn = new Quaternion();
const matrix = new Matrix4();
