// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// A helix of wire of radius 1 and length 1 along z. Copies of it are scaled by (R, R, L); so that the wire stays round for any L, the
// offset of a point along z from the middle of the wire is a separate attribute, in radii, which the shader adds (COIL_SHIFT).

import { BufferGeometry, Float32BufferAttribute } from "three";

const PER_TURN = 16;
const SIDES = 7;
/** Radius of the wire, as a fraction of that of the coil. */
const WIRE = 0.2;
/** Length of the transition from the axis to the coil, as a fraction of the length. */
const END = 0.07;

/** Code for vertex shaders with instanceMatrix: computes the position and the normal of a point. */
export const COIL_SHIFT = "transformed.z += wire * length(instanceMatrix[0].xyz) / max(length(instanceMatrix[2].xyz), 1e-9);";
export const COIL_NORMAL = "objectNormal *= vec3(length(instanceMatrix[0].xyz), length(instanceMatrix[1].xyz), length(instanceMatrix[2].xyz));";

export function coilGeometry(turns: number): BufferGeometry {
  const rings = turns * PER_TURN;
  const [positions, normals, wire, colours, faces]: number[][] = [[], [], [], [], []];
  for (let i = 0; i <= rings; i++) {
    const s = i / rings;
    const near = Math.min(Math.min(s, 1 - s) / END, 1);
    const r = near * near * (3 - 2 * near);
    const [c, d] = [Math.cos(2 * Math.PI * turns * s), Math.sin(2 * Math.PI * turns * s)];
    for (let k = 0; k < SIDES; k++) {
      const around = (2 * Math.PI * k) / SIDES;
      const [out, up] = [Math.cos(around), Math.sin(around)];
      positions.push((r + WIRE * out) * c, (r + WIRE * out) * d, s - 0.5);
      normals.push(out * c, out * d, up);
      wire.push(WIRE * up);
      colours.push(1, 1, 1);
      if (i === rings) continue;
      const [low, next] = [i * SIDES + k, i * SIDES + ((k + 1) % SIDES)];
      faces.push(low, low + SIDES, next, next, low + SIDES, next + SIDES);
    }
  }
  const shape = new BufferGeometry();
  shape.setAttribute("position", new Float32BufferAttribute(positions, 3));
  shape.setAttribute("normal", new Float32BufferAttribute(normals, 3));
  shape.setAttribute("color", new Float32BufferAttribute(colours, 3));
  shape.setAttribute("wire", new Float32BufferAttribute(wire, 1));
  shape.setIndex(faces);
  return shape;
}
