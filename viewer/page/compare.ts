// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The comparison page: completed runs of one model, side by side.

import { nameOf, readComparison } from "./comparison";
import type { Comparison, Contestant, Run, Verdict } from "./comparison";
import { comparedCsv, curvesCsv } from "./csv";
import { download, find, make, setPressed, setText } from "./dom";
import { compact, format } from "./number";
import { Overlay } from "./overlay";
import { RunTable } from "./runtable";
import { counted, say, setUpKeys, startShell } from "./shell";
import { chooseTheme, onTheme, theme } from "./theme";
import { XyPlot } from "./xy";
import type { XyLine } from "./xy";

/** Slopes of higher orders cannot be distinguished. */
const HIGHEST_ORDER = 8;

class Page {
  private readonly overlay: Overlay;
  private readonly table: RunTable;
  private readonly cost: XyPlot<Run>;
  private readonly steps: XyPlot<Run>;
  private readonly chips: { contestant: Contestant; button: HTMLButtonElement; swatch: HTMLElement }[];

  constructor(private readonly all: Comparison) {
    this.overlay = new Overlay(all, () => this.refresh());
    this.table = new RunTable(all.runs, { pointed: (run) => this.choose(run), toggled: (run) => this.overlay.toggle(run) });
    const pointed = (run: Run | null): void => this.choose(run);
    const yName = "error, m";
    this.cost = new XyPlot({ xName: "processor time per simulated second, s", yName, pointed });
    this.steps = new XyPlot({ xName: "step, s", yName, pointed, ticks: all.steps, orders: this.orders() });
    const errors = all.runs.some((r) => r.row.error !== null && r.row.error > 0);
    find("pair").hidden = !errors;
    find("no-errors").hidden = errors;
    this.chips = all.contestants.map((c) => this.makeChip(c));
    find("whose").append(...this.chips.map((c) => c.button));
    find("cost").append(this.cost.element);
    find("steps").append(this.steps.element);
    find("runs").append(this.table.element);
    find("overlay").append(this.overlay.plots, this.overlay.legend);
    find("curves-part").hidden = this.overlay.isEmpty;
    this.fillTexts();
    this.setUpDownloads();
    this.listen();
    onTheme(() => {
      this.overlay.refresh();
      this.refresh();
    });
    this.refresh();
  }

  /** What tests look at. */
  state(): object {
    const { overlay, all } = this;
    return { time: overlay.time, theme: theme(), shown: all.runs.map((r) => r.shown), contestants: all.contestants.map((c) => c.name) };
  }

  seek(t: number): void {
    this.overlay.seek(t);
  }

  private refresh(): void {
    this.table.refresh();
    for (const { contestant, button, swatch } of this.chips) {
      setPressed(button, contestant.shown);
      swatch.style.background = contestant.shown ? contestant.colour : "";
    }
    this.cost.setLines(this.lines((r) => r.row.s_per_simulated_s));
    this.steps.setLines(this.lines((r) => r.row.h));
  }

  private choose(run: Run | null): void {
    this.cost.choose(run);
    this.steps.choose(run);
    this.table.choose(run);
    this.overlay.choose(run);
  }

  private makeChip(contestant: Contestant): { contestant: Contestant; button: HTMLButtonElement; swatch: HTMLElement } {
    const swatch = make("i");
    const button = make("button", { type: "button", title: "show or hide; double click: only these" }, swatch, contestant.name);
    button.addEventListener("click", () => this.overlay.show(contestant.runs, !contestant.shown));
    button.addEventListener("dblclick", () => this.overlay.only(contestant.runs));
    return { contestant, button, swatch };
  }

  /** Returns a line per contestant with visible runs, in the order of steps. */
  private lines(x: (run: Run) => number | null): XyLine<Run>[] {
    return this.all.contestants
      .filter((c) => c.shown)
      .map((c) => {
        const runs = c.runs.filter((r) => r.ok).sort((a, b) => a.row.h - b.row.h);
        return { colour: c.colour, points: runs.map((of) => ({ x: x(of) ?? NaN, y: of.row.error ?? NaN, says: said(of), of })) };
      });
  }

  /** Returns the orders of the methods, and a few for comparison. */
  private orders(): number[] {
    const own = this.all.runs.map((r) => Math.round(r.row.order)).filter((p) => p <= HIGHEST_ORDER);
    return [...new Set([1, 2, 4, ...own])].sort((a, b) => a - b);
  }

  private fillTexts(): void {
    const { facts, runs, kept } = this.all;
    const { time, in_equal_time, scheme } = facts.compare;
    document.title = `${facts.title}: comparison – Trammel`;
    setText(find("name"), facts.title);
    const stopped = runs.filter((r) => !r.ok).length;
    const how = [counted(runs.length, "run", "runs"), `${format(time, 5)} s`, stopped > 0 ? `${stopped} stopped` : "", scheme === "composition" ? "" : `orders above 2 by ${scheme}`];
    setText(find("how"), how.filter((x) => x !== "").join(" · "));
    setText(find("measure"), this.measure());
    find("verdicts").append(...in_equal_time.map((v) => make("li", {}, ...sentence(v))));
    find("equal").hidden = in_equal_time.length === 0;
    setText(find("command"), facts.command || "not recorded");
    setText(find("model"), facts.model || "not part of this file");
    setText(find("kept"), keptOf(kept));
    setText(find("made"), [`Trammel ${facts.trammel}`, facts.date].filter((x) => x !== "").join(" · "));
  }

  /** Returns the measure of errors. */
  private measure(): string {
    const { reference, time } = this.all.facts.compare;
    if (reference.file !== undefined) {
      const out = reference.left_out ?? [];
      const left = out.length > 0 ? ` Left out, because the file has no columns for them: ${out.join(", ")}.` : "";
      return `Error: largest distance of a body from its position in ${reference.file} at ${format(time, 5)} s.${left}`;
    }
    const run = this.all.reference!;
    if (!run.ok) {
      say(`No errors are known: the reference could not be run: ${run.row.status}`);
      return "";
    }
    return `Error: largest distance of a body, at ${format(time, 5)} s, from the reference: ${nameOf(run.row)}, step ${compact(run.row.h, 4)} s.`;
  }

  private setUpDownloads(): void {
    const { facts } = this.all;
    const name = facts.title.trim().replace(/[^\p{L}\p{N}._-]+/gu, "-") || "comparison";
    find("get-runs").addEventListener("click", () => download(`${name}-runs.csv`, "text/csv", comparedCsv(this.all)));
    find("get-data").addEventListener("click", () => download(`${name}-curves.csv`, "text/csv", curvesCsv(this.all)));
    const model = find<HTMLButtonElement>("get-model");
    model.addEventListener("click", () => download(`${name}.json`, "application/json", facts.model));
    model.hidden = facts.model === "";
  }

  private listen(): void {
    const { overlay, all } = this;
    setUpKeys([
      { keys: ["ArrowLeft"], shown: "←", what: "the cursor goes back; with Shift ten moments", act: (e) => overlay.step(e.shiftKey ? -10 : -1) },
      { keys: ["ArrowRight"], shown: "→", what: "the cursor goes on; with Shift ten moments", act: (e) => overlay.step(e.shiftKey ? 10 : 1) },
      { keys: ["Home"], shown: "Home", what: "to the start", act: () => overlay.seek(0) },
      { keys: ["End"], shown: "End", what: "to the end", act: () => overlay.seek(all.facts.compare.time) },
      { keys: ["a"], shown: "A", what: "show all runs", act: () => overlay.showAll(true) },
      { keys: ["n"], shown: "N", what: "hide all runs", act: () => overlay.showAll(false) },
    ]);
  }
}

/** Returns the text of a point about its run. */
function said({ row, contestant }: Run): string[] {
  const value = (v: number | null): string => (v === null ? "–" : compact(v, 3));
  return [
    contestant.name,
    `step ${compact(row.h, 4)} s`,
    `error ${value(row.error)} m`,
    `cost ${value(row.s_per_simulated_s)} s per simulated s`,
    `${value(row.us_per_step)} µs per step`,
    `energy error at most ${value(row.energy_max_error)} J`,
  ];
}

function sentence({ s_per_simulated_s, best, next }: Verdict): (Node | string)[] {
  const words: (Node | string)[] = [make("b", {}, `${compact(s_per_simulated_s, 2)} s: `)];
  if (best === undefined) return [...words, "no run is so cheap."];
  words.push(`${nameOf(best)} is most accurate: ${compact(best.error ?? NaN, 2)} m with a step of ${compact(best.h, 4)} s`);
  if (next !== undefined) words.push(`; then ${nameOf(next)}: ${compact(next.error ?? NaN, 2)} m`);
  return [...words, "."];
}

function keptOf({ every, runs_kept, bodies_kept, joints_kept }: Comparison["kept"]): string {
  const first = ([kept, there]: [number, number], what: string): string => (kept < there ? ` Of ${there} ${what} the first ${kept} are here.` : "");
  const when =
    every === null
      ? "No time between rows holds a whole number of all steps: each run has rows of its own, and distances from the reference are known where both have one."
      : `A row every ${format(every, 6)} s, which is a whole number of steps of each run.`;
  return `${when} Each run was made once more for them.${first(runs_kept, "runs")}${first(bodies_kept, "bodies")}${first(joints_kept, "joints")}`;
}

startShell();
const asked = new URLSearchParams(location.hash.slice(1)).get("theme");
if (asked === "light" || asked === "dark") chooseTheme(asked);
const comparison = readComparison();
if (typeof comparison === "string") {
  document.body.classList.add("without-data");
  say(comparison);
} else {
  const page = new Page(comparison);
  window.trammel = { state: () => page.state(), seek: (t) => page.seek(t) };
}
