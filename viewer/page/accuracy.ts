// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The report of a run (docs/results.md, "The report") as a table with plain names and units, and its headlines.

import { make } from "./dom";
import { format } from "./number";

type Record_ = Record<string, unknown>;

/** Key, plain name, unit, and for some the key of the joint that had it. A key with a dot is a member of an object. */
type Row = [string, string, string, string?];

const TABLE: [string, Row[]][] = [
  [
    "Energy",
    [
      ["energy.max_error", "Largest error |E − E₀ − W|", "J"],
      ["energy.mean_error", "Mean error", "J"],
      ["energy.start", "At the start, E₀", "J"],
      ["energy.end", "At the end, E", "J"],
      ["energy.work", "Work, W", "J"],
      ["energy.scale", "Energy that the machine exchanges", "J"],
      ["energy.expected_error", "Error that the order of the steps explains", "J"],
      ["drift.position", "Errors of the steps in positions, added up", "m"],
      ["drift.angle", "Errors of the steps in angles, added up", "rad"],
    ],
  ],
  [
    "Work by what does it",
    [
      ["works.input", "Put in by forces, drives and moving bodies", "J"],
      ["works.friction", "Friction in joints", "J"],
      ["works.damping", "Dampers and drag", "J"],
      ["works.impact", "Impacts", "J"],
      ["works.contact", "Contacts", "J"],
    ],
  ],
  [
    "Joints",
    [
      ["gap.position", "Largest gap", "m", "gap.joint"],
      ["gap.angle", "Largest gap of angles", "rad"],
      ["velocity_gap.value", "Fastest opening", "m/s or rad/s", "velocity_gap.joint"],
      ["tolerance.position", "Tolerance of positions", "m"],
      ["tolerance.angle", "Tolerance of angles", "rad"],
      ["tolerance.velocity", "Tolerance of velocities", "m/s and rad/s"],
      ["tolerance.note", "Why joints are kept closer than requested", ""],
    ],
  ],
  [
    "Momentum",
    [
      ["momentum.linear_error", "Largest change beyond gravity", "kg m/s"],
      ["momentum.angular_error", "Largest change, angular", "kg m²/s"],
    ],
  ],
  [
    "Start",
    [
      ["assembly.position", "Moved to fit at the start", "m"],
      ["assembly.angle", "Turned to fit at the start", "rad"],
      ["assembly.speed", "Speeds changed to fit", "m/s"],
      ["assembly.angular_speed", "Angular speeds changed to fit", "rad/s"],
    ],
  ],
  [
    "Run",
    [
      ["status", "Status", ""],
      ["method", "Method", ""],
      ["choice.text", "Chosen by auto", ""],
      ["choice.error", "Error it was chosen for, per second", "m, rad"],
      ["solver", "Solver", ""],
      ["order", "Order", ""],
      ["scheme", "Scheme for orders above 2", ""],
      ["step", "Step", "s"],
      ["error", "Requested error per second", ""],
      ["time", "Simulated", "s"],
      ["wall_s", "On the wall", "s"],
      ["realtime_factor", "Times real time", ""],
    ],
  ],
  [
    "Work",
    [
      ["steps", "Steps", ""],
      ["halvings", "Halvings of the step", ""],
      ["rejections", "Steps recomputed, shorter", ""],
      ["checks", "Joints checked", ""],
      ["corrections", "Impulses that close joints", ""],
      ["rounds", "Rounds over all joints", ""],
      ["newton", "Rounds of the direct solver", ""],
      ["factorisations", "Factorised matrices", ""],
      ["evaluations", "Evaluated accelerations", ""],
      ["switches", "Switches of coordinates", ""],
      ["impacts", "Impacts", ""],
      ["contacts", "Contacts, summed over steps", ""],
      ["dissipative", "Steps replaced by dissipative ones", ""],
      ["plain", "Steps of order 2 where contacts changed", ""],
      ["guarded", "Impacts with reduced restitution", ""],
      ["in_body", "Look-aheads in body coordinates", ""],
      ["jams", "Steps with too little friction to jam", ""],
      ["asleep", "Bodies asleep at the end", ""],
      ["dropped_rows", "Rows left out, which others imply", ""],
      ["events", "Events", ""],
      ["options", "Options of the method", ""],
    ],
  ],
];
/** Headings below which rows with value 0 are omitted. */
const COUNTED = new Set(["Work", "Work by what does it", "Start"]);
/** Values shown with many digits, because their differences matter. */
const PRECISE = new Set(["energy.start", "energy.end"]);
/** Keys that are shown elsewhere on the page. */
const ELSEWHERE = new Set(["model", "verdict", "reasons"]);
/** Objects all of whose keys are in the table. */
const OBJECTS = new Set(["energy", "works", "gains", "gap", "velocity_gap", "momentum", "assembly", "tolerance", "drift", "choice"]);

export function valueOf(report: Record_, key: string): unknown {
  return key.split(".").reduce<unknown>((o, k) => (typeof o === "object" && o !== null ? (o as Record_)[k] : undefined), report);
}

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === 0 || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value as object).length === 0;
}

function textOf(value: unknown, digits: number): string {
  if (typeof value === "number") return format(value, digits);
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map((v) => textOf(v, digits)).join("; ");
  return JSON.stringify(value);
}

/** Returns whether a value is shown. A zero is, except for counts and changes, where it means that there were none. */
function matters(heading: string, value: unknown): boolean {
  return COUNTED.has(heading) || typeof value !== "number" ? !isNothing(value) : true;
}

export function makeTable(report: Record_): HTMLElement {
  const table = make("table");
  const known = new Set(TABLE.flatMap(([, rows]) => rows.map(([key]) => key.split(".")[0])));
  const unknown = Object.keys(report).filter((k) => !known.has(k) && !ELSEWHERE.has(k) && !OBJECTS.has(k));
  const rest: [string, Row[]] = ["Other", unknown.map((k) => [k, k.replaceAll("_", " "), ""])];
  const none: string[] = [];
  for (const [heading, rows] of [...TABLE, rest]) {
    const body = make("tbody");
    for (const [key, name, unit, joint] of rows) {
      const value = valueOf(report, key);
      if (!matters(heading, value)) {
        if (heading === "Work" && value !== undefined) none.push(key.replaceAll("_", " "));
        continue;
      }
      const of = joint === undefined ? null : valueOf(report, joint);
      const about = [unit === "" ? "" : ` ${unit}`, typeof of === "string" ? `, joint ${of}` : ""].join("");
      const digits = PRECISE.has(key) ? 9 : 5;
      const cell = make("td", {}, textOf(value, digits), about === "" ? null : make("span", { class: "unit" }, about));
      body.append(make("tr", {}, make("th", { scope: "row" }, name), cell));
    }
    if (body.childElementCount > 0) {
      table.append(make("thead", {}, make("tr", {}, make("th", { colspan: "2", scope: "rowgroup" }, heading))), body);
    }
  }
  const block = make("div", {}, table);
  if (none.length > 0) block.append(make("p", { class: "none" }, `None: ${none.join(", ")}.`));
  return block;
}

/** Makes the verdict, "good", "check" or "bad", with its reasons; null if the report has none. */
export function makeVerdict(report: Record_): HTMLElement | null {
  const { verdict, reasons } = report;
  if (typeof verdict !== "string") return null;
  const why = Array.isArray(reasons) ? reasons.filter((r): r is string => typeof r === "string") : [];
  return make("p", { id: "verdict", class: verdict, role: "status" }, make("b", {}, verdict), why.length > 0 ? `: ${why.join("; ")}` : null);
}

/** Makes the headlines: the four most important numbers. */
export function makeHeadlines(report: Record_): HTMLElement[] {
  const card = (name: string, value: unknown, unit: string, note: string): HTMLElement | null =>
    typeof value !== "number"
      ? null
      : make(
          "div",
          { class: "card" },
          make("div", { class: "name" }, name),
          make("div", { class: "value" }, format(value, 3), make("span", { class: "unit" }, ` ${unit}`)),
          make("div", { class: "note" }, note),
        );
  const number = (key: string): number | null => {
    const value = valueOf(report, key);
    return typeof value === "number" ? value : null;
  };
  const joint = valueOf(report, "gap.joint");
  const mean = number("energy.mean_error");
  const wall = number("wall_s");
  const step = number("step");
  const hasJoints = typeof joint === "string";
  return [
    card("Energy error", number("energy.max_error"), "J", mean === null ? "at most" : `mean ${format(mean, 2)} J`),
    hasJoints ? card("Joint gap", number("gap.position"), "m", `in joint ${joint}`) : card("Impacts", number("impacts"), "", "and at stops"),
    card("Steps", number("steps"), "", step === null ? "" : `of ${step < 0.1 ? `${format(1000 * step, 3)} ms` : `${format(step, 3)} s`}`),
    card("Times real time", number("realtime_factor"), "", wall === null ? "" : `took ${format(wall, 3)} s`),
  ].filter((c): c is HTMLElement => c !== null);
}
