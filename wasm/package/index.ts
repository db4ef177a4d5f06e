// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Trammel for JavaScript: load a model, step it, read poses and columns, and the verdict on the result (docs/wasm.md).

import { cleanPath } from "./files.js";
import { Module } from "./module.js";
import type { Source } from "./module.js";

export { Session } from "./session.js";
export type { Sheet } from "./session.js";
export type { Source } from "./module.js";

/** An error or warning about a model: where, what is wrong, and what to do. */
export interface Message {
  severity: "error" | "warning";
  file: string;
  /** Line, from 1; 0: the message is not about a place in a file. */
  line: number;
  column: number;
  /** "joint 'j3'", or empty. */
  element: string;
  text: string;
}

export interface LoadOptions {
  /** Name of the model's file for messages; other files are found relative to its folder (default: "model.json"). */
  name?: string;
  /** Files that the model names: meshes, tables, included models. */
  files?: Record<string, string | Uint8Array>;
  /** Values that replace constants of the model. */
  set?: Record<string, number>;
  /** Columns to read: patterns separated by commas, "t,rod.*" (default: all that `trammel run` writes). */
  columns?: string;
  /** Options of `trammel run` with the same names; step in s, tolerance in m and rad, error in m and rad per simulated s. */
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
  /** "m", "N m"; empty: dimensionless. */
  unit: string;
}

export interface Pose {
  /** m */
  position: [number, number, number];
  /** w, x, y, z */
  attitude: [number, number, number, number];
}

/** The output of `trammel run --json` (docs/results.md). */
export interface Report {
  status: string;
  /** Whether the result so far can be trusted: good; check: examine it before relying on it; bad. */
  verdict: "good" | "check" | "bad";
  /** Reasons of the verdict, the worst first. */
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

/** Thrown for a model that cannot be simulated; messages contains all errors. */
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

  /** Name of the model. */
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

  /** Simulated time that the model requests, s. */
  get duration(): number {
    return this.opened.time ?? 0;
  }

  /** Names of the bodies, the ground first. */
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

  /** Makes one step. Returns false if the simulation cannot continue; report().status then says why. */
  step(): boolean {
    return this.call((e) => e.run_advance(this.run, NaN)) !== 0;
  }

  /** Makes steps until that time, s. Returns false as step does. */
  advance(until: number): boolean {
    if (!Number.isFinite(until)) throw new RangeError(`advance to ${until}: it must be a time in s`);
    return until <= this.time || this.call((e) => e.run_advance(this.run, until)) !== 0;
  }

  /** Returns x, y, z, qw, qx, qy, qz of every body frame, in the order of bodies. */
  poses(): Float64Array {
    return this.call((e) => this.module.numbers(e.run_poses(this.run), 7 * this.bodies.length));
  }

  pose(body: string): Pose {
    const at = this.bodies.indexOf(body);
    if (at < 0) throw new RangeError(`there is no body ${JSON.stringify(body)}`);
    const p = [...this.poses().subarray(7 * at, 7 * at + 7)];
    return { position: [p[0], p[1], p[2]], attitude: [p[3], p[4], p[5], p[6]] };
  }

  /** Returns one number per column, at the current time. */
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

  /** Verdict of the report. */
  get verdict(): Report["verdict"] {
    return this.report().verdict;
  }

  /** Releases the memory of the simulation. */
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

  /** Returns the JSON Schema of model files. */
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

  /** Returns all errors and warnings of a model without simulating it. */
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
