// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The diagrams of a run, one below the other: one per group, unit and kind of axis. Each has a legend that shows the values at the cursor
// and switches curves on and off.

import type { Series } from "./data";
import { download, make, setPressed, setText } from "./dom";
import { format } from "./number";
import { Plot, valueAt } from "./plot";
import type { Curve, Range } from "./plot";
import { curvesAsCsv, downloadPng, drawSvg } from "./plotfile";
import type { Picture } from "./plotfile";
import { curveColour, onTheme } from "./theme";

/** Groups in the order of display: quantities requested by the user come first, those of accuracy last. Columns can be selected and are
 * not drawn initially. */
const GROUPS: [string, string][] = [
  ["chosen", "Columns"],
  ["sensor", "Sensors"],
  ["output", "Outputs"],
  ["force", "Force elements"],
  ["coordinate", "Coordinates"],
  ["reaction", "Reactions"],
  ["contact", "Contacts"],
  ["other", "Other"],
  ["energy", "Energy"],
  ["accuracy", "Energy error"],
  ["gap", "Joint gaps"],
];
const NOT_DRAWN = "column";
/** Returns the group of a series. */
const groupOf = ({ group, log }: Series): string =>
  group === "energy" && log ? "accuracy" : GROUPS.some(([g]) => g === group) || group === NOT_DRAWN ? group : "other";
/** Number of curves shown initially. */
const SHOWN = 6;
/** With at least this many curves the legend has a search field. */
const SEARCHED = 16;
/** ms between updates of values while playing. */
const BETWEEN = 120;

/** The times of the values. On a live page both change. */
export interface Times {
  readonly times: ArrayLike<number>;
  readonly range: Range; // time range of the diagrams
  /** Shows this time range in all diagrams; null: all. */
  zoom?(range: Range | null): void;
}

/** Returns the name of a file for download. */
export const fileName = (title: string): string => title.trim().replace(/[^\p{L}\p{N}._-]+/gu, "-") || "curves";

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
  readonly plot: Plot;
  private readonly legend: HTMLElement;
  private readonly entries: Entry[];
  private seen = true; // it is on the screen
  private readonly sight = new IntersectionObserver(([entry]) => {
    this.seen = entry.isIntersecting;
    if (this.seen) this.setCursor(this.cursor);
  });
  private said = -Infinity; // ms: time of the last update of values
  private before: Set<Entry> | null = null; // curves shown before a body was selected
  private cursor = 0;
  private readonly unheard = onTheme(() => this.refresh());

  constructor(
    private readonly title: string,
    series: Series[],
    private readonly when: Times,
    scrubbed: ((t: number) => void) | null,
    private readonly closed: (() => void) | null = null, // for a diagram made by the user
  ) {
    const { unit = "", log = false } = series[0] ?? {};
    const zoomed = (low: number, high: number): void => when.zoom?.({ low, high });
    this.plot = new Plot(log, when.range, scrubbed, when.zoom === undefined ? {} : { zoomed, unzoomed: () => when.zoom?.(null) });
    this.legend = make("div", { class: "legend", role: "group", "aria-label": `curves of ${title}` });
    this.entries = series.map((s, index) => this.makeEntry(s, index));
    this.legend.append(...this.entries.map((e) => e.button));
    const axis = [closed === null ? unit : "", log ? "logarithmic" : ""].filter((x) => x !== "").join(", ");
    const head = make("header", {}, make("h3", {}, title), make("span", { class: "unit" }, axis), this.makeTools(series.length));
    this.element.append(head, this.plot.element, this.legend);
    this.sight.observe(this.element);
    this.refresh();
  }

  /** Adds a curve, or shows it if it is there. */
  add(series: Series): void {
    const there = this.entries.find((e) => e.series === series);
    if (there !== undefined) there.shown = true;
    else {
      const entry = this.makeEntry(series, this.entries.length);
      entry.shown = true;
      this.entries.push(entry);
      this.legend.append(entry.button);
    }
    this.refresh();
  }

  dispose(): void {
    this.unheard();
    this.sight.disconnect();
  }

  /** Moves the cursor. moving: while playing, values are updated a few times per second only. */
  setCursor(t: number, moving = false): void {
    this.cursor = t;
    if (!this.seen) return;
    this.plot.setCursor(t, moving);
    const now = performance.now();
    if (moving && now - this.said < BETWEEN) return;
    this.said = now;
    this.showValues();
  }

  /** Draws again for another time range. */
  redraw(): void {
    this.plot.setCurves(this.curves());
    this.setCursor(this.cursor);
  }

  /** Shows further values, the last of them at t. */
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

  /** If there are many curves, shows those of a body and its joints; without names restores the previous ones. */
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
    const { name, unit } = { name: (e: Entry) => e.series.name, unit: (e: Entry) => e.series.unit };
    return shown.map((e) => ({ ...this.samples(e.series), colour: this.colour(e, shown), name: name(e), unit: unit(e) }));
  }

  /** Returns the colour of a curve: by its number among all if these are few, else among those shown. */
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

  /** Makes the switch of all curves and the buttons for downloads. */
  private makeTools(count: number): HTMLElement {
    const button = (text: string, title: string, act: () => void): HTMLElement => {
      const made = make("button", { type: "button", title }, text);
      made.addEventListener("click", act);
      return made;
    };
    const show = (shown: boolean): void => {
      for (const e of this.entries) if (!e.button.hidden) e.shown = shown;
      this.refresh();
    };
    const tools = make("span", { class: "switches" });
    if (count >= SEARCHED) tools.append(this.makeFilter());
    if (count > 2) tools.append(button("all", "show all curves", () => show(true)), button("none", "hide all curves", () => show(false)));
    const picture = (): Picture => ({ title: this.title, curves: this.curves(), log: this.element.querySelector(".unit")?.textContent?.includes("log") ?? false, range: this.when.range });
    tools.append(
      button("CSV", "these curves as a table", () => download(`${fileName(this.title)}.csv`, "text/csv", curvesAsCsv(this.curves()))),
      button("SVG", "this diagram as a drawing", () => download(`${fileName(this.title)}.svg`, "image/svg+xml", drawSvg(picture()))),
      button("PNG", "this diagram as a picture", () => void downloadPng(`${fileName(this.title)}.png`, drawSvg(picture()))),
    );
    const { closed } = this;
    if (closed !== null) tools.append(button("×", "close this diagram", closed));
    return tools;
  }

  private makeFilter(): HTMLElement {
    const field = make("input", { type: "search", placeholder: "filter", "aria-label": "filter the curves" });
    field.addEventListener("input", () => {
      for (const e of this.entries) e.button.hidden = !e.series.name.toLowerCase().includes(field.value.toLowerCase());
    });
    return field;
  }
}

/** Makes the panels of all series, in the order of groups. */
export function makePanels(series: Series[], when: Times, scrubbed: ((t: number) => void) | null): Panel[] {
  const sorted = new Map<string, { title: string; group: string; series: Series[] }>();
  for (const [group, title] of GROUPS) {
    for (const s of series.filter((x) => groupOf(x) === group)) {
      const key = `${group} ${s.unit} ${s.log}`;
      const panel = sorted.get(key) ?? { title, group, series: [] };
      panel.series.push(s);
      sorted.set(key, panel);
    }
  }
  return [...sorted.values()].map((p) => {
    // a single curve of a group with other panels gets its name
    const single = p.series.length === 1 && [...sorted.values()].some((o) => o !== p && o.group === p.group);
    const [{ name }] = p.series;
    const whole = name.toLowerCase().includes(p.title.toLowerCase()) ? name.replace(/^./, (c) => c.toUpperCase()) : `${p.title}: ${name}`;
    const title = single ? whole : p.title;
    return new Panel(title, p.series, when, scrubbed);
  });
}
