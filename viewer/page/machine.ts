// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The machine in three dimensions: one group per body for its frame, planes and curves, and the copies of all shapes, in a root that
// rotates the model's "up" to y.

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
import { Batch } from "./batch";
import { Copies } from "./copies";
import type { Copy } from "./copies";
import { isThere, POSE } from "./data";
import type { Joint, Part, Quat, Scene, Vec3 } from "./data";
import { Links } from "./links";
import { PartShapes } from "./parts";
import type { Shape, Triangles } from "./parts";
import { Paint } from "./paint";
import type { Kind } from "./paint";
import { BODY_COLOURS, FIXED_COLOUR } from "./theme";
import type { Theme } from "./theme";

/** Fractions of the extent: radius of the marker of a joint, length of its axis to either side. */
const MARKER = 0.011;
const AXIS = 0.055;
/** Radius of the curve of a joint, as a fraction of the extent. */
const CURVE = 0.006;
const CURVE_SIDES = 6;
/** Factor of brightness of the selected body. */
const CHOSEN = 1.6;
/** Fractions of the extent: length and radius of the axes of a body frame. */
const FRAME = 0.11;
const FRAME_RADIUS = 0.0045;
const FRAME_COLOURS = [0xcf5a4e, 0x4c9a5b, 0x4a83c8];
/** Half the edge of a moving plane, in radii of the motion. */
const PLANE_REACH = 1.1;

export const quaternionOf = (q: Quat): Quaternion => new Quaternion(q[1], q[2], q[3], q[0]);
export const vectorOf = (v: Vec3): Vector3 => new Vector3(v[0], v[1], v[2]);

export interface Plane {
  point: Vector3;
  normal: Vector3;
  colour: string | null; // colour given by the model
}

export class Machine {
  readonly root = new Group();
  readonly bodies: Group[] = [];
  readonly pickable: Mesh[] = []; // bodyOf returns their bodies
  /** Points about each body in its frame, three numbers each, for fitting cameras. */
  readonly outline: number[][] = [];
  readonly up: Vector3;

  private readonly links: Links;
  private readonly planes: { square: Mesh; still: boolean; colour: string | null }[] = [];
  private readonly joints = new Group();
  private frameAxes: Copies[] | null = null; // created when they are first shown
  private readonly copies: { copies: Copies; kind: Kind }[] = []; // copies of parts
  private readonly markers: Copies[] = [];
  private readonly frames: Matrix4[] = []; // frames of the bodies, for their copies
  private readonly markerMaterial = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.85 });
  private readonly paint = new Paint();
  private batch: Batch | null = null; // created when drawing is slow
  private plain = false;
  private readonly extent: number;
  private chosen = -1;
  private time = 0; // s: time of the poses

  private light: [DirectionalLight, HemisphereLight] | null = null;

  /** software: there is no graphics card. */
  constructor(
    private readonly scene: Scene,
    private readonly software: boolean,
  ) {
    this.extent = scene.extent > 0 ? scene.extent : 1;
    this.up = vectorOf(scene.up).normalize();
    this.root.quaternion.setFromUnitVectors(this.up, new Vector3(0, 1, 0));

    const shapes = new PartShapes(this.extent, scene.bodies.length);
    const parts: Record<"body" | "metal", Map<Triangles, Copy[]>> = { body: new Map(), metal: new Map() };
    scene.bodies.forEach((body, i) => {
      const group = new Group();
      group.matrixAutoUpdate = false;
      const outline: number[] = [];
      for (const part of body.parts) {
        const shape = shapes.of(part);
        if (part.type === "line") this.addLine(group, outline, part);
        else if (shape === null) this.addPlane(group, i, part);
        else append(parts[part.role === undefined ? "body" : "metal"], shape.triangles, this.addPart(outline, i, part, shape));
      }
      if (outline.length === 0 && !this.isHeld(i)) outline.push(0, 0, 0);
      this.bodies.push(group);
      this.frames.push(group.matrix);
      this.outline.push(outline);
      this.root.add(group);
    });
    for (const kind of ["body", "metal"] as const) for (const [triangles, copies] of parts[kind]) this.addCopies(triangles, copies, kind);
    this.addMarkers(scene.joints);
    this.links = new Links(scene.links, this.extent, this.up.clone().negate(), this.paint);
    this.joints.visible = false;
    this.root.add(this.joints, this.links.group);
  }

  setPoses(poses: Float32Array, t: number): void {
    this.time = t;
    this.bodies.forEach((group, i) => {
      const k = POSE * i;
      group.position.set(poses[k], poses[k + 1], poses[k + 2]);
      group.quaternion.set(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]);
      group.updateMatrix();
    });
    this.links.setPoses(poses, t);
    if (this.plain) this.batch?.place(this.frames, this.root.quaternion);
    else this.placeCopies();
    if (this.joints.visible) for (const copies of this.markers) copies.place(this.frames, t);
    if (this.frameAxes?.[0].mesh.visible) for (const copies of this.frameAxes) copies.place(this.frames, t);
  }

  isHeld(body: number): boolean {
    const { kind } = this.scene.bodies[body];
    return kind === "ground" || kind === "fixed";
  }

  /** Returns the place of a point of a body frame in these poses, in the page's axes. */
  placeIn(poses: Float32Array, body: number, point: Vector3): Vector3 {
    const k = POSE * body;
    const q = new Quaternion(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]);
    return point.clone().applyQuaternion(q).add(new Vector3().fromArray(poses, k)).applyQuaternion(this.root.quaternion);
  }

  /** Returns the median place of the moving bodies, in the page's axes. */
  middleOf(poses: Float32Array): Vector3 {
    const at = this.bodies.map((_, i) => i).filter((i) => !this.isHeld(i));
    const median = (c: number): number => Float32Array.from(at, (i) => poses[POSE * i + c]).sort()[Math.floor(at.length / 2)] ?? 0;
    return new Vector3(median(0), median(1), median(2)).applyQuaternion(this.root.quaternion);
  }

  /** Places the copies at their bodies. Call it before the mouse searches them and before drawing. */
  placeCopies(): void {
    for (const { copies } of this.copies) copies.place(this.frames, this.time);
  }

  /** Returns the body of a part hit by a ray, one of pickable. */
  bodyOf(hit: Intersection): number {
    const { copies } = hit.object.userData as { copies: Copies };
    return copies.all[hit.instanceId ?? 0].body;
  }

  /** Sizes moving planes for a motion. Returns fixed planes for the present poses, in the page's axes, which are drawn like the ground. */
  layPlanes(radius: number): Plane[] {
    const still: Plane[] = [];
    for (const { square, still: rests, colour } of this.planes) {
      square.scale.setScalar(PLANE_REACH * radius);
      square.visible = !rests;
      if (!rests) continue;
      const frame = square.parent!;
      frame.updateWorldMatrix(true, false);
      const normal = new Vector3(0, 0, 1).applyQuaternion(square.quaternion).transformDirection(frame.matrixWorld);
      still.push({ normal, colour, point: square.position.clone().applyMatrix4(frame.matrixWorld) });
    }
    return still;
  }

  showJoints(shown: boolean): void {
    this.joints.visible = shown;
    if (shown) for (const copies of this.markers) copies.place(this.frames, this.time);
  }

  /** Shows or hides the axes of all body frames. */
  showFrames(shown: boolean): void {
    if (shown) this.frameAxes ??= this.makeFrames();
    for (const copies of this.frameAxes ?? []) {
      copies.mesh.visible = shown;
      if (shown) copies.place(this.frames, this.time);
    }
  }

  /** Returns the height of the lowest point of all moving bodies in these poses, in the page's axes. */
  lowestIn(poses: Float32Array): number {
    let lowest = Infinity;
    this.outline.forEach((outline, i) => {
      if (this.isHeld(i)) return;
      const k = POSE * i;
      const q = turn.set(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]).premultiply(this.root.quaternion);
      const up = way.set(0, 1, 0).applyQuaternion(q.invert()); // the page's upward direction in the body frame
      const height = middle.fromArray(poses, k).applyQuaternion(this.root.quaternion).y;
      for (let c = 0; c < outline.length; c += 3) {
        lowest = Math.min(lowest, height + up.x * outline[c] + up.y * outline[c + 1] + up.z * outline[c + 2]);
      }
    });
    return lowest;
  }

  /** plain: without shadows and gloss, because drawing is slow. */
  showPlain(plain: boolean): void {
    for (const { copies, kind } of this.copies) {
      copies.show(plain, this.paint.of(kind, plain));
      copies.mesh.visible = !plain || !this.software;
    }
    this.showBatch(plain && this.software);
    for (const copies of this.markers) copies.show(plain, this.markerMaterial);
    this.links.showPlain(plain);
  }

  setLight(sun: DirectionalLight, sky: HemisphereLight): void {
    this.light = [sun, sky];
    this.paint.setLight(sun, sky);
    this.batch?.setLight(sun, sky);
  }

  setTheme(theme: Theme): void {
    this.markerMaterial.color.set(theme === "dark" ? 0xf2f5f8 : 0x20262c);
  }

  /** Highlights a body; -1: none. */
  choose(body: number): void {
    if (body === this.chosen) return;
    const before = this.chosen;
    this.chosen = body;
    for (const { copies } of this.copies) {
      for (const i of [before, body]) copies.colour(i, (copy) => this.colourOf(i, copy.paint));
    }
    this.batch?.paint();
    if (this.plain) this.batch?.place(this.frames, this.root.quaternion);
  }

  /** Draws all bodies as one mesh instead of copies. */
  private showBatch(shown: boolean): void {
    if (shown && this.batch === null) {
      this.batch = new Batch(this.copies.map(({ copies }) => copies));
      this.root.add(this.batch.mesh);
      if (this.light !== null) this.batch.setLight(...this.light);
    }
    if (this.batch !== null) this.batch.mesh.visible = shown;
    if (shown && !this.plain) this.batch?.place(this.frames, this.root.quaternion);
    if (!shown && this.plain) this.placeCopies();
    this.plain = shown;
  }

  private addCopies(triangles: Triangles, all: Copy[], kind: Kind): void {
    const copies = new Copies(triangles.fine, this.paint.of(kind, false), all, triangles.coarse);
    copies.mesh.castShadow = true;
    copies.mesh.receiveShadow = true;
    this.copies.push({ copies, kind });
    this.pickable.push(copies.mesh);
    this.root.add(copies.mesh);
  }

  private addPart(outline: number[], body: number, part: Part, { triangles, size }: Shape): Copy {
    const place = new Matrix4().compose(vectorOf(part.p), quaternionOf(part.q), size);

    // the corners of its box, in the frame of the body
    triangles.fine.computeBoundingBox();
    const { min, max } = triangles.fine.boundingBox!;
    for (let corner = 0; corner < 8; corner++) {
      const at = new Vector3(corner & 1 ? max.x : min.x, corner & 2 ? max.y : min.y, corner & 4 ? max.z : min.z);
      outline.push(...at.applyMatrix4(place).toArray());
    }
    return { body, place, colour: this.colourOf(body, part.color), paint: part.color };
  }

  private addLine(group: Group, outline: number[], part: Part & { type: "line" }): void {
    const points: Vector3[] = [];
    for (let i = 0; i + 2 < part.vertices.length; i += 3) points.push(new Vector3().fromArray(part.vertices, i));
    if (points.length < 2) return;
    const shape = new TubeGeometry(new CatmullRomCurve3(points), points.length, CURVE * this.extent, CURVE_SIDES);
    const line = new Mesh(shape, new MeshStandardMaterial({ color: part.color ?? FIXED_COLOUR, roughness: 0.6 }));
    line.castShadow = true;
    line.position.copy(vectorOf(part.p));
    line.quaternion.copy(quaternionOf(part.q));
    group.add(line);
    for (const at of points) outline.push(...at.applyQuaternion(line.quaternion).add(line.position).toArray());
  }

  /** Adds a square that represents an infinite plane; layPlanes sets its size. */
  private addPlane(group: Group, body: number, part: Part): void {
    const still = this.isHeld(body);
    const material = new MeshStandardMaterial({ color: this.colourOf(body, part.color), roughness: 0.6, side: DoubleSide });
    if (!still) Object.assign(material, { transparent: true, opacity: 0.35, depthWrite: false });
    const square = new Mesh(new PlaneGeometry(2, 2), material);
    square.position.copy(vectorOf(part.p));
    square.quaternion.copy(quaternionOf(part.q));
    square.receiveShadow = true;
    group.add(square);
    this.planes.push({ square, still, colour: isPainted(part.color) ? part.color : null });
  }

  /** Adds a ball at each joint and a line along its axis, shown while it is attached. */
  private addMarkers(joints: Joint[]): void {
    const balls: Copy[] = [];
    const lines: Copy[] = [];
    const radius = MARKER * this.extent;
    for (const joint of joints) {
      const { bodies, anchors, at: end, axis } = joint;
      const common = { body: bodies[end], colour: null, isThere: (t: number) => isThere(joint, t) };
      const at = vectorOf(anchors[end]);
      balls.push({ ...common, place: new Matrix4().compose(at, new Quaternion(), new Vector3(radius, radius, radius)) });
      if (axis === null || end === 1) continue; // the normal of the curve or surface
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

  private makeFrames(): Copies[] {
    const shape = new CylinderGeometry(1, 1, 1, 6).translate(0, 0.5, 0);
    const size = new Vector3(FRAME_RADIUS, FRAME, FRAME_RADIUS).multiplyScalar(this.extent);
    return FRAME_COLOURS.map((color, axis) => {
      const turned = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), new Vector3().setComponent(axis, 1));
      const place = new Matrix4().compose(new Vector3(), turned, size);
      const all = this.scene.bodies.map((_, body) => ({ body, place, colour: null }));
      const copies = new Copies(shape, new MeshBasicMaterial({ color, depthTest: false, transparent: true }), all);
      copies.mesh.renderOrder = 2;
      this.root.add(copies.mesh);
      return copies;
    });
  }

  /** Returns the colour of a part. paint: colour of the part itself. */
  private colourOf(body: number, paint: string | undefined): Color {
    const palette = this.isHeld(body) ? FIXED_COLOUR : BODY_COLOURS[(body - 1 + BODY_COLOURS.length) % BODY_COLOURS.length];
    const colour = new Color(isColour(paint) ? paint : palette);
    return body === this.chosen ? colour.multiplyScalar(CHOSEN) : colour;
  }
}

const isColour = (text: string | undefined): text is string => text !== undefined && /^#[0-9a-f]{6}$/i.test(text);
/** Whether a fixed body has a colour of its own instead of the usual grey. */
const isPainted = (text: string | undefined): text is string => isColour(text) && parseInt(text.slice(1), 16) !== FIXED_COLOUR;

const turn = new Quaternion();
const [way, middle] = [new Vector3(), new Vector3()];

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

const markerBall: Triangles = { fine: new SphereGeometry(1, 12, 8), coarse: new OctahedronGeometry(1, 1) };
const markerLine: Triangles = { fine: new CylinderGeometry(1, 1, 1, 8), coarse: new CylinderGeometry(1, 1, 1, 4, 1, true) };
