// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The diagrams of a run below each other: one per group, unit and kind of axis. Each has a legend that says the values at
// the cursor and switches curves on and off.

import type { Series } from "./data";
import { make, setPressed, setText } from "./dom";
import { format } from "./number";
import { Plot, valueAt } from "./plot";
import type { Curve, Range } from "./plot";
import { curveColour, onTheme } from "./theme";

const GROUPS: [string, string][] = [
  ["energy", "Energy"],
  ["gap", "Joint gaps"],
  ["coordinate", "Coordinates"],
  ["reaction", "Reactions"],
  ["contact", "Contacts"],
  ["other", "Other"],
];
/** So many curves are shown at first. */
const SHOWN = 6;
/** From so many on the legend has a field to search in. */
const SEARCHED = 16;

/** When the values are of. Live both change as time goes on. */
export interface Times {
  readonly times: ArrayLike<number>;
  readonly range: Range; // of the diagrams
}

interface Entry {
  series: Series;
  shown: boolean;
  index: number;
  button: HTMLButtonElement;
  swatch: HTMLElement;
  value: HTMLElement;
}

export class Panel {
  readonly element = make("section", { class: "panel" });
  private readonly plot: Plot;
  private readonly entries: Entry[];
  private before: Set<Entry> | null = null; // what was shown before one body was looked at
  private cursor = 0;
  private readonly unheard = onTheme(() => this.refresh());

  constructor(
    title: string,
    series: Series[],
    private readonly when: Times,
    scrubbed: ((t: number) => void) | null,
  ) {
    const [{ unit, log }] = series;
    this.plot = new Plot(log, when.range, scrubbed);
    const legend = make("div", { class: "legend", role: "group", "aria-label": `curves of ${title}` });
    this.entries = series.map((s, index) => this.makeEntry(s, index));
    legend.append(...this.entries.map((e) => e.button));
    const axis = [unit, log ? "logarithmic" : ""].filter((x) => x !== "").join(", ");
    const head = make("header", {}, make("h3", {}, title), make("span", { class: "unit" }, axis));
    if (series.length > 2) head.append(this.makeSwitches(series.length));
    this.element.append(head, this.plot.element, legend);
    this.refresh();
  }

  dispose(): void {
    this.unheard();
  }

  setCursor(t: number): void {
    this.cursor = t;
    this.plot.setCursor(t);
    this.showValues();
  }

  /** There are more values, the last of them at t. */
  grow(t: number): void {
    this.cursor = t;
    this.plot.growCurves(this.curves(), t);
    this.showValues();
  }

  private showValues(): void {
    for (const e of this.entries) {
      if (e.shown) setText(e.value, format(valueAt(this.samples(e.series), this.cursor), 4));
    }
  }

  /** Of many curves shows those of a body and its joints; without names those of before. */
  focus(names: string[]): void {
    if (this.entries.length <= SHOWN) return;
    const { before } = this;
    const matches = ({ series }: Entry): boolean => names.some((n) => series.name === n || series.name.startsWith(`${n}.`) || series.name.startsWith(`${n} `));
    if (this.entries.some(matches)) {
      this.before ??= new Set(this.entries.filter((e) => e.shown));
      for (const e of this.entries) e.shown = matches(e);
    } else if (before !== null) {
      this.before = null;
      for (const e of this.entries) e.shown = before.has(e);
    } else return;
    const first = this.entries.find((e) => e.shown)?.button;
    first?.parentElement?.scrollTo(0, first.offsetTop);
    this.refresh();
  }

  refresh(): void {
    const shown = this.entries.filter((e) => e.shown);
    for (const e of this.entries) {
      setPressed(e.button, e.shown);
      e.swatch.style.background = e.shown ? this.colour(e, shown) : "";
      if (!e.shown) setText(e.value, "");
    }
    this.plot.setCurves(this.curves());
    this.setCursor(this.cursor);
  }

  private curves(): Curve[] {
    const shown = this.entries.filter((e) => e.shown);
    return shown.map((e) => ({ ...this.samples(e.series), colour: this.colour(e, shown) }));
  }

  /** By the place among all where these are few, else among those that are shown. */
  private colour(e: Entry, shown: Entry[]): string {
    return curveColour(this.entries.length <= 8 ? e.index : shown.indexOf(e));
  }

  private samples({ values }: Series): Omit<Curve, "colour"> {
    const { times } = this.when;
    return { times, values, count: Math.min(values.length, times.length) };
  }

  private makeEntry(series: Series, index: number): Entry {
    const swatch = make("i");
    const value = make("output");
    const button = make("button", { type: "button", title: "show or hide; double click: only this" }, swatch, make("span", {}, series.name), value);
    const entry: Entry = { series, index, shown: index < SHOWN, button, swatch, value };
    button.addEventListener("click", () => {
      entry.shown = !entry.shown;
      this.refresh();
    });
    button.addEventListener("dblclick", () => {
      for (const e of this.entries) e.shown = e === entry;
      this.refresh();
    });
    return entry;
  }

  private makeSwitches(count: number): HTMLElement {
    const all = make("button", { type: "button" }, "all");
    const none = make("button", { type: "button" }, "none");
    const show = (shown: boolean): void => {
      for (const e of this.entries) if (!e.button.hidden) e.shown = shown;
      this.refresh();
    };
    all.addEventListener("click", () => show(true));
    none.addEventListener("click", () => show(false));
    const switches = make("span", { class: "switches" }, all, none);
    if (count >= SEARCHED) {
      const field = make("input", { type: "search", placeholder: "filter", "aria-label": "filter the curves" });
      field.addEventListener("input", () => {
        for (const e of this.entries) e.button.hidden = !e.series.name.toLowerCase().includes(field.value.toLowerCase());
      });
      switches.prepend(field);
    }
    return switches;
  }
}

/** The panels of all series, in the order of groups. */
export function makePanels(series: Series[], when: Times, scrubbed: ((t: number) => void) | null): Panel[] {
  const sorted = new Map<string, { title: string; group: string; series: Series[] }>();
  for (const [group, title] of GROUPS) {
    const known = (s: Series): boolean => GROUPS.some(([g]) => g === s.group);
    for (const s of series.filter((x) => (known(x) ? x.group : "other") === group)) {
      const key = `${group} ${s.unit} ${s.log}`;
      const panel = sorted.get(key) ?? { title, group, series: [] };
      panel.series.push(s);
      sorted.set(key, panel);
    }
  }
  return [...sorted.values()].map((p) => {
    // one curve of a group that has others too says which it is
    const single = p.series.length === 1 && [...sorted.values()].some((o) => o !== p && o.group === p.group);
    const [{ name }] = p.series;
    const whole = name.toLowerCase().includes(p.title.toLowerCase()) ? name.replace(/^./, (c) => c.toUpperCase()) : `${p.title}: ${name}`;
    const title = single ? whole : p.title;
    return new Panel(title, p.series, when, scrubbed);
  });
}
