// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The diagrams of a live page. The picture of the machine has priority: at most one diagram is drawn per picture, only those on the
// screen, and none more often than ten times a second.

import type { Series } from "./data";
import { find, make } from "./dom";
import { Picker } from "./picker";
import { makePanels } from "./plots";
import type { Panel } from "./plots";
import { Trace } from "./trace";

/** ms between drawings of one diagram. */
const REST = 100;

interface Watched {
  panel: Panel;
  seen: boolean;
  drawn: number; // ms
  stale: boolean;
}

export class LivePlots {
  readonly trace: Trace;
  private all: Watched[];
  private readonly picker: Picker;
  private readonly sight: IntersectionObserver;

  constructor(place: HTMLElement, series: Omit<Series, "values">[], window: number) {
    this.trace = new Trace(series);
    this.trace.window = window;
    this.trace.zoomed = () => this.touch();
    this.picker = new Picker(place, this.trace.series, this.trace, null, () => this.watchPicked());
    find("curves-bar").append(this.picker.element);
    this.all = makePanels(this.trace.series, this.trace, null).map((panel) => ({ panel, seen: false, drawn: 0, stale: true }));
    this.sight = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const watched = this.all.find((w) => w.panel.element === target);
        if (watched !== undefined) watched.seen = isIntersecting;
      }
    });
    for (const { panel } of this.all) this.sight.observe(panel.element);
    place.replaceChildren(...this.all.map((w) => w.panel.element));
    if (this.all.length === 0) place.append(make("p", { class: "empty" }, "This model has no curves."));
  }

  dispose(): void {
    this.sight.disconnect();
    this.picker.dispose();
    for (const { panel } of this.all) panel.dispose();
  }

  add(t: number, values: ArrayLike<number>): void {
    this.trace.add(t, values);
    this.touch();
  }

  setWindow(window: number): void {
    this.trace.window = window;
    this.touch();
  }

  focus(names: string[]): void {
    for (const { panel } of this.all) panel.focus(names);
  }

  /** Draws the diagram that was drawn least recently. */
  tick(now: number): void {
    const due = this.all.filter((w) => w.seen && w.stale && now - w.drawn >= REST).sort((a, b) => a.drawn - b.drawn)[0];
    if (due === undefined) return;
    this.trace.settle();
    due.panel.grow(this.trace.end);
    due.drawn = now;
    due.stale = false;
  }

  /** Diagrams that the user has made, and those that were closed. */
  private watchPicked(): void {
    const picked = this.picker.panels;
    const known = new Set(this.all.map((w) => w.panel));
    for (const panel of picked.filter((p) => !known.has(p))) {
      this.mine.add(panel);
      this.all.push({ panel, seen: true, drawn: 0, stale: true });
      this.sight.observe(panel.element);
    }
    this.all = this.all.filter(({ panel }) => !this.mine.has(panel) || picked.includes(panel));
    this.touch();
  }

  private readonly mine = new Set<Panel>();

  private touch(): void {
    for (const w of this.all) w.stale = true;
  }
}
