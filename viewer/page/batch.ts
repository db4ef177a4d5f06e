// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// All parts of bodies in one mesh, for browsers without a graphics card, where each draw call costs as much as hundreds of triangles, so
// that few copies of many shapes are slow. The page itself computes positions and light of the corners; the light is that of plain.ts.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh, ShaderMaterial, Vector3 } from "three";
import type { Color, DirectionalLight, HemisphereLight, Matrix4, Quaternion } from "three";
import type { Copies } from "./copies";

const vertexShader = `
attribute vec3 lit;
varying vec3 seen;
void main() {
  seen = lit;
  gl_Position = projectionMatrix * (modelViewMatrix * vec4(position, 1.0));
}`;

const fragmentShader = `
varying vec3 seen;
void main() {
  gl_FragColor = vec4(seen, 1.0);
}`;

/** A part of a body, with its corners from number first on. */
interface Piece {
  body: number;
  first: number;
  count: number;
}

export class Batch {
  readonly mesh: Mesh<BufferGeometry, ShaderMaterial>;
  private readonly pieces: Piece[] = [];
  private readonly places: Float32Array; // positions of corners in the frames of their bodies
  private readonly normals: Float32Array; // normals of corners, unit
  private readonly paints: Float32Array; // square roots of the linear colours
  private readonly positions: BufferAttribute;
  private readonly lit: BufferAttribute;
  private readonly sun = { way: new Vector3(), colour: [0, 0, 0] };
  private readonly sky = { above: [0, 0, 0], below: [0, 0, 0] };

  /** Makes the mesh of the coarse shapes of all copies. */
  constructor(private readonly all: Copies[]) {
    const corners = all.reduce((n, c) => n + c.all.length * c.coarse.getAttribute("position").count, 0);
    this.places = new Float32Array(3 * corners);
    this.normals = new Float32Array(3 * corners);
    this.paints = new Float32Array(3 * corners);
    this.positions = new BufferAttribute(new Float32Array(3 * corners), 3).setUsage(DynamicDrawUsage);
    this.lit = new BufferAttribute(new Uint8Array(4 * corners), 4, true).setUsage(DynamicDrawUsage);
    const faces: number[] = [];
    let first = 0;
    for (const copies of all) first = this.bake(copies, first, faces);
    const shape = new BufferGeometry();
    shape.setAttribute("position", this.positions);
    shape.setAttribute("lit", this.lit);
    shape.setIndex(faces);
    this.mesh = new Mesh(shape, new ShaderMaterial({ vertexShader, fragmentShader }));
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
    this.paint();
  }

  setLight(sun: DirectionalLight, sky: HemisphereLight): void {
    const scaled = (c: Color, by: number): number[] => [c.r, c.g, c.b].map((x) => (x * by) / Math.PI);
    this.sun.way.subVectors(sun.position, sun.target.position).normalize();
    this.sun.colour = scaled(sun.color, sun.intensity);
    this.sky.above = scaled(sky.color, sky.intensity);
    this.sky.below = scaled(sky.groundColor, sky.intensity);
  }

  /** Updates the colours from the copies. */
  paint(): void {
    let at = 0;
    for (const { all, coarse, mesh } of this.all) {
      const own = coarse.getAttribute("color");
      all.forEach((_, i) => {
        const paint = mesh.instanceColor?.array.subarray(3 * i, 3 * i + 3) ?? [1, 1, 1];
        for (let v = 0; v < own.count; v++) {
          this.paints[at++] = Math.sqrt(own.getX(v) * paint[0]);
          this.paints[at++] = Math.sqrt(own.getY(v) * paint[1]);
          this.paints[at++] = Math.sqrt(own.getZ(v) * paint[2]);
        }
      });
    }
  }

  /** Places the parts. frames: those of all bodies in the root, whose orientation is root. */
  place(frames: Matrix4[], root: Quaternion): void {
    const [sun, up] = [this.sun.way.clone(), new Vector3(0, 1, 0)].map((v) => v.applyQuaternion(root.clone().invert()));
    for (const piece of this.pieces) this.placePiece(piece, frames[piece.body].elements, sun, up);
    this.positions.needsUpdate = true;
    this.lit.needsUpdate = true;
  }

  private placePiece({ first, count }: Piece, m: ArrayLike<number>, sun: Vector3, up: Vector3): void {
    const { places, normals, paints } = this;
    const out = this.positions.array as Float32Array;
    const lit = this.lit.array as Uint8Array;
    const [m0, m1, m2, m4, m5, m6, m8, m9, m10, m12, m13, m14] = [m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10], m[12], m[13], m[14]];
    // directions of the light in the body's frame
    const [sx, sy, sz] = [m0 * sun.x + m1 * sun.y + m2 * sun.z, m4 * sun.x + m5 * sun.y + m6 * sun.z, m8 * sun.x + m9 * sun.y + m10 * sun.z];
    const [ux, uy, uz] = [m0 * up.x + m1 * up.y + m2 * up.z, m4 * up.x + m5 * up.y + m6 * up.z, m8 * up.x + m9 * up.y + m10 * up.z];
    const [r, g, b] = this.sun.colour;
    const [ar, ag, ab] = this.sky.above;
    const [br, bg, bb] = this.sky.below;
    for (let v = first, k = 3 * first, c = 4 * first; v < first + count; v++, k += 3, c += 4) {
      const x = places[k];
      const y = places[k + 1];
      const z = places[k + 2];
      out[k] = m0 * x + m4 * y + m8 * z + m12;
      out[k + 1] = m1 * x + m5 * y + m9 * z + m13;
      out[k + 2] = m2 * x + m6 * y + m10 * z + m14;
      const nx = normals[k];
      const ny = normals[k + 1];
      const nz = normals[k + 2];
      const towards = Math.max(nx * sx + ny * sy + nz * sz, 0);
      const high = 0.5 + 0.5 * (nx * ux + ny * uy + nz * uz);
      lit[c] = Math.min(255 * paints[k] * Math.sqrt(r * towards + br + (ar - br) * high), 255);
      lit[c + 1] = Math.min(255 * paints[k + 1] * Math.sqrt(g * towards + bg + (ag - bg) * high), 255);
      lit[c + 2] = Math.min(255 * paints[k + 2] * Math.sqrt(b * towards + bb + (ab - bb) * high), 255);
    }
  }

  /** Adds the corners of all copies, from number first on. Returns the next number. */
  private bake({ all, coarse }: Copies, first: number, faces: number[]): number {
    const [p, n] = [coarse.getAttribute("position"), coarse.getAttribute("normal")];
    const index = coarse.index?.array ?? Array.from({ length: p.count }, (_, i) => i);
    const [at, size, way] = [new Vector3(), new Vector3(), new Vector3()];
    for (const { body, place } of all) {
      this.pieces.push({ body, first, count: p.count });
      size.setFromMatrixScale(place);
      for (let v = 0; v < p.count; v++) {
        at.fromBufferAttribute(p, v).applyMatrix4(place).toArray(this.places, 3 * (first + v));
        way.fromBufferAttribute(n, v).divide(size).divide(size).transformDirection(place).toArray(this.normals, 3 * (first + v));
      }
      for (const i of index) faces.push(first + i);
      first += p.count;
    }
    return first;
  }
}
