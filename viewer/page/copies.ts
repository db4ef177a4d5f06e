// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Many copies of one shape in one draw call: the number of draw calls depends on the number of shapes, not of bodies.

import { BufferGeometry, Color, InstancedMesh, Material, Matrix4 } from "three";

export interface Copy {
  body: number;
  place: Matrix4; // in the frame of the body, with its size
  colour: Color | null; // null: that of the material
  paint?: string; // "#rrggbb" own colour
  isThere?(t: number): boolean; // missing: it is always there
}

export class Copies {
  readonly mesh: InstancedMesh;

  constructor(
    private readonly shape: BufferGeometry,
    material: Material,
    readonly all: Copy[],
    readonly coarse: BufferGeometry = shape, // shape with fewer triangles
  ) {
    this.mesh = new InstancedMesh(shape, material, all.length);
    // positions of the copies are not known before they are drawn
    this.mesh.frustumCulled = false;
    this.mesh.userData = { copies: this };
    all.forEach(({ colour }, i) => colour !== null && this.mesh.setColorAt(i, colour));
  }

  /** Places the copies. frames: those of all bodies, at the time t. */
  place(frames: Matrix4[], t: number): void {
    const { mesh } = this;
    this.all.forEach((copy, i) => {
      const there = copy.isThere?.(t) ?? true;
      mesh.setMatrixAt(i, there ? matrix.multiplyMatrices(frames[copy.body], copy.place) : NOWHERE);
    });
    mesh.instanceMatrix.needsUpdate = true;
    mesh.boundingSphere = null; // otherwise the mouse would find them at their old places
  }

  /** Selects the shape, coarse if drawing is slow, and the material. */
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
