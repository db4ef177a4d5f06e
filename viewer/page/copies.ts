// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Many copies of one shape that are drawn at once: however many bodies there are, the browser is told to draw only as
// often as there are shapes.

import { BufferGeometry, Color, InstancedMesh, Material, Matrix4 } from "three";

export interface Copy {
  body: number;
  place: Matrix4; // in the frame of the body, with its size
  colour: Color | null; // null: that of the material
  paint?: string; // "#rrggbb" of its own
  isThere?(t: number): boolean; // else it is always
}

export class Copies {
  readonly mesh: InstancedMesh;

  constructor(
    private readonly shape: BufferGeometry,
    material: Material,
    readonly all: Copy[],
    readonly coarse: BufferGeometry = shape, // of fewer triangles
  ) {
    this.mesh = new InstancedMesh(shape, material, all.length);
    // where the copies are is not known before they are drawn
    this.mesh.frustumCulled = false;
    this.mesh.userData = { copies: this };
    all.forEach(({ colour }, i) => colour !== null && this.mesh.setColorAt(i, colour));
  }

  /** Frames of all bodies, at the time t. */
  place(frames: Matrix4[], t: number): void {
    const { mesh } = this;
    this.all.forEach((copy, i) => {
      const there = copy.isThere?.(t) ?? true;
      mesh.setMatrixAt(i, there ? matrix.multiplyMatrices(frames[copy.body], copy.place) : NOWHERE);
    });
    mesh.instanceMatrix.needsUpdate = true;
    mesh.boundingSphere = null; // else the mouse would look for them where they were
  }

  /** Whether of few triangles, since drawing is slow, and of what material. */
  show(coarse: boolean, material: Material): void {
    this.mesh.geometry = coarse ? this.coarse : this.shape;
    this.mesh.material = material;
  }

  colour(body: number, colourOf: (copy: Copy) => Color): void {
    const { mesh } = this;
    this.all.forEach((copy, i) => {
      if (copy.body !== body || mesh.instanceColor === null) return;
      mesh.setColorAt(i, colourOf(copy));
      mesh.instanceColor.needsUpdate = true;
    });
  }
}

const matrix = new Matrix4();
const NOWHERE = new Matrix4().makeScale(0, 0, 0);
