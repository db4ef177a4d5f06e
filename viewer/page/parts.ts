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
  OctahedronGeometry,
  SphereGeometry,
  Vector3,
} from "three";
import { mergeVertices, toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import type { Part, Vec3 } from "./data";

/** Faces that meet at less than this angle are one smooth surface, rad. */
const CREASE = 0.6;
/** Least thickness of parts, and least radius of round ones, as a fraction of the extent of the machine, so that they are visible. */
const THINNEST = 0.008;
/** Thickness of parts without one, as a fraction of the extent. */
const NO_THICKNESS = 1e-5;
/** Brightness of every other field of balls and discs, which makes their rotation visible. */
const DARK_FIELD = 0.86;
/** Largest deviation of round parts from round, as a fraction of the extent: for fine ones, and for coarse ones if triangles are
 * expensive. It determines the number of sides. A few bodies are seen from nearer and get more sides. */
const FINE = 1.2e-4;
const COARSE = 2e-3;
/** With more bodies than this, each is smaller on the screen and may be coarser, by the square root of the ratio. */
const MANY_BODIES = 100;
const SIDES = [6, 8, 12, 16, 24, 32, 48, 64, 96, 128];
const LEAST = 8; // least number of sides of fine parts
const THIN_SIDES = 6; // sides of coarse rods of a skeleton
const FEW_BODIES = 40;
const FEW_SIDES = 32;

/** Triangles of unit size: fine, and coarse for slow drawing. */
export interface Triangles {
  fine: BufferGeometry;
  coarse: BufferGeometry;
}

/** Triangles, shared by all parts of their form, and the size of the part along its axes. */
export interface Shape {
  triangles: Triangles;
  size: Vector3;
}

type Round = Part & { type: "sphere" | "cylinder" | "capsule" };

export class PartShapes {
  private readonly known = new Map<string, Triangles>();

  constructor(
    private readonly extent: number,
    private readonly bodies: number,
  ) {}

  /** Returns the shape of a part; null for a plane, which is infinite, and for a line, which has no faces. */
  of(part: Part): Shape | null {
    switch (part.type) {
      case "plane":
      case "line":
        return null;
      case "mesh": {
        const key = JSON.stringify([part.vertices, part.faces]);
        return { triangles: this.share(key, () => alike(meshShape(part.vertices, part.faces, 2 * THINNEST * this.extent))), size: new Vector3(1, 1, 1) };
      }
      case "box":
        return { triangles: this.share("box", () => alike(fields(new BoxGeometry(), () => 1))), size: this.sizeOf(part.size, THINNEST) };
      default:
        return this.round(part);
    }
  }

  private round(part: Round): Shape {
    const r = Math.max(part.radius, THINNEST * this.extent);
    const sides = { fine: this.sidesOf(r, FINE), coarse: this.sidesOf(r, COARSE * Math.sqrt(Math.max(1, this.bodies / MANY_BODIES))) };
    const { key, make } = formOf(part, r);
    const triangles = this.share(`${key} ${sides.fine} ${sides.coarse}`, () => ({ fine: make(sides.fine), coarse: make(sides.coarse) }));
    return { triangles, size: this.sizeOf([r, r, part.type === "cylinder" ? part.length : r]) };
  }

  /** Returns the size of a part, with a least thickness, without which it would have no inside. */
  private sizeOf(edges: Vec3, thinnest = NO_THICKNESS): Vector3 {
    return new Vector3(...edges.map((edge) => Math.max(edge, thinnest * this.extent)));
  }

  /** Returns the number of sides. A circle of n sides deviates from round by r (1 - cos(pi / n)), nearly r (pi / n)^2 / 2. */
  private sidesOf(r: number, near: number): number {
    const wanted = Math.PI * Math.sqrt(r / (2 * near * this.extent));
    const least = near !== FINE ? SIDES[0] : this.bodies <= FEW_BODIES ? FEW_SIDES : LEAST;
    return SIDES.find((n) => n >= wanted && n >= least) ?? SIDES[SIDES.length - 1];
  }

  private share(key: string, make: () => Triangles): Triangles {
    let triangles = this.known.get(key);
    if (triangles === undefined) {
      triangles = make();
      this.known.set(key, triangles);
    }
    return triangles;
  }
}

const alike = (shape: BufferGeometry): Triangles => ({ fine: shape, coarse: shape });

/** Whether a part is not a shape of the model but drawn to connect the picture. */
const isMark = ({ drawn, role }: Part): boolean => drawn === true || role !== undefined;

/** Returns the key of parts of one form, independent of size, and the function that makes the form with n sides. */
function formOf(part: Round, r: number): { key: string; make: (n: number) => BufferGeometry } {
  if (part.type === "sphere") {
    if (isMark(part)) return { key: "knob", make: (n) => fields(n > LEAST ? new SphereGeometry(1, n, n / 2) : new OctahedronGeometry(1, n === LEAST ? 1 : 0), () => 1) };
    return { key: "sphere", make: (n) => fields(new SphereGeometry(1, n, n / 2), (x, y, z) => (x * y * z < 0 ? DARK_FIELD : 1)) };
  }
  if (part.type === "capsule") {
    const long = Number((part.length / r).toPrecision(6));
    return { key: `capsule ${long}`, make: (n) => fields(new CapsuleGeometry(1, long, Math.max(Math.floor(n / 4), 1), n).rotateX(Math.PI / 2), () => 1) };
  }
  const dark = part.length < 1.5 * r && !isMark(part) ? DARK_FIELD : 1;
  // the ends of thin rods are not visible
  const open = isMark(part);
  const make = (n: number): BufferGeometry => {
    const round = new CylinderGeometry(1, 1, 1, n > LEAST || !open ? n : THIN_SIDES, 1, open && n <= LEAST);
    return fields(round.rotateX(Math.PI / 2), (x, y) => (x * y < 0 ? dark : 1));
  };
  return { key: `cylinder ${dark} ${open}`, make };
}

/** Sets the brightness of each triangle of a unit shape from its middle. */
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
  flat.deleteAttribute("uv");
  // corners shared by triangles are computed once
  return mergeVertices(flat);
}

/** Returns the shape of a mesh, enlarged about its middle along axes on which it is thinner than the least thickness. */
function meshShape(vertices: number[], faces: number[], thinnest: number): BufferGeometry {
  const shape = new BufferGeometry();
  shape.setAttribute("position", new Float32BufferAttribute(vertices, 3));
  shape.setIndex(faces);
  shape.computeBoundingBox();
  const size = shape.boundingBox!.getSize(new Vector3());
  const middle = shape.boundingBox!.getCenter(new Vector3());
  const by = (edge: number): number => (edge > 0 && edge < thinnest ? thinnest / edge : 1);
  shape.translate(-middle.x, -middle.y, -middle.z).scale(by(size.x), by(size.y), by(size.z)).translate(middle.x, middle.y, middle.z);
  const creased = toCreasedNormals(shape, CREASE);
  const white = new Float32Array(3 * creased.getAttribute("position").count).fill(1);
  return creased.setAttribute("color", new BufferAttribute(white, 3));
}
