// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The data of the page (DATA.md): the scene, its frames, its series, and the facts of the run. Lengths in m, angles in rad, quaternions w
// first.

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];

interface Placed {
  p: Vec3;
  q: Quat;
  drawn?: boolean; // part of a skeleton, not a shape of the model
  color?: string; // "#rrggbb"; else one of the palette
  role?: "pin" | "motor"; // a joint or an anchor; an element that acts on a joint
}

export type Part = Placed &
  (
    | { type: "sphere"; radius: number }
    | { type: "box"; size: Vec3 }
    | { type: "cylinder" | "capsule"; radius: number; length: number }
    | { type: "plane" }
    | { type: "line"; vertices: number[] }
    | { type: "mesh"; vertices: number[]; faces: number[] }
  );

export interface Body {
  name: string;
  kind: "rigid" | "point" | "fixed" | "moving" | "ground";
  mass: number;
  com?: Vec3; // centre of mass, in its frame
  parts: Part[];
}

/** An object between points of two bodies, which may come and go. */
interface Between {
  name: string;
  bodies: [number, number];
  anchors: [Vec3, Vec3];
  changes: number[]; // times at which it goes and comes, alternately
  there?: boolean; // live: whether it is there now
}

export interface Joint extends Between {
  type: string;
  at: 0 | 1; // body at whose anchor it is marked
  axis: Vec3 | null;
}

export type LinkKind = "rod" | "rope" | "spring" | "damper" | "actuator";

export interface Link extends Between {
  kind: LinkKind;
  color?: string; // "#rrggbb"
  radius?: number; // m: radius of a line, a coil, a barrel
  length?: number; // m: length of a taut rope, rest length of a spring
  damped?: boolean; // a spring with a damper inside
}

export function isThere({ changes, there }: Between, t: number): boolean {
  return there ?? changes.filter((at) => at <= t).length % 2 === 0;
}

export interface Scene {
  trammel: string;
  name: string;
  up: Vec3;
  gravity: Vec3;
  centre: Vec3;
  extent: number;
  bodies: Body[];
  joints: Joint[];
  links: Link[];
}

const LINK_KINDS: LinkKind[] = ["rod", "rope", "spring", "damper", "actuator"];

/** Adds optional data that are missing. */
export function completeScene(scene: Scene): void {
  scene.joints ??= [];
  scene.links ??= [];
  for (const it of [...scene.joints, ...scene.links]) it.changes ??= [];
  for (const joint of scene.joints) joint.at ??= 0;
  for (const link of scene.links) if (!LINK_KINDS.includes(link.kind)) link.kind = "rod";
}

export interface Series {
  name: string;
  unit: string;
  group: string;
  log: boolean;
  values: Float32Array; // one per frame
}

export interface Facts {
  report?: Record<string, unknown>;
  model?: string;
  command?: string;
  date?: string;
  columns?: string[];
  every?: number;
}

/** Numbers per body in a pose: x, y, z, qw, qx, qy, qz. */
export const POSE = 7;

/** Frames, one after another: t, then the pose of each body. */
export class Frames {
  readonly count: number;
  readonly times: Float32Array;
  private readonly stride: number;
  private last = 0; // where the previous search ended

  constructor(
    private readonly data: Float32Array,
    readonly bodies: number,
  ) {
    this.stride = 1 + POSE * bodies;
    this.count = Math.floor(data.length / this.stride);
    this.times = new Float32Array(this.count);
    for (let i = 0; i < this.count; i++) this.times[i] = data[i * this.stride];
  }

  get start(): number {
    return this.count > 0 ? this.times[0] : 0;
  }

  get end(): number {
    return this.count > 0 ? this.times[this.count - 1] : 0;
  }

  /** Returns all poses of frame i, without copying. */
  poses(i: number): Float32Array {
    return this.data.subarray(i * this.stride + 1, (i + 1) * this.stride);
  }

  /** Returns the last frame that is not after t. */
  before(t: number): number {
    const { times, count } = this;
    let low = 0;
    let high = count - 1;
    if (this.last < count && times[this.last] <= t) low = this.last;
    if (low + 1 < count && times[low + 1] > t) high = low;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= t) low = middle;
      else high = middle - 1;
    }
    this.last = low;
    return low;
  }

  /** Returns the frame nearest to t. */
  nearest(t: number): number {
    const i = this.before(t);
    const j = Math.min(i + 1, this.count - 1);
    return t - this.times[i] > this.times[j] - t ? j : i;
  }

  /** Writes the poses at t to out, interpolated between two frames: positions linearly, orientations along the arc. */
  posesAt(t: number, out: Float32Array): void {
    if (this.count === 0) return;
    const i = this.before(t);
    const j = Math.min(i + 1, this.count - 1);
    const span = this.times[j] - this.times[i];
    const s = span > 0 ? Math.min(Math.max((t - this.times[i]) / span, 0), 1) : 0;
    posesBetween(this.poses(i), this.poses(j), s, out);
  }
}

/** Interpolates between the poses a and b at the fraction s: positions linearly, orientations along the arc. */
export function posesBetween(a: Float32Array, b: Float32Array, s: number, out: Float32Array): void {
  for (let k = 0; k < a.length; k += POSE) {
    for (let c = 0; c < 3; c++) out[k + c] = a[k + c] + s * (b[k + c] - a[k + c]);
    slerp(a, b, k + 3, s, out);
  }
}

/** Interpolates the quaternions at index k between a and b, at the fraction s of the rotation. */
function slerp(a: Float32Array, b: Float32Array, k: number, s: number, out: Float32Array): void {
  let dot = 0;
  for (let c = k; c < k + 4; c++) dot += a[c] * b[c];
  const sign = dot < 0 ? -1 : 1; // q and -q are the same orientation: take the shorter arc
  const angle = Math.acos(Math.min(Math.abs(dot), 1));
  const small = angle < 1e-4;
  const wa = small ? 1 - s : Math.sin((1 - s) * angle) / Math.sin(angle);
  const wb = sign * (small ? s : Math.sin(s * angle) / Math.sin(angle));
  for (let c = k; c < k + 4; c++) out[c] = wa * a[c] + wb * b[c];
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export function floatsOf(base64: string): Float32Array {
  const bytes = bytesOf(base64);
  return new Float32Array(bytes.buffer, 0, bytes.length >> 2);
}

/** Expands short frames: t and positions as float32, quaternions as four int16, 32767 times their components. */
function expand(bytes: Uint8Array<ArrayBuffer>, bodies: number): Float32Array {
  const view = new DataView(bytes.buffer);
  const frames = Math.floor(bytes.length / (4 + 20 * bodies));
  const out = new Float32Array(frames * (1 + POSE * bodies));
  let from = 0;
  let to = 0;
  for (let f = 0; f < frames; f++) {
    out[to++] = view.getFloat32(from, true);
    from += 4;
    for (let b = 0; b < bodies; b++) {
      for (let k = 0; k < 3; k++, from += 4) out[to++] = view.getFloat32(from, true);
      for (let k = 0; k < 4; k++, from += 2) out[to++] = view.getInt16(from, true) / 32767;
    }
  }
  return out;
}

function textOf(id: string): string | null {
  return document.getElementById(id)?.textContent ?? null;
}

export interface Report {
  scene: Scene;
  frames: Frames;
  series: Series[];
  facts: Facts;
  troubles: string[]; // sentences
}

/** Returns the data in this file, or a sentence if there are none that can be shown. */
export function readReport(): Report | string {
  const sceneText = textOf("scene");
  if (sceneText === null) {
    return "This page holds no run. The command “trammel run MODEL --report out.html” writes one that does.";
  }
  let scene: Scene;
  try {
    scene = JSON.parse(sceneText) as Scene;
  } catch (error) {
    return `The scene in this file cannot be read: ${(error as Error).message}.`;
  }
  if (!Array.isArray(scene.bodies) || scene.bodies.length === 0) return "The scene in this file has no bodies.";
  completeScene(scene);

  const troubles: string[] = [];
  const attempt = <T>(what: string, otherwise: T, read: () => T): T => {
    try {
      return read();
    } catch (error) {
      troubles.push(`The ${what} in this file cannot be read: ${(error as Error).message}.`);
      return otherwise;
    }
  };
  const frames = attempt("motion", new Frames(new Float32Array(0), scene.bodies.length), () => {
    const text = textOf("frames");
    if (text === null) throw new Error("it is missing");
    const short = document.getElementById("frames")?.dataset.form === "short";
    const numbers = short ? expand(bytesOf(text), scene.bodies.length) : floatsOf(text);
    const read = new Frames(numbers, scene.bodies.length);
    if (read.count === 0) throw new Error("there is no frame");
    return read;
  });
  const series = attempt<Series[]>("curves", [], () => {
    const list = JSON.parse(textOf("series") ?? "[]") as (Omit<Series, "values"> & { values: string })[];
    return list.map((s) => ({ ...s, values: floatsOf(s.values) }));
  });
  const facts = attempt<Facts>("facts of the run", {}, () => JSON.parse(textOf("facts") ?? "{}") as Facts);
  return { scene, frames, series, facts, troubles };
}
