// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Trammel for JavaScript: load a model, step it, read poses and columns, and ask whether the result can be trusted (docs/wasm.md).

import { cleanPath } from "./files.js";
import { Module } from "./module.js";
import type { Source } from "./module.js";

export { Session } from "./session.js";
export type { Sheet } from "./session.js";
export type { Source } from "./module.js";

/** What is wrong with a model, or remarkable: where, what, and what would be right. */
export interface Message {
  severity: "error" | "warning";
  file: string;
  /** From 1; 0: not from a place in a file. */
  line: number;
  column: number;
  /** "joint 'j3'", or empty. */
  element: string;
  text: string;
}

export interface LoadOptions {
  /** The name of the model's file, which messages use and by whose folder other files are found (default: "model.json"). */
  name?: string;
  /** Files that the model names: meshes, tables, included models. */
  files?: Record<string, string | Uint8Array>;
  /** Values of constants of the model. */
  set?: Record<string, number>;
  /** Columns to read: patterns separated by commas, "t,rod.*" (default: all that `trammel run` writes). */
  columns?: string;
  /** As the options of `trammel run` of these names; step in s, tolerance in m and rad, error in m and rad per simulated s. */
  method?: string;
  solver?: string;
  scheme?: string;
  impact?: string;
  sleep?: string;
  start?: string;
  order?: number;
  step?: number;
  tolerance?: number;
  error?: number;
}

export interface Column {
  name: string;
  /** "m", "N m"; empty: a pure number. */
  unit: string;
}

export interface Pose {
  /** m */
  position: [number, number, number];
  /** w, x, y, z */
  attitude: [number, number, number, number];
}

/** What `trammel run --json` prints (docs/results.md). */
export interface Report {
  status: string;
  /** Whether the result so far can be trusted: good; check, before it is relied on; bad. */
  verdict: "good" | "check" | "bad";
  /** Of the verdict, the worst first. */
  reasons: string[];
  [key: string]: unknown;
}

interface Opened {
  why: string;
  messages: Message[];
  name?: string;
  method?: string;
  step?: number;
  time?: number;
  bodies?: string[];
  columns?: Column[];
}

/** A model that cannot be simulated; messages say why, all at once. */
export class ModelError extends Error {
  constructor(readonly messages: Message[], why: string) {
    const errors = messages.filter((m) => m.severity === "error");
    const first = errors[0];
    const place = first === undefined || first.line === 0 ? "" : `${first.file}:${first.line}:${first.column}: `;
    const what = first === undefined ? why : `${place}${first.element === "" ? "" : `${first.element}: `}${first.text}`;
    super(errors.length > 1 ? `${what} (and ${errors.length - 1} more)` : what);
    this.name = "ModelError";
  }
}

const OPTIONS = ["method", "solver", "scheme", "impact", "sleep", "start", "order", "step", "tolerance", "error", "columns"] as const;

function optionLines(options: LoadOptions): string {
  const lines = OPTIONS.filter((name) => options[name] !== undefined).map((name) => `${name}=${options[name]}`);
  for (const [name, value] of Object.entries(options.set ?? {})) lines.push(`set.${name}=${value}`);
  if (lines.some((line) => /[\n\0]/.test(line))) throw new TypeError("an option holds a line break");
  return lines.join("\n");
}

export class Simulation {
  private closed = false;

  /** @internal */
  constructor(
    private readonly module: Module,
    private readonly run: number,
    private readonly opened: Opened,
  ) {}

  /** Of the model. */
  get name(): string {
    return this.opened.name ?? "";
  }

  get method(): string {
    return this.opened.method ?? "";
  }

  /** s */
  get stepLength(): number {
    return this.opened.step ?? 0;
  }

  /** How long the model wants to be simulated, s. */
  get duration(): number {
    return this.opened.time ?? 0;
  }

  /** Names, the ground first. */
  get bodies(): readonly string[] {
    return this.opened.bodies ?? [];
  }

  get columns(): readonly Column[] {
    return this.opened.columns ?? [];
  }

  /** Warnings about the model. */
  get messages(): readonly Message[] {
    return this.opened.messages;
  }

  /** Simulated time, s. */
  get time(): number {
    return this.call((e) => e.run_time(this.run));
  }

  /** One step. False: the simulation cannot continue; report().status says why. */
  step(): boolean {
    return this.call((e) => e.run_advance(this.run, NaN)) !== 0;
  }

  /** Steps until that time, s. False: as of step. */
  advance(until: number): boolean {
    if (!Number.isFinite(until)) throw new RangeError(`advance to ${until}: it must be a time in s`);
    return until <= this.time || this.call((e) => e.run_advance(this.run, until)) !== 0;
  }

  /** x, y, z, qw, qx, qy, qz of every body's frame, in the order of bodies. */
  poses(): Float64Array {
    return this.call((e) => this.module.numbers(e.run_poses(this.run), 7 * this.bodies.length));
  }

  pose(body: string): Pose {
    const at = this.bodies.indexOf(body);
    if (at < 0) throw new RangeError(`there is no body ${JSON.stringify(body)}`);
    const p = [...this.poses().subarray(7 * at, 7 * at + 7)];
    return { position: [p[0], p[1], p[2]], attitude: [p[3], p[4], p[5], p[6]] };
  }

  /** One number per column, at the current time. */
  values(): Float64Array {
    return this.call((e) => this.module.numbers(e.run_values(this.run), this.columns.length));
  }

  value(column: string): number {
    const at = this.columns.findIndex((c) => c.name === column);
    if (at < 0) throw new RangeError(`there is no column ${JSON.stringify(column)}`);
    return this.values()[at];
  }

  report(): Report {
    this.call((e) => e.run_report(this.run));
    return JSON.parse(this.module.answerText()) as Report;
  }

  /** That of the report. */
  get verdict(): Report["verdict"] {
    return this.report().verdict;
  }

  /** Gives its memory back. */
  close(): void {
    if (!this.closed) this.call((e) => e.run_close(this.run));
    this.closed = true;
  }

  private call<T>(act: (exports: Module["exports"]) => T): T {
    if (this.closed) throw new Error("the simulation is closed");
    return this.module.call(act);
  }
}

export class Trammel {
  private constructor(
    /** @internal */
    readonly module: Module,
  ) {}

  /** Loads the code; by default trammel.wasm next to this file. */
  static async create(source: Source = new URL("./trammel.wasm", import.meta.url)): Promise<Trammel> {
    return new Trammel(await Module.load(source));
  }

  get version(): string {
    this.module.call((e) => e.version());
    return this.module.answerText();
  }

  /** The JSON Schema of model files. */
  schema(): object {
    this.module.call((e) => e.schema());
    return JSON.parse(this.module.answerText()) as object;
  }

  /** Reads a model: Trammel's JSON, URDF, MJCF or SDF, by its content. Throws a ModelError if it cannot be simulated. */
  load(text: string, options: LoadOptions = {}): Simulation {
    const [run, opened] = this.open(text, options);
    if (run === 0) throw new ModelError(opened.messages, opened.why);
    return new Simulation(this.module, run, opened);
  }

  /** All errors and warnings of a model, without simulating it. */
  check(text: string, options: LoadOptions = {}): Message[] {
    const [run, { messages, why }] = this.open(text, options);
    if (run !== 0) this.module.call((e) => e.run_close(run));
    else if (!messages.some((m) => m.severity === "error"))
      messages.push({ severity: "error", file: options.name ?? "model.json", line: 0, column: 0, element: "", text: why });
    return messages;
  }

  private open(text: string, options: LoadOptions): [number, Opened] {
    const name = cleanPath(options.name ?? "model.json");
    this.module.files.clear();
    for (const [path, content] of Object.entries(options.files ?? {})) this.module.files.set(path, content);
    this.module.files.set(name, text);
    const run = this.module.with([name, optionLines(options)], (e, path, lines) => e.run_open(path, lines));
    return [run, JSON.parse(this.module.answerText()) as Opened];
  }
}
