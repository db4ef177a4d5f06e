// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Lines between points of two bodies: distances and ropes, springs and actuators.

import { CylinderGeometry, Group, Mesh, MeshStandardMaterial, Quaternion, Vector3 } from "three";
import { POSE } from "./data";
import type { Link } from "./data";

/** Of the extent: the radius of a line. */
const THICKNESS = 0.004;
const COLOURS = { distance: 0x7d8894, force: 0xc98a2b };
const UP = new Vector3(0, 1, 0);

/** The point of a body's frame in the world. */
function place(poses: Float32Array, body: number, at: Vector3, out: Vector3): Vector3 {
  const k = POSE * body;
  const q = new Quaternion(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]);
  return out.copy(at).applyQuaternion(q).add(new Vector3(poses[k], poses[k + 1], poses[k + 2]));
}

/** Whether it is there at t: it goes and comes by turns. */
function isThere(changes: number[], t: number): boolean {
  return changes.filter((at) => at <= t).length % 2 === 0;
}

export class Links {
  readonly group = new Group();
  private readonly lines: { mesh: Mesh; link: Link; anchors: [Vector3, Vector3] }[] = [];

  constructor(
    links: Link[],
    private readonly extent: number,
  ) {
    const shape = new CylinderGeometry(1, 1, 1, 8);
    const materials = {
      distance: new MeshStandardMaterial({ color: COLOURS.distance, roughness: 0.6 }),
      force: new MeshStandardMaterial({ color: COLOURS.force, roughness: 0.6 }),
    };
    for (const link of links) {
      const mesh = new Mesh(shape, materials[link.kind]);
      mesh.castShadow = true;
      this.lines.push({ mesh, link, anchors: [new Vector3(...link.anchors[0]), new Vector3(...link.anchors[1])] });
      this.group.add(mesh);
    }
  }

  setPoses(poses: Float32Array, t: number): void {
    const a = new Vector3();
    const b = new Vector3();
    for (const { mesh, link, anchors } of this.lines) {
      place(poses, link.bodies[0], anchors[0], a);
      place(poses, link.bodies[1], anchors[1], b);
      const length = a.distanceTo(b);
      mesh.visible = length > 0 && isThere(link.changes, t);
      mesh.position.addVectors(a, b).multiplyScalar(0.5);
      mesh.scale.set(THICKNESS * this.extent, length, THICKNESS * this.extent);
      if (length > 0) mesh.quaternion.setFromUnitVectors(UP, b.sub(a).divideScalar(length));
    }
  }
}
