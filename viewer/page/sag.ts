// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// How deep a slack rope hangs: the parabola p(s) = a + s (b - a) + 4 d s (1 - s) down, s from 0 to 1, of the rope's length.

import { Vector3 } from "three";

const PIECES = 16;
const ROUNDS = 24;

/** Returns the length of the parabola of depth d, by straight pieces. */
function lengthOf(way: Vector3, down: Vector3, deep: number): number {
  let [x, y, z, sum] = [0, 0, 0, 0];
  for (let i = 1; i <= PIECES; i++) {
    const s = i / PIECES;
    const low = 4 * deep * s * (1 - s);
    const [nx, ny, nz] = [s * way.x + low * down.x, s * way.y + low * down.y, s * way.z + low * down.z];
    sum += Math.hypot(nx - x, ny - y, nz - z);
    [x, y, z] = [nx, ny, nz];
  }
  return sum;
}

/** Returns the depth d, m, of a rope of this length between a and b. down: unit vector. */
export function sagOf(a: Vector3, b: Vector3, down: Vector3, length: number): number {
  const way = new Vector3().subVectors(b, a);
  let [low, high] = [0, length]; // a deep parabola is longer than twice its depth
  for (let i = 0; i < ROUNDS; i++) {
    const middle = (low + high) / 2;
    if (lengthOf(way, down, middle) < length) low = middle;
    else high = middle;
  }
  return low;
}
