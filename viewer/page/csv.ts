// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Frames and series as comma-separated values, in the columns of the program's results; and comparisons.

import type { Comparison, Row } from "./comparison";
import { POSE } from "./data";
import type { Frames, Scene, Series } from "./data";

const COORDINATES = ["x", "y", "z", "qw", "qx", "qy", "qz"];

export function quoted(name: string): string {
  return /[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

export function csvOf(scene: Scene, frames: Frames, series: Series[]): string {
  const moving = scene.bodies.map((body, i) => ({ body, i })).filter(({ body }) => body.kind !== "ground");
  const head = ["t"];
  for (const { body } of moving) head.push(...COORDINATES.map((c) => quoted(`${body.name}.${c}`)));
  const names = new Set(head);
  const others = series.filter((s) => !names.has(s.name));
  head.push(...others.map((s) => quoted(`${s.group}: ${s.name}${s.unit === "" ? "" : ` [${s.unit}]`}`)));

  const lines = [`# trammel ${scene.trammel}`, `# model ${scene.name}`, head.join(",")];
  for (let f = 0; f < frames.count; f++) {
    const row = [shortest(frames.times[f])];
    const poses = frames.poses(f);
    for (const { i } of moving) for (let c = 0; c < POSE; c++) row.push(shortest(poses[POSE * i + c]));
    for (const s of others) row.push(shortest(s.values[f]));
    lines.push(row.join(","));
  }
  return `${lines.join("\n")}\n`;
}

/** Returns the table of a comparison, with the keys of --json. */
export function comparedCsv({ facts }: Comparison): string {
  const { rows } = facts.compare;
  const keys = Object.keys(rows[0] ?? {}) as (keyof Row)[];
  const lines = [`# trammel ${facts.trammel}`, `# model ${facts.title}`, keys.join(",")];
  for (const row of rows) lines.push(keys.map((k) => quoted(String(row[k] ?? "nan"))).join(","));
  return `${lines.join("\n")}\n`;
}

/** Returns all curves of a comparison, run after run, including the reference. */
export function curvesCsv({ facts, kept, runs, reference }: Comparison): string {
  const head = ["run", "method", "solver", "order", "h", ...kept.columns.map((c) => quoted(c.name))];
  const lines = [`# trammel ${facts.trammel}`, `# model ${facts.title}`, head.join(",")];
  for (const run of [...(reference === null ? [] : [reference]), ...runs]) {
    const { method, solver, order, h } = run.row;
    const about = [run.isReference ? "reference" : String(runs.indexOf(run) + 1), quoted(method), quoted(solver), order, h].join(",");
    for (let i = 0; i < run.count; i++) lines.push(`${about},${run.columns.map((c) => shortest(c[i])).join(",")}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Returns a number with the digits that a float32 determines. */
export function shortest(v: number | undefined): string {
  if (v === undefined) return "nan";
  return Number.isFinite(v) ? String(Number(v.toPrecision(9))) : String(v).toLowerCase();
}
