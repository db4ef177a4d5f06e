// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The machine in three dimensions: one group per body, in a root that turns the model's "up" to y.

import {
  BufferGeometry,
  Color,
  CylinderGeometry,
  DoubleSide,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  PlaneGeometry,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import { POSE } from "./data";
import type { Body, Joint, Part, Quat, Scene, Vec3 } from "./data";
import { Links } from "./links";
import { PartShapes } from "./parts";
import { BODY_COLOURS, FIXED_COLOUR } from "./theme";
import type { Theme } from "./theme";

/** Of the extent: radius of the marker of a joint, length of its axis to either side. */
const MARKER = 0.008;
const AXIS = 0.055;
/** How much grey is mixed into what was drawn as a skeleton. */
const GREYER = 0.45;
/** Of the radius of the motion: half the edge of a plane that is not the ground. */
const PLANE_REACH = 1.1;
/** Planes within this of level are the ground. */
const LEVEL = 0.999;

export const quaternionOf = (q: Quat): Quaternion => new Quaternion(q[1], q[2], q[3], q[0]);
export const vectorOf = (v: Vec3): Vector3 => new Vector3(v[0], v[1], v[2]);

export class Machine {
  readonly root = new Group();
  readonly bodies: Group[] = [];
  readonly pickable: Mesh[] = []; // userData.body says whose
  /** Points about each body in its frame, three numbers each, for fitting cameras. */
  readonly outline: number[][] = [];
  readonly up: Vector3;

  private readonly links: Links;
  private readonly planes: { square: Mesh; still: boolean }[] = [];
  private readonly joints = new Group();
  private readonly markers: { marker: Group; body: number }[] = [];
  private readonly markerMaterial = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.85 });
  private readonly materials = new Map<string, MeshStandardMaterial>();
  private readonly extent: number;
  private chosen = -1;

  constructor(private readonly scene: Scene) {
    this.extent = scene.extent > 0 ? scene.extent : 1;
    this.up = vectorOf(scene.up).normalize();
    this.root.quaternion.setFromUnitVectors(this.up, new Vector3(0, 1, 0));

    const shapes = new PartShapes(this.extent, scene.bodies.length);
    scene.bodies.forEach((body, i) => {
      const group = new Group();
      const outline: number[] = [];
      for (const part of body.parts) this.addPart(group, outline, shapes, body, i, part);
      if (outline.length === 0 && body.kind !== "ground" && body.kind !== "fixed") outline.push(0, 0, 0);
      this.bodies.push(group);
      this.outline.push(outline);
      this.root.add(group);
    });
    for (const joint of scene.joints) this.addMarker(joint);
    this.links = new Links(scene.links, this.extent);
    this.root.add(this.joints, this.links.group);
  }

  setPoses(poses: Float32Array, t: number): void {
    this.bodies.forEach((group, i) => {
      const k = POSE * i;
      group.position.set(poses[k], poses[k + 1], poses[k + 2]);
      group.quaternion.set(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]);
    });
    this.links.setPoses(poses, t);
    for (const { marker, body } of this.markers) {
      marker.position.copy(this.bodies[body].position);
      marker.quaternion.copy(this.bodies[body].quaternion);
    }
  }

  /** Spreads the planes below a motion, for the poses that are set. Level ones that do not move are the ground, which is
   * drawn elsewhere: the height of the highest, null if there is none. Place and height in the page's axes. */
  layPlanes(centre: Vector3, radius: number): number | null {
    let floor: number | null = null;
    for (const { square, still } of this.planes) {
      square.scale.setScalar(PLANE_REACH * radius);
      if (!still) continue;
      const frame = square.parent!;
      frame.updateWorldMatrix(true, false);
      const normal = new Vector3(0, 0, 1).applyQuaternion(square.quaternion).transformDirection(frame.matrixWorld);
      const p = square.position.clone().applyMatrix4(frame.matrixWorld);
      if (normal.y > LEVEL) {
        floor = Math.max(floor ?? -Infinity, p.y);
        square.visible = false;
      } else {
        const below = centre.clone().addScaledVector(normal, p.clone().sub(centre).dot(normal));
        square.position.copy(frame.worldToLocal(below));
      }
    }
    return floor;
  }

  showJoints(shown: boolean): void {
    this.joints.visible = shown;
  }

  setTheme(theme: Theme): void {
    this.markerMaterial.color.set(theme === "dark" ? 0xf2f5f8 : 0x20262c);
  }

  /** Makes a body stand out; -1: none. */
  choose(body: number): void {
    if (body === this.chosen) return;
    this.chosen = body;
    for (const mesh of this.pickable) {
      const { body: of, drawn } = mesh.userData as { body: number; drawn: boolean };
      mesh.material = this.material(of, drawn, of === body);
    }
  }

  private addPart(group: Group, outline: number[], shapes: PartShapes, body: Body, i: number, part: Part): void {
    if (part.type === "line") {
      this.addLine(group, outline, part);
      return;
    }
    const shape = shapes.of(part);
    if (shape === null) {
      this.addPlane(group, body, i, part);
      return;
    }
    const mesh = new Mesh(shape, this.material(i, part.drawn === true, false));
    mesh.position.copy(vectorOf(part.p));
    mesh.quaternion.copy(quaternionOf(part.q));
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    mesh.userData = { body: i, drawn: part.drawn === true };
    group.add(mesh);
    this.pickable.push(mesh);

    // the corners of its box, in the frame of the body
    shape.computeBoundingBox();
    const { min, max } = shape.boundingBox!;
    for (let corner = 0; corner < 8; corner++) {
      const at = new Vector3(corner & 1 ? max.x : min.x, corner & 2 ? max.y : min.y, corner & 4 ? max.z : min.z);
      outline.push(...at.applyQuaternion(mesh.quaternion).add(mesh.position).toArray());
    }
  }

  private addLine(group: Group, outline: number[], part: Part & { type: "line" }): void {
    const shape = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(part.vertices, 3));
    const line = new Line(shape, new LineBasicMaterial({ color: FIXED_COLOUR }));
    line.position.copy(vectorOf(part.p));
    line.quaternion.copy(quaternionOf(part.q));
    group.add(line);
    for (let i = 0; i + 2 < part.vertices.length; i += 3) {
      const at = new Vector3(...part.vertices.slice(i, i + 3));
      outline.push(...at.applyQuaternion(line.quaternion).add(line.position).toArray());
    }
  }

  /** A square that stands for what has no end; layPlanes says how large. */
  private addPlane(group: Group, body: Body, i: number, part: Part): void {
    const material = this.material(i, false, false).clone();
    material.vertexColors = false;
    material.side = DoubleSide;
    const still = body.kind === "ground" || body.kind === "fixed";
    if (!still) Object.assign(material, { transparent: true, opacity: 0.35, depthWrite: false });
    const square = new Mesh(new PlaneGeometry(2, 2), material);
    square.position.copy(vectorOf(part.p));
    square.quaternion.copy(quaternionOf(part.q));
    square.receiveShadow = true;
    group.add(square);
    this.planes.push({ square, still });
  }

  private addMarker(joint: Joint): void {
    const marker = new Group();
    const at = vectorOf(joint.anchors[0]);
    const ball = new Mesh(markerBall, this.markerMaterial);
    ball.scale.setScalar(MARKER * this.extent);
    ball.position.copy(at);
    marker.add(ball);
    if (joint.axis !== null) {
      const line = new Mesh(markerLine, this.markerMaterial);
      line.scale.set(0.3 * MARKER * this.extent, 2 * AXIS * this.extent, 0.3 * MARKER * this.extent);
      line.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), vectorOf(joint.axis).normalize());
      line.position.copy(at);
      marker.add(line);
    }
    for (const mesh of marker.children) mesh.renderOrder = 1;
    this.markers.push({ marker, body: joint.bodies[0] });
    this.joints.add(marker);
  }

  private material(body: number, drawn: boolean, chosen: boolean): MeshStandardMaterial {
    const { kind } = this.scene.bodies[body];
    const held = kind === "ground" || kind === "fixed";
    const base = held ? FIXED_COLOUR : BODY_COLOURS[(body - 1 + BODY_COLOURS.length) % BODY_COLOURS.length];
    const key = `${base} ${drawn} ${chosen}`;
    let material = this.materials.get(key);
    if (material === undefined) {
      const colour = new Color(base);
      if (drawn) colour.lerp(new Color(FIXED_COLOUR), GREYER);
      material = new MeshStandardMaterial({ color: colour, roughness: 0.55, metalness: 0.05, vertexColors: true });
      if (chosen) material.emissive.copy(colour).multiplyScalar(0.35);
      this.materials.set(key, material);
    }
    return material;
  }
}

const markerBall = new SphereGeometry(1, 12, 8);
const markerLine = new CylinderGeometry(1, 1, 1, 8);
