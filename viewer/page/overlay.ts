// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Overlaid curves of all runs of a comparison: diagrams with a common cursor, and one legend that switches runs on and off and shows the
// values of all diagrams at the cursor.

import type { Column, Comparison, Contestant, Run } from "./comparison";
import { make, setPressed, setText } from "./dom";
import { compact, fixed } from "./number";
import { Plot, valueAt } from "./plot";
import type { Curve, Range } from "./plot";

/** A quantity that a diagram can show. */
interface Choice {
  group: string; // "rod1"; empty: there is only one
  name: string; // "x"
  unit: string;
  values(run: Run): Float32Array;
}

interface Kind {
  title: string;
  short: string; // name in the legend; empty: that of the selected quantity
  log: boolean;
  withReference: boolean;
  choices: Choice[];
}

const NOTHING = new Float32Array(0);
/** With at least this many runs, those with longer steps are hidden initially. */
const MANY = 25;

/** A diagram with a choice of quantities. */
class Diagram {
  readonly element = make("section", { class: "panel" });
  readonly plot: Plot;
  choice: Choice;
  private readonly unit = make("span", { class: "unit" });
  private readonly groups = make("select", { "aria-label": "whose" });
  private readonly names = make("select", { "aria-label": "which" });

  constructor(
    readonly kind: Kind,
    first: Choice,
    range: Range,
    private readonly changed: () => void,
    scrubbed: (t: number) => void,
  ) {
    this.choice = first;
    this.plot = new Plot(kind.log, range, scrubbed);
    // moving the mouse without pressing moves the cursor, too
    this.plot.element.addEventListener("pointermove", (e) => {
      if (e.pointerType === "mouse") scrubbed(this.plot.timeAt(e.offsetX));
    });
    const pick = make("span", { class: "switches" }, this.groups, this.names);
    this.element.append(make("header", {}, make("h3", {}, kind.title), this.unit, pick), this.plot.element);
    this.fillGroups();
    this.fillNames();
    this.groups.addEventListener("change", () => this.choose(kind.choices.find((c) => c.group === this.groups.value)!));
    this.names.addEventListener("change", () => this.choose(this.ofGroup()[Number(this.names.value)]));
  }

  get name(): string {
    const { group, name } = this.choice;
    return this.kind.short !== "" ? this.kind.short : group === "" ? name : `${group}.${name}`;
  }

  samples(run: Run): Omit<Curve, "colour"> {
    const values = run.isReference && !this.kind.withReference ? NOTHING : this.choice.values(run);
    return { times: run.times, values, count: values.length, ended: true };
  }

  curve(run: Run): Curve {
    return { ...this.samples(run), colour: run.colour, dash: run.dash };
  }

  private choose(choice: Choice): void {
    this.choice = choice;
    this.fillNames();
    this.changed();
  }

  private ofGroup(): Choice[] {
    return this.kind.choices.filter((c) => c.group === this.choice.group);
  }

  private fillGroups(): void {
    const all = [...new Set(this.kind.choices.map((c) => c.group))];
    this.groups.append(...all.map((g) => make("option", { value: g }, g)));
    this.groups.value = this.choice.group;
    this.groups.hidden = all.length < 2;
  }

  private fillNames(): void {
    const list = this.ofGroup();
    this.names.replaceChildren(...list.map((c, i) => make("option", { value: String(i) }, c.name)));
    this.names.value = String(list.indexOf(this.choice));
    this.names.hidden = list.length < 2;
    setText(this.unit, [this.choice.unit, this.kind.log ? "logarithmic" : ""].filter((x) => x !== "").join(", "));
  }
}

interface Entry {
  run: Run;
  line: HTMLTableRowElement;
  button: HTMLButtonElement;
  sample: SVGElement;
  values: HTMLElement[];
}

export class Overlay {
  readonly plots = make("div", { class: "diagrams" });
  readonly legend = make("section", { class: "panel key" });
  time: number;
  private readonly diagrams: Diagram[];
  private readonly runs: Run[];
  private readonly moments: ArrayLike<number>; // possible times of the cursor
  private readonly entries: Entry[] = [];
  private readonly heads = new Map<Contestant, HTMLButtonElement>();
  private readonly steps = new Map<number, HTMLButtonElement>();
  private readonly clock = make("output");
  private names: HTMLElement[] = [];

  constructor(
    private readonly all: Comparison,
    private readonly changed: () => void,
  ) {
    const { runs, reference } = all;
    this.runs = [...(reference === null ? [] : [reference]), ...runs].filter((r) => r.count > 0);
    if (runs.length >= MANY) for (const r of runs) r.shown = r.row.h === Math.min(...r.contestant.runs.map((x) => x.row.h));
    const longest = this.runs.reduce<Run | null>((a, b) => (a === null || b.count > a.count ? b : a), null);
    this.moments = longest?.times ?? [0];
    const range = { low: 0, high: all.facts.compare.time };
    this.time = range.high;
    this.diagrams = kindsOf(all, this.runs).map(
      (kind) => new Diagram(kind, firstOf(kind, this.runs), range, () => this.refresh(), (t) => this.seek(t)),
    );
    this.plots.append(...this.diagrams.map((d) => d.element));
    this.makeLegend();
    this.seek(range.high);
    this.refresh();
  }

  get isEmpty(): boolean {
    return this.runs.length === 0;
  }

  /** Moves the cursor to the nearest stored time. */
  seek(t: number): void {
    let nearest = 0;
    for (let i = 1; i < this.moments.length; i++) if (Math.abs(this.moments[i] - t) < Math.abs(this.moments[nearest] - t)) nearest = i;
    this.time = this.moments[nearest];
    this.showCursor();
  }

  step(by: number): void {
    const i = Array.prototype.findIndex.call(this.moments, (t: number) => t >= this.time);
    this.seek(this.moments[Math.min(Math.max(i + by, 0), this.moments.length - 1)]);
  }

  toggle(run: Run): void {
    this.show([run], !run.shown);
  }

  showAll(shown: boolean): void {
    this.show([...this.runs, ...this.all.runs], shown);
  }

  refresh(): void {
    for (const { run, button, sample } of this.entries) {
      setPressed(button, run.shown);
      sample.setAttribute("stroke", run.colour);
      sample.setAttribute("stroke-dasharray", run.dash.join(" "));
    }
    for (const [contestant, button] of this.heads) {
      setPressed(button, contestant.shown);
      button.style.setProperty("--colour", contestant.colour);
    }
    for (const [h, button] of this.steps) setPressed(button, this.all.runs.some((r) => r.row.h === h && r.shown));
    // the reference is drawn below the others
    const shown = this.runs.filter((r) => r.shown);
    for (const diagram of this.diagrams) diagram.plot.setCurves(shown.map((r) => diagram.curve(r)));
    this.diagrams.forEach((d, i) => this.names[i].replaceChildren(d.name, make("span", { class: "unit" }, d.choice.unit)));
    this.showCursor();
  }

  choose(run: Run | null): void {
    for (const e of this.entries) e.line.classList.toggle("chosen", e.run === run);
  }

  show(runs: Run[], shown: boolean): void {
    for (const r of runs) r.shown = shown;
    this.refresh();
    this.changed();
  }

  only(runs: Run[]): void {
    for (const r of [...this.runs, ...this.all.runs]) r.shown = runs.includes(r);
    this.refresh();
    this.changed();
  }

  private showCursor(): void {
    setText(this.clock, `t = ${fixed(this.time, 4).replace(/(\.\d+?)0+$/, "$1")} s`);
    for (const d of this.diagrams) d.plot.setCursor(this.time);
    for (const { run, values } of this.entries) {
      this.diagrams.forEach((d, i) => setText(values[i], run.shown ? compact(valueAt(d.samples(run), this.time), 3) : ""));
    }
  }

  // ---- The legend ------------------------------------------------------------------------------

  private makeLegend(): void {
    const button = (text: string, title: string, act: () => void): HTMLButtonElement => {
      const made = make("button", { type: "button", title }, text);
      made.addEventListener("click", act);
      return made;
    };
    const switches = make("span", { class: "switches" });
    switches.append(button("all", "show all runs (A)", () => this.showAll(true)), button("none", "hide all runs (N)", () => this.showAll(false)));
    const steps = make("div", { class: "steps" }, make("span", { class: "unit" }, "step"));
    for (const h of [...this.all.steps].reverse()) {
      const made = button(compact(h, 4), "show or hide the runs of this step", () => {
        const runs = this.all.runs.filter((r) => r.row.h === h);
        this.show(runs, !runs.some((r) => r.shown));
      });
      this.steps.set(h, made);
      steps.append(made);
    }
    steps.append(make("span", { class: "unit" }, "s"));

    this.names = this.diagrams.map((d) => make("th", { scope: "col", title: d.kind.title }));
    const table = make("table", {}, make("thead", {}, make("tr", {}, make("th"), ...this.names)));
    for (const contestant of new Set(this.runs.map((r) => r.contestant))) table.append(this.makeGroup(contestant));
    const head = make("header", {}, make("h3", {}, "Values at"), this.clock, switches);
    this.legend.append(head, ...(this.all.steps.length > 1 ? [steps] : []), make("div", { class: "values" }, table));
  }

  private makeGroup(contestant: Contestant): HTMLElement {
    const runs = contestant.runs.filter((r) => r.count > 0);
    const head = make("button", { type: "button", class: "whose", title: "show or hide; double click: only these" }, contestant.name);
    head.addEventListener("click", () => this.show(runs, !contestant.shown));
    head.addEventListener("dblclick", () => this.only(runs));
    this.heads.set(contestant, head);
    const group = make("tbody", {}, make("tr", {}, make("th", { colspan: String(this.diagrams.length + 1), scope: "rowgroup" }, head)));
    group.append(...runs.map((r) => this.makeEntry(r)));
    return group;
  }

  private makeEntry(run: Run): HTMLElement {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const sample = document.createElementNS("http://www.w3.org/2000/svg", "line");
    for (const [name, value] of [["x1", 1], ["y1", 5], ["x2", 25], ["y2", 5]] as const) sample.setAttribute(name, String(value));
    svg.setAttribute("viewBox", "0 0 26 10");
    svg.append(sample);
    const button = make("button", { type: "button", title: "show or hide; double click: only this" }, svg, `${compact(run.row.h, 4)} s`);
    button.addEventListener("click", () => this.toggle(run));
    button.addEventListener("dblclick", () => this.only([run]));
    const values = this.diagrams.map(() => make("td"));
    const line = make("tr", {}, make("th", { scope: "row" }, button), ...values);
    this.entries.push({ run, line, button, sample, values });
    return line;
  }
}

// ---- What there is to see ------------------------------------------------------------------------

function kindsOf({ kept: { columns } }: Comparison, runs: Run[]): Kind[] {
  const choices = (kind: Column["kind"], name = (c: Column): string => c.name): Choice[] =>
    columns.flatMap((c, i) => (c.kind !== kind ? [] : [{ group: c.element ?? "", name: name(c), unit: c.unit, values: (r: Run) => r.columns[i] ?? NOTHING }]));
  const something = (c: Choice): boolean => runs.some((r) => c.values(r).some((v) => v !== 0));
  const last = (c: Column): string => c.name.slice(c.name.lastIndexOf(".") + 1);
  const energies = energiesOf(choices("energy"));
  const kinds: Kind[] = [
    { title: "Energy error |E − E₀ − W|", short: "dE", log: true, withReference: true, choices: choices("error") },
    { title: "Distance from the reference", short: "distance", log: true, withReference: false, choices: choices("distance").filter((c) => runs.some((r) => c.values(r).some((v) => v > 0))) },
    { title: "Energy", short: "", log: false, withReference: true, choices: energies.filter((c) => c.name !== "work" || something(c)) },
    { title: "Coordinate", short: "", log: false, withReference: true, choices: [...choices("joint", last), ...choices("body", last)] },
    { title: "Largest gap of a joint", short: "gap", log: true, withReference: true, choices: choices("gap", (c) => c.unit).filter(something) },
  ];
  return kinds.filter((k) => k.choices.length > 0);
}

/** Returns the energies with plain names, and their sum. */
function energiesOf([kinetic, potential, work]: Choice[]): Choice[] {
  const sums = new Map<Run, Float32Array>();
  const total = (run: Run): Float32Array => {
    const sum = sums.get(run) ?? kinetic.values(run).map((v, i) => v + potential.values(run)[i]);
    sums.set(run, sum);
    return sum;
  };
  return [
    { ...kinetic, name: "kinetic" },
    { ...potential, name: "potential" },
    { ...kinetic, name: "total", values: total },
    { ...work, name: "work" },
  ];
}

/** Returns the initial choice; for coordinates the one that changes most. */
function firstOf({ choices, title }: Kind, runs: Run[]): Choice {
  if (title !== "Coordinate" || runs.length === 0) return choices[0];
  const span = (c: Choice): number => {
    const values = c.values(runs[0]);
    return c.unit === "m" ? Math.max(...values) - Math.min(...values) : 0;
  };
  return choices.reduce((a, b) => (span(b) > span(a) ? b : a));
}
