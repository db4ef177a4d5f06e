// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The runs of a comparison as a table that can be sorted by each of its columns.

import type { Row, Run } from "./comparison";
import { make } from "./dom";
import { compact } from "./number";

interface Field {
  key: keyof Row;
  name: string;
  unit: string;
  title: string;
  digits: number;
  also?: "known" | "not 0"; // column omitted unless this holds for a run
}

const FIELDS: Field[] = [
  { key: "method", name: "Method", unit: "", title: "method", digits: 0 },
  { key: "solver", name: "Solver", unit: "", title: "solver", digits: 0 },
  { key: "order", name: "Order", unit: "", title: "order that the method has", digits: 3 },
  { key: "h", name: "Step", unit: "s", title: "h", digits: 4 },
  { key: "us_per_step", name: "Per step", unit: "µs", title: "processor time per step", digits: 3 },
  { key: "s_per_simulated_s", name: "Cost", unit: "s/s", title: "processor time per simulated second", digits: 3 },
  { key: "energy_mean_error", name: "Mean dE", unit: "J", title: "mean of |E − E₀ − W|", digits: 3 },
  { key: "energy_max_error", name: "Max dE", unit: "J", title: "largest |E − E₀ − W|", digits: 3 },
  { key: "gap_position", name: "Gap", unit: "m", title: "largest gap of a joint", digits: 2, also: "not 0" },
  { key: "gap_angle", name: "Gap", unit: "rad", title: "largest gap of angles", digits: 2, also: "not 0" },
  { key: "velocity_gap_position", name: "Opens", unit: "m/s", title: "fastest opening of a joint", digits: 2, also: "not 0" },
  { key: "velocity_gap_angle", name: "Opens", unit: "rad/s", title: "fastest opening, of angles", digits: 2, also: "not 0" },
  { key: "error", name: "Error", unit: "m", title: "largest distance of a body from the reference, at the end", digits: 3, also: "known" },
  { key: "observed_order", name: "Seen", unit: "", title: "order that is observed between this run and that of the next longer step", digits: 3, also: "known" },
];
/** Columns that are known even for a run that stopped. */
const ALWAYS = 4;

interface Listeners {
  pointed(run: Run | null): void;
  toggled(run: Run): void;
}

export class RunTable {
  readonly element = make("div", { class: "runs" });
  private readonly fields: Field[];
  private readonly heads: HTMLElement[];
  private readonly body = make("tbody");
  private readonly lines = new Map<Run, HTMLTableRowElement>();
  private readonly swatches = new Map<Run, HTMLButtonElement>();
  private by = -1; // column; -1: order of the runs
  private falling = false;

  constructor(
    private readonly runs: Run[],
    private readonly listeners: Listeners,
  ) {
    const matters = ({ key, also }: Field, { ok, row }: Run): boolean => ok && row[key] !== null && (also !== "not 0" || row[key] !== 0);
    this.fields = FIELDS.filter((f) => f.also === undefined || runs.some((r) => matters(f, r)));
    this.heads = this.fields.map((f, i) => this.makeHead(f, i));
    for (const run of runs) this.lines.set(run, this.makeLine(run));
    const head = make("thead", {}, make("tr", {}, make("th", { class: "sample" }), ...this.heads));
    this.element.append(make("table", {}, head, this.body));
    this.order();
    this.refresh();
  }

  /** Updates colours, and marks the runs shown in the curves. */
  refresh(): void {
    for (const [run, button] of this.swatches) {
      button.setAttribute("aria-pressed", String(run.shown));
      button.style.color = run.colour;
    }
  }

  choose(run: Run | null): void {
    for (const [r, line] of this.lines) line.classList.toggle("chosen", r === run);
  }

  private makeHead({ name, unit, title }: Field, i: number): HTMLElement {
    const button = make("button", { type: "button", title: `${title}; click to sort` }, name);
    if (unit !== "") button.append(make("span", { class: "unit" }, unit));
    button.addEventListener("click", () => {
      // ascending, descending, order of the runs
      if (this.by !== i) [this.by, this.falling] = [i, false];
      else if (!this.falling) this.falling = true;
      else [this.by, this.falling] = [-1, false];
      this.order();
    });
    return make("th", { scope: "col" }, button);
  }

  private makeLine(run: Run): HTMLTableRowElement {
    const swatch = make("button", { type: "button", class: "swatch", title: "show or hide its curves", "aria-label": `curves of this run` });
    swatch.addEventListener("click", () => this.listeners.toggled(run));
    this.swatches.set(run, swatch);
    const line = make("tr", {}, make("td", { class: "sample" }, swatch));
    const cell = ({ key, digits }: Field): HTMLElement => {
      const value = run.row[key];
      const text = typeof value === "number" ? compact(value, digits) : (value ?? "–");
      return make("td", typeof value === "string" ? { class: "word", title: value } : {}, text);
    };
    line.append(...this.fields.slice(0, run.ok ? undefined : ALWAYS).map(cell));
    if (!run.ok) line.append(make("td", { class: "stopped", colspan: String(this.fields.length - ALWAYS) }, run.row.status));
    line.addEventListener("pointerenter", () => this.listeners.pointed(run));
    line.addEventListener("pointerleave", () => this.listeners.pointed(null));
    return line;
  }

  /** Returns the order of the rows. Runs without a value come last in either direction. */
  private order(): void {
    const key = this.by < 0 ? null : this.fields[this.by].key;
    const sign = this.falling ? -1 : 1;
    const compare = (a: Run, b: Run): number => {
      if (key === null) return 0;
      const known = (r: Run): boolean => r.row[key] !== null && (r.ok || this.by < ALWAYS);
      if (!known(a) || !known(b)) return Number(known(b)) - Number(known(a));
      const [x, y] = [a.row[key]!, b.row[key]!];
      return sign * (typeof x === "string" ? x.localeCompare(String(y)) : x - Number(y));
    };
    this.body.append(...[...this.runs].sort(compare).map((r) => this.lines.get(r)!));
    this.heads.forEach((head, i) => head.setAttribute("aria-sort", i !== this.by ? "none" : this.falling ? "descending" : "ascending"));
  }
}
