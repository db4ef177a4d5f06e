// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Triangles of the parts of bodies.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  Float32BufferAttribute,
  SphereGeometry,
} from "three";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import type { Part } from "./data";

/** Faces that meet at less than this angle are one smooth surface, rad. */
const CREASE = 0.6;
/** Of the extent of the machine: nothing round is drawn thinner, or it could not be seen. */
const THINNEST = 0.0035;
/** Of its radius: how thick a skeleton is drawn. */
const SKELETON = 0.8;
/** Brightness of every other field of balls and discs: without it their turning could not be seen. */
const DARK_FIELD = 0.78;
/** Many bodies get fewer triangles each. */
const FEW_BODIES = 40;
const MANY_BODIES = 300;

export class PartShapes {
  private readonly known = new Map<string, BufferGeometry>();
  private readonly segments: number;

  constructor(
    private readonly extent: number,
    bodies: number,
  ) {
    this.segments = bodies > MANY_BODIES ? 12 : bodies > FEW_BODIES ? 32 : 64;
  }

  /** Null for a plane, which has no end, and for a line, which has no faces. Equal parts share their triangles. */
  of(part: Part): BufferGeometry | null {
    if (part.type === "plane" || part.type === "line") return null;
    if (part.type === "mesh") return meshShape(part.vertices, part.faces);
    const key = JSON.stringify({ ...part, p: 0, q: 0 });
    let shape = this.known.get(key);
    if (shape === undefined) {
      shape = this.make(part);
      this.known.set(key, shape);
    }
    return shape;
  }

  private make(part: Exclude<Part, { type: "plane" | "line" | "mesh" }>): BufferGeometry {
    const n = this.segments;
    if (part.type === "box") return fields(new BoxGeometry(...part.size), () => 1);
    const r = Math.max(part.radius * (part.drawn ? SKELETON : 1), THINNEST * this.extent);
    if (part.type === "sphere") {
      const dark = part.drawn ? 1 : DARK_FIELD;
      return fields(new SphereGeometry(r, n, n / 2), (x, y, z) => (x * y * z < 0 ? dark : 1));
    }
    if (part.type === "capsule") {
      return fields(new CapsuleGeometry(r, part.length, n / 4, n).rotateX(Math.PI / 2), () => 1);
    }
    const disc = part.length < 1.5 * r && !part.drawn;
    const shape = new CylinderGeometry(r, r, part.length, n).rotateX(Math.PI / 2);
    return fields(shape, (x, y) => (disc && x * y < 0 ? DARK_FIELD : 1));
  }
}

/** Each triangle as bright as its middle says. */
function fields(shape: BufferGeometry, brightness: (x: number, y: number, z: number) => number): BufferGeometry {
  const flat = shape.index === null ? shape : shape.toNonIndexed();
  const p = flat.getAttribute("position");
  const colours = new Float32Array(3 * p.count);
  for (let i = 0; i < p.count; i += 3) {
    const sum = (get: (k: number) => number): number => get(i) + get(i + 1) + get(i + 2);
    const b = brightness(
      sum((k) => p.getX(k)),
      sum((k) => p.getY(k)),
      sum((k) => p.getZ(k)),
    );
    colours.fill(b, 3 * i, 3 * i + 9);
  }
  flat.setAttribute("color", new BufferAttribute(colours, 3));
  return flat;
}

function meshShape(vertices: number[], faces: number[]): BufferGeometry {
  const shape = new BufferGeometry();
  shape.setAttribute("position", new Float32BufferAttribute(vertices, 3));
  shape.setIndex(faces);
  return fields(toCreasedNormals(shape, CREASE), () => 1);
}
