// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The machine in three dimensions: one group per body for its frame, planes and curves, and the copies of all shapes, in a
// root that turns the model's "up" to y.

import {
  CatmullRomCurve3,
  Color,
  CylinderGeometry,
  DoubleSide,
  Group,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  OctahedronGeometry,
  PlaneGeometry,
  Quaternion,
  SphereGeometry,
  TubeGeometry,
  Vector3,
} from "three";
import type { DirectionalLight, HemisphereLight, Intersection } from "three";
import { Copies } from "./copies";
import type { Copy } from "./copies";
import { isThere, POSE } from "./data";
import type { Joint, Part, Quat, Scene, Vec3 } from "./data";
import { Links } from "./links";
import { PartShapes } from "./parts";
import type { Shape, Triangles } from "./parts";
import { PlainMaterial } from "./plain";
import { BODY_COLOURS, FIXED_COLOUR } from "./theme";
import type { Theme } from "./theme";

/** Of the extent: radius of the marker of a joint, length of its axis to either side. */
const MARKER = 0.011;
const AXIS = 0.055;
/** Of the extent: the radius of a curve that leads a body. */
const CURVE = 0.006;
const CURVE_SIDES = 6;
/** How much brighter the chosen body is. */
const CHOSEN = 1.6;
/** How much grey is mixed into what was drawn as a skeleton. */
const GREYER = 0.25;
/** Of the radius of the motion: half the edge of a plane that moves. */
const PLANE_REACH = 1.1;

export const quaternionOf = (q: Quat): Quaternion => new Quaternion(q[1], q[2], q[3], q[0]);
export const vectorOf = (v: Vec3): Vector3 => new Vector3(v[0], v[1], v[2]);

export interface Plane {
  point: Vector3;
  normal: Vector3;
}

export class Machine {
  readonly root = new Group();
  readonly bodies: Group[] = [];
  readonly pickable: Mesh[] = []; // bodyOf says whose
  /** Points about each body in its frame, three numbers each, for fitting cameras. */
  readonly outline: number[][] = [];
  readonly up: Vector3;

  private readonly links: Links;
  private readonly planes: { square: Mesh; still: boolean }[] = [];
  private readonly joints = new Group();
  private readonly copies: Copies[] = []; // of parts
  private readonly markers: Copies[] = [];
  private readonly frames: Matrix4[] = []; // of the bodies, for their copies
  private readonly markerMaterial = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.85 });
  private readonly material = new MeshStandardMaterial({ roughness: 0.55, metalness: 0.05, vertexColors: true });
  private readonly plain = new PlainMaterial();
  private readonly extent: number;
  private chosen = -1;

  constructor(private readonly scene: Scene) {
    this.extent = scene.extent > 0 ? scene.extent : 1;
    this.up = vectorOf(scene.up).normalize();
    this.root.quaternion.setFromUnitVectors(this.up, new Vector3(0, 1, 0));

    const shapes = new PartShapes(this.extent, scene.bodies.length);
    const parts = new Map<Triangles, Copy[]>();
    scene.bodies.forEach((body, i) => {
      const group = new Group();
      group.matrixAutoUpdate = false;
      const outline: number[] = [];
      for (const part of body.parts) {
        const shape = shapes.of(part);
        if (part.type === "line") this.addLine(group, outline, part);
        else if (shape === null) this.addPlane(group, i, part);
        else append(parts, shape.triangles, this.addPart(outline, i, part, shape));
      }
      if (outline.length === 0 && !this.isHeld(i)) outline.push(0, 0, 0);
      this.bodies.push(group);
      this.frames.push(group.matrix);
      this.outline.push(outline);
      this.root.add(group);
    });
    for (const [triangles, copies] of parts) this.addCopies(triangles, copies);
    this.addMarkers(scene.joints);
    this.links = new Links(scene.links, this.extent, this.material);
    this.root.add(this.joints, this.links.mesh);
  }

  setPoses(poses: Float32Array, t: number): void {
    this.bodies.forEach((group, i) => {
      const k = POSE * i;
      group.position.set(poses[k], poses[k + 1], poses[k + 2]);
      group.quaternion.set(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]);
      group.updateMatrix();
    });
    this.links.setPoses(poses, t);
    for (const copies of [...this.copies, ...this.markers]) copies.place(this.frames, t);
  }

  isHeld(body: number): boolean {
    const { kind } = this.scene.bodies[body];
    return kind === "ground" || kind === "fixed";
  }

  /** A point of a body's frame where these poses put it, in the page's axes. */
  placeIn(poses: Float32Array, body: number, point: Vector3): Vector3 {
    const k = POSE * body;
    const q = new Quaternion(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]);
    return point.clone().applyQuaternion(q).add(new Vector3().fromArray(poses, k)).applyQuaternion(this.root.quaternion);
  }

  /** The middle of what moves, in the page's axes: as many bodies are on one side of it as on the other. */
  middleOf(poses: Float32Array): Vector3 {
    const at = this.bodies.map((_, i) => i).filter((i) => !this.isHeld(i));
    const median = (c: number): number => Float32Array.from(at, (i) => poses[POSE * i + c]).sort()[Math.floor(at.length / 2)] ?? 0;
    return new Vector3(median(0), median(1), median(2)).applyQuaternion(this.root.quaternion);
  }

  /** Whose part a ray hit, one of pickable. */
  bodyOf(hit: Intersection): number {
    const { copies } = hit.object.userData as { copies: Copies };
    return copies.all[hit.instanceId ?? 0].body;
  }

  /** Spreads planes that move below a motion. Those that do not are given back, for the poses that are set, in the page's
   * axes: they are drawn like the ground. */
  layPlanes(radius: number): Plane[] {
    const still: Plane[] = [];
    for (const { square, still: rests } of this.planes) {
      square.scale.setScalar(PLANE_REACH * radius);
      square.visible = !rests;
      if (!rests) continue;
      const frame = square.parent!;
      frame.updateWorldMatrix(true, false);
      const normal = new Vector3(0, 0, 1).applyQuaternion(square.quaternion).transformDirection(frame.matrixWorld);
      still.push({ normal, point: square.position.clone().applyMatrix4(frame.matrixWorld) });
    }
    return still;
  }

  showJoints(shown: boolean): void {
    this.joints.visible = shown;
  }

  /** Whether without shadows and gloss, since drawing is slow. */
  showPlain(plain: boolean): void {
    for (const copies of this.copies) copies.show(plain, plain ? this.plain : this.material);
    for (const copies of this.markers) copies.show(plain, this.markerMaterial);
    this.links.mesh.material = plain ? this.plain : this.material;
  }

  setLight(sun: DirectionalLight, sky: HemisphereLight): void {
    this.plain.setLight(sun, sky);
  }

  setTheme(theme: Theme): void {
    this.markerMaterial.color.set(theme === "dark" ? 0xf2f5f8 : 0x20262c);
  }

  /** Makes a body stand out; -1: none. */
  choose(body: number): void {
    if (body === this.chosen) return;
    const before = this.chosen;
    this.chosen = body;
    for (const copies of this.copies) {
      for (const i of [before, body]) copies.colour(i, (copy) => this.colourOf(i, copy.drawn));
    }
  }

  private addCopies(triangles: Triangles, all: Copy[]): void {
    const copies = new Copies(triangles.fine, this.material, all, triangles.coarse);
    copies.mesh.castShadow = true;
    copies.mesh.receiveShadow = true;
    this.copies.push(copies);
    this.pickable.push(copies.mesh);
    this.root.add(copies.mesh);
  }

  private addPart(outline: number[], body: number, part: Part, { triangles, size }: Shape): Copy {
    const drawn = part.drawn === true;
    const place = new Matrix4().compose(vectorOf(part.p), quaternionOf(part.q), size);

    // the corners of its box, in the frame of the body
    triangles.fine.computeBoundingBox();
    const { min, max } = triangles.fine.boundingBox!;
    for (let corner = 0; corner < 8; corner++) {
      const at = new Vector3(corner & 1 ? max.x : min.x, corner & 2 ? max.y : min.y, corner & 4 ? max.z : min.z);
      outline.push(...at.applyMatrix4(place).toArray());
    }
    return { body, place, colour: this.colourOf(body, drawn), drawn };
  }

  private addLine(group: Group, outline: number[], part: Part & { type: "line" }): void {
    const points: Vector3[] = [];
    for (let i = 0; i + 2 < part.vertices.length; i += 3) points.push(new Vector3().fromArray(part.vertices, i));
    if (points.length < 2) return;
    const shape = new TubeGeometry(new CatmullRomCurve3(points), points.length, CURVE * this.extent, CURVE_SIDES);
    const line = new Mesh(shape, new MeshStandardMaterial({ color: FIXED_COLOUR, roughness: 0.6 }));
    line.castShadow = true;
    line.position.copy(vectorOf(part.p));
    line.quaternion.copy(quaternionOf(part.q));
    group.add(line);
    for (const at of points) outline.push(...at.applyQuaternion(line.quaternion).add(line.position).toArray());
  }

  /** A square that stands for what has no end; layPlanes says how large. */
  private addPlane(group: Group, body: number, part: Part): void {
    const still = this.isHeld(body);
    const material = new MeshStandardMaterial({ color: this.colourOf(body, false), roughness: 0.55, metalness: 0.05, side: DoubleSide });
    if (!still) Object.assign(material, { transparent: true, opacity: 0.35, depthWrite: false });
    const square = new Mesh(new PlaneGeometry(2, 2), material);
    square.position.copy(vectorOf(part.p));
    square.quaternion.copy(quaternionOf(part.q));
    square.receiveShadow = true;
    group.add(square);
    this.planes.push({ square, still });
  }

  /** A ball where each joint is, and a line along its axis, while it is attached. */
  private addMarkers(joints: Joint[]): void {
    const balls: Copy[] = [];
    const lines: Copy[] = [];
    const radius = MARKER * this.extent;
    for (const joint of joints) {
      const { bodies, anchors, at: end, axis } = joint;
      const common = { body: bodies[end], colour: null, drawn: true, isThere: (t: number) => isThere(joint, t) };
      const at = vectorOf(anchors[end]);
      balls.push({ ...common, place: new Matrix4().compose(at, new Quaternion(), new Vector3(radius, radius, radius)) });
      if (axis === null || end === 1) continue; // a normal of what it follows
      const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), vectorOf(axis).normalize());
      const size = new Vector3(0.3 * radius, 2 * AXIS * this.extent, 0.3 * radius);
      lines.push({ ...common, place: new Matrix4().compose(at, turn, size) });
    }
    for (const [shape, all] of [[markerBall, balls], [markerLine, lines]] as const) {
      if (all.length === 0) continue;
      const copies = new Copies(shape.fine, this.markerMaterial, all, shape.coarse);
      copies.mesh.renderOrder = 1;
      this.markers.push(copies);
      this.joints.add(copies.mesh);
    }
  }

  private colourOf(body: number, drawn: boolean): Color {
    const colour = new Color(this.isHeld(body) ? FIXED_COLOUR : BODY_COLOURS[(body - 1 + BODY_COLOURS.length) % BODY_COLOURS.length]);
    if (drawn) colour.lerp(new Color(FIXED_COLOUR), GREYER);
    return body === this.chosen ? colour.multiplyScalar(CHOSEN) : colour;
  }
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

const markerBall: Triangles = { fine: new SphereGeometry(1, 12, 8), coarse: new OctahedronGeometry(1, 1) };
const markerLine: Triangles = { fine: new CylinderGeometry(1, 1, 1, 8), coarse: new CylinderGeometry(1, 1, 1, 4, 1, true) };
