// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Arrows and dots, any number of them in one draw call, and the scale of the arrows of forces.

import { BufferGeometry, ConeGeometry, CylinderGeometry, Group, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3 } from "three";
import { format, niceStep } from "./number";

/** Fractions of the extent: radius of a shaft, radius and length of a head, radius of a dot. */
const SHAFT = 0.0055;
const HEAD = 0.017;
const HEAD_LENGTH = 0.05;
const DOT = 0.011;
const UP = new Vector3(0, 1, 0);

/** Copies of one shape, whose number may grow from frame to frame. */
class Many {
  readonly group = new Group();
  private mesh: InstancedMesh;
  private count = 0;

  constructor(
    private readonly shape: BufferGeometry,
    private readonly material: MeshBasicMaterial,
  ) {
    this.mesh = this.make(16);
  }

  clear(): void {
    this.count = 0;
  }

  put(place: Matrix4): void {
    if (this.count === this.mesh.instanceMatrix.count) {
      const before = this.mesh;
      this.mesh = this.make(2 * this.count);
      this.mesh.instanceMatrix.array.set(before.instanceMatrix.array);
      this.group.remove(before);
      before.dispose();
    }
    this.mesh.setMatrixAt(this.count++, place);
  }

  done(): void {
    this.mesh.count = this.count;
    this.mesh.visible = this.count > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  private make(room: number): InstancedMesh {
    const mesh = new InstancedMesh(this.shape, this.material, room);
    mesh.frustumCulled = false;
    mesh.renderOrder = 2;
    mesh.count = 0;
    this.group.add(mesh);
    return mesh;
  }
}

/** Arrows, which are visible through bodies. For each frame call clear, put for each arrow, then done. */
export class Arrows {
  readonly group = new Group();
  private readonly material: MeshBasicMaterial;
  private readonly shafts: Many;
  private readonly heads: Many;
  private readonly dots: Many;
  private readonly turn = new Quaternion();
  private readonly way = new Vector3();
  private readonly size = new Vector3();
  private readonly at = new Vector3();
  private readonly place = new Matrix4();

  constructor(
    colour: number,
    private readonly extent: number,
  ) {
    this.material = new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, opacity: 0.92 });
    this.shafts = new Many(shaft, this.material);
    this.heads = new Many(head, this.material);
    this.dots = new Many(dot, this.material);
    this.group.add(this.shafts.group, this.heads.group, this.dots.group);
  }

  clear(): void {
    for (const many of [this.shafts, this.heads, this.dots]) many.clear();
  }

  done(): void {
    for (const many of [this.shafts, this.heads, this.dots]) many.done();
  }

  putDot(at: Vector3): void {
    const r = DOT * this.extent;
    this.dots.put(this.place.compose(at, this.turn.identity(), this.size.set(r, r, r)));
  }

  /** Adds an arrow from a point along a vector. */
  put(from: Vector3, along: Vector3): void {
    const length = along.length();
    if (!(length > 1e-6 * this.extent)) return;
    this.way.copy(along).divideScalar(length);
    this.turn.setFromUnitVectors(UP, this.way);
    // a short arrow has a small head
    const tip = Math.min(HEAD_LENGTH * this.extent, 0.5 * length);
    const wide = (HEAD / HEAD_LENGTH) * tip;
    const thick = Math.min(SHAFT * this.extent, 0.4 * wide);
    this.shafts.put(this.place.compose(from, this.turn, this.size.set(thick, length - tip, thick)));
    this.at.copy(from).addScaledVector(this.way, length - tip);
    this.heads.put(this.place.compose(this.at, this.turn, this.size.set(wide, tip, wide)));
  }
}

/** Fractions of the extent: length of the arrow of the largest force, and largest length of any arrow. */
const LARGEST = 0.35;
const LONGEST = 0.9;
/** Fraction of the extent: length of the arrow whose force the scale shows. */
const NAMED = 0.1;
/** s: time constants with which the scale follows increasing and decreasing forces. Impacts are shorter. */
const GROWS = 0.5;
const WANES = 4;
/** The force of the scale is unchanged while its ratio to the fitting force is in this range. */
const KEPT: [number, number] = [0.7, 6];

/** The scale of arrows, N per m, which changes seldom and takes round values. */
export class ArrowScale {
  private readonly length: number; // m: length of the arrow that the scale shows
  private force = 0; // N: force of an arrow of this length
  private level = NaN; // logarithm of the smoothed largest force

  constructor(private readonly extent: number) {
    this.length = niceStep(NAMED * extent);
  }

  /** Updates the scale with the largest force shown now, dt s after the last update. */
  update(largest: number, dt: number): void {
    if (!(largest > 0)) return;
    const log = Math.log(largest);
    if (Number.isNaN(this.level)) this.level = log;
    this.level += Math.min(dt / (log > this.level ? GROWS : WANES), 1) * (log - this.level);
    const fits = (Math.exp(this.level) * this.length) / (LARGEST * this.extent);
    const times = this.force / fits;
    if (!(times >= KEPT[0] && times <= KEPT[1])) this.force = niceStep(fits);
  }

  /** Converts a force to the vector of its arrow. */
  apply(force: Vector3): Vector3 {
    if (this.force === 0) return force.setScalar(0);
    force.multiplyScalar(this.length / this.force);
    return force.clampLength(0, LONGEST * this.extent);
  }

  get text(): string {
    return this.force === 0 ? "" : `arrows ${format(this.force)} N per ${format(this.length)} m`;
  }
}

const shaft = new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0);
const head = new ConeGeometry(1, 1, 14).translate(0, 0.5, 0);
const dot = new SphereGeometry(1, 12, 8);
