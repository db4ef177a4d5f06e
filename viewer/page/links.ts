// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Lines between points of two bodies: distances and ropes, springs and actuators.

import { Color, CylinderGeometry, Float32BufferAttribute, InstancedMesh, Material, Matrix4, Quaternion, Vector3 } from "three";
import { isThere, POSE } from "./data";
import type { Link } from "./data";

/** Of the extent: the radius of a line. */
const THICKNESS = 0.007;
const SIDES = 8;
const COLOURS = { distance: 0x7d8894, force: 0xc98a2b };
const UP = new Vector3(0, 1, 0);

/** The point of a body's frame in the world. */
function place(poses: Float32Array, body: number, at: Vector3, out: Vector3): Vector3 {
  const k = POSE * body;
  const q = new Quaternion(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]);
  return out.copy(at).applyQuaternion(q).add(new Vector3(poses[k], poses[k + 1], poses[k + 2]));
}

export class Links {
  readonly mesh: InstancedMesh;
  private readonly ends: [Vector3, Vector3][];

  constructor(
    private readonly links: Link[],
    private readonly extent: number,
    material: Material,
  ) {
    const shape = new CylinderGeometry(1, 1, 1, SIDES);
    shape.setAttribute("color", new Float32BufferAttribute(new Array<number>(3 * shape.getAttribute("position").count).fill(1), 3));
    this.mesh = new InstancedMesh(shape, material, links.length);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
    this.mesh.visible = links.length > 0; // else its colours, which there are none of, would be missed
    this.ends = links.map(({ anchors: [a, b] }) => [new Vector3(...a), new Vector3(...b)]);
    links.forEach(({ kind }, i) => this.mesh.setColorAt(i, new Color(COLOURS[kind])));
  }

  setPoses(poses: Float32Array, t: number): void {
    const [a, b] = [new Vector3(), new Vector3()];
    const turn = new Quaternion();
    const matrix = new Matrix4();
    const r = THICKNESS * this.extent;
    this.links.forEach((link, i) => {
      place(poses, link.bodies[0], this.ends[i][0], a);
      place(poses, link.bodies[1], this.ends[i][1], b);
      const length = a.distanceTo(b);
      if (length > 0 && isThere(link, t)) {
        const middle = a.clone().add(b).multiplyScalar(0.5);
        turn.setFromUnitVectors(UP, b.sub(a).divideScalar(length));
        matrix.compose(middle, turn, new Vector3(r, length, r));
      } else {
        matrix.makeScale(0, 0, 0);
      }
      this.mesh.setMatrixAt(i, matrix);
    });
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}
