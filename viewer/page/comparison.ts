// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The data of a comparison file (DATA.md, "Comparison file"): the table of runs, and their curves.

import { floatsOf } from "./data";
import { styleColour, theme, curveColour } from "./theme";

/** A row of the output of --json. */
export interface Row {
  method: string;
  solver: string;
  order: number;
  h: number;
  status: string;
  us_per_step: number | null;
  s_per_simulated_s: number | null;
  energy_mean_error: number | null;
  energy_max_error: number | null;
  gap_position: number | null;
  gap_angle: number | null;
  velocity_gap_position: number | null;
  velocity_gap_angle: number | null;
  error: number | null;
  observed_order: number | null;
}

type Named = Pick<Row, "method" | "solver" | "order" | "h" | "error">;

export interface Verdict {
  s_per_simulated_s: number;
  best?: Named;
  next?: Named;
}

interface Table {
  model: string | null;
  time: number;
  scheme: string;
  reference: Partial<Row> & { file?: string; left_out?: string[] };
  rows: Row[];
  in_equal_time: Verdict[];
}

export interface Facts {
  compare: Table;
  title: string;
  trammel: string;
  model: string;
  command: string;
  date: string;
}

export interface Column {
  name: string;
  unit: string;
  kind: "time" | "distance" | "energy" | "error" | "gap" | "body" | "joint";
  element?: string;
}

interface Kept {
  every: number | null; // s between rows of all runs; null: each has its own
  runs_kept: [number, number]; // number of runs with curves, number of runs
  bodies_kept: [number, number];
  joints_kept: [number, number];
  columns: Column[];
  runs: { run: number; count: number; values: string }[];
}

/** Dash patterns in pixels: lines of the smallest step are solid. */
const DASHES = [[], [7, 3], [2.5, 3], [8, 3, 2, 3]];
/** Fraction by which a colour is mixed with the background, for each longer step. */
const FADED = [0, 0.16, 0.3, 0.42];
/** Number of colours of the palette; further contestants get other hues. */
const COLOURS = 8;
const FURTHER_HUES = [100, 0, 285, 182, 70, 345, 225, 130];

/** Runs that differ only in the step. */
export class Contestant {
  readonly runs: Run[] = [];

  constructor(
    readonly name: string,
    readonly index: number, // -1: the reference
  ) {}

  get shown(): boolean {
    return this.runs.some((r) => r.shown);
  }

  get colour(): string {
    if (this.index < 0) return styleColour("--text");
    return this.index < COLOURS ? curveColour(this.index) : furtherColour(this.index);
  }
}

export class Run {
  shown = true;

  constructor(
    readonly row: Row,
    readonly contestant: Contestant,
    readonly rank: number, // rank of its step, 0 for the smallest
    readonly count: number, // number of times
    readonly columns: Float32Array[], // one value per time
  ) {
    contestant.runs.push(this);
  }

  get ok(): boolean {
    return this.row.status === "ok";
  }

  get times(): Float32Array {
    return this.columns[0] ?? new Float32Array(0);
  }

  get isReference(): boolean {
    return this.contestant.index < 0;
  }

  get colour(): string {
    return mixed(this.contestant.colour, styleColour("--panel"), FADED[Math.min(this.rank, FADED.length - 1)]);
  }

  get dash(): number[] {
    return DASHES[Math.min(this.rank, DASHES.length - 1)];
  }
}

export interface Comparison {
  facts: Facts;
  kept: Omit<Kept, "runs">;
  runs: Run[]; // in the order of the table
  reference: Run | null; // null: the reference is not a run
  contestants: Contestant[];
  steps: number[]; // the smallest first
}

export function nameOf({ method, solver, order }: { method: string; solver: string; order: number }): string {
  return `${method} ${solver}, order ${order}`;
}

/** Returns the data in this file, or a sentence if there are none that can be shown. */
export function readComparison(): Comparison | string {
  const text = (id: string): string | null => document.getElementById(id)?.textContent ?? null;
  const [facts, curves] = [text("facts"), text("curves")];
  if (facts === null || curves === null) {
    return "This page holds no comparison. The command “trammel compare MODEL --report out.html” writes one that does.";
  }
  try {
    return sorted(JSON.parse(facts) as Facts, JSON.parse(curves) as Kept);
  } catch (error) {
    return `The comparison in this file cannot be read: ${(error as Error).message}.`;
  }
}

function sorted(facts: Facts, kept: Kept): Comparison {
  const { rows, reference: by } = facts.compare;
  const steps = [...new Set(rows.map((r) => r.h))].sort((a, b) => a - b);
  const contestants = new Map<string, Contestant>();
  const make = (row: Row, contestant: Contestant, index: number): Run => {
    const curve = kept.runs.find((r) => r.run === index);
    const columns = curve === undefined ? [] : apart(floatsOf(curve.values), curve.count, kept.columns.length);
    return new Run(row, contestant, Math.max(steps.indexOf(row.h), 0), curve?.count ?? 0, columns);
  };
  const runs = rows.map((row, i) => {
    const name = nameOf(row);
    const contestant = contestants.get(name) ?? new Contestant(name, contestants.size);
    contestants.set(name, contestant);
    return make(row, contestant, i);
  });
  const reference = by.file === undefined ? make(by as Row, new Contestant(`reference: ${nameOf(by as Row)}`, -1), -1) : null;
  return { facts, kept, runs, reference, contestants: [...contestants.values()], steps };
}

/** Converts rows of numbers to columns. */
function apart(values: Float32Array, rows: number, columns: number): Float32Array[] {
  return Array.from({ length: columns }, (_, c) => {
    const column = new Float32Array(rows);
    for (let r = 0; r < rows; r++) column[r] = values[r * columns + c];
    return column;
  });
}

// ---- Colours -----------------------------------------------------------------------------------

/** Returns a colour beyond the palette, darker with each round of hues. */
function furtherColour(i: number): string {
  const hue = FURTHER_HUES[i % FURTHER_HUES.length];
  const round = Math.floor(i / COLOURS) - 1;
  const [s, l] = theme() === "dark" ? [0.6, 0.66 - 0.1 * (round % 3)] : [0.65, 0.4 - 0.1 * (round % 3)];
  const a = s * Math.min(l, 1 - l);
  const part = (n: number): number => {
    const k = (n + hue / 30) % 12;
    return 255 * (l - a * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  };
  return hex([part(0), part(8), part(4)]);
}

const hex = (rgb: number[]): string => `#${rgb.map((v) => Math.round(v).toString(16).padStart(2, "0")).join("")}`;
const rgbOf = (colour: string): number[] => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));

function mixed(a: string, b: string, share: number): string {
  const [x, y] = [rgbOf(a), rgbOf(b)];
  return hex(x.map((v, i) => v + share * (y[i] - v)));
}
