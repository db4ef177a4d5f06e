// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// A frame from the program (DATA.md, "Live"): a head of eight numbers, then float32 of several kinds, then rows of curves.

import { POSE } from "./data";

/** Bytes: six uint32 and a float64. */
const HEAD = 32;
/** Numbers per contact and per grip. */
export const CONTACT = 6;
export const GRIP = 10;

export interface Frame {
  scene: number;
  number: number;
  t: number; // s
  poses: Float32Array;
  joints: Float32Array; // 1: it is attached
  links: Float32Array; // 1: it is there
  rows: Row[]; // rows of curves since the last frame of this page
  reactions: Float32Array; // x, y, z of the force on the second body of each joint, N
  contacts: Float32Array; // point, then the force on the second body, N
  grips: Float32Array; // body, point, target, force
}

/** One value of each series. */
export interface Row {
  t: number; // s
  values: Float32Array;
}

/** Numbers of objects in the scene. */
export interface Sizes {
  bodies: number;
  joints: number;
  links: number;
  series: number;
}

/** Returns the number of a frame and of its scene, even if the rest is invalid. */
export function readHead(bytes: ArrayBuffer): { scene: number; number: number } | null {
  if (bytes.byteLength < HEAD) return null;
  const view = new DataView(bytes);
  return { scene: view.getUint32(0, true), number: view.getUint32(4, true) };
}

/** Reads a frame with a valid head. Returns a sentence if it is invalid. */
export function readFrame(bytes: ArrayBuffer, sizes: Sizes): Frame | string {
  const head = readHead(bytes)!;
  const view = new DataView(bytes);
  const [reactions, contacts, grips, rows] = [8, 12, 16, 20].map((at) => view.getUint32(at, true));
  if (reactions !== 0 && reactions !== sizes.joints) return "a frame has reactions of some joints only";
  const lengths = [POSE * sizes.bodies, sizes.joints, sizes.links, 3 * reactions, CONTACT * contacts, GRIP * grips];
  const rowsAt = HEAD + 4 * lengths.reduce((a, b) => a + b);
  const length = rowsAt + rows * (8 + 4 * sizes.series);
  if (bytes.byteLength !== length) return `a frame has ${bytes.byteLength} bytes in place of ${length}`;

  let from = HEAD;
  const parts = lengths.map((n) => {
    const part = new Float32Array(bytes, from, n);
    from += 4 * n;
    return part;
  });
  return {
    ...head,
    t: view.getFloat64(24, true),
    poses: parts[0],
    joints: parts[1],
    links: parts[2],
    rows: readRows(view, rowsAt, rows, sizes.series),
    reactions: parts[3],
    contacts: parts[4],
    grips: parts[5],
  };
}

function readRows(view: DataView, from: number, count: number, series: number): Row[] {
  return Array.from({ length: count }, (_, i) => {
    const at = from + i * (8 + 4 * series);
    return { t: view.getFloat64(at, true), values: new Float32Array(view.buffer, at + 8, series) };
  });
}
