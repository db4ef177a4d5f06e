// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// A field to search columns by name, and diagrams of selected ones: any of them in one diagram, each unit with its own axis.

import type { Series } from "./data";
import { make } from "./dom";
import { Panel } from "./plots";
import type { Times } from "./plots";

const MOST = 200; // names in the list

export class Picker {
  readonly element = make("div", { class: "picker" });
  readonly panels: Panel[] = [];
  private readonly field = make("input", { id: "pick", type: "search", placeholder: "add a column…", autocomplete: "off", "aria-label": "add a column to a diagram" });
  private readonly list = make("div", { class: "choices", role: "listbox", hidden: "" });

  constructor(
    private readonly place: HTMLElement,
    private readonly series: Series[],
    private readonly when: Times,
    private readonly scrubbed: ((t: number) => void) | null,
    private readonly changed: () => void,
  ) {
    this.element.append(this.field, this.list);
    this.field.addEventListener("input", () => this.fill());
    this.field.addEventListener("focus", () => this.fill());
    this.field.addEventListener("keydown", (e) => this.press(e));
    this.element.addEventListener("focusout", (e) => {
      if (!this.element.contains(e.relatedTarget as Node | null)) this.list.hidden = true;
    });
  }

  dispose(): void {
    for (const panel of this.panels) panel.dispose();
    this.element.remove();
  }

  /** Adds a series to the diagram made last, or to a new one. */
  add(series: Series, anew = false): void {
    let panel = this.panels[this.panels.length - 1];
    if (panel === undefined || anew) {
      const number = this.panels.length + 1;
      const made: Panel = new Panel(`My curves${number > 1 ? ` ${number}` : ""}`, [], this.when, this.scrubbed, () => this.close(made));
      panel = made;
      this.panels.push(made);
      this.place.prepend(made.element);
    }
    panel.add(series);
    this.changed();
  }

  private close(panel: Panel): void {
    this.panels.splice(this.panels.indexOf(panel), 1);
    panel.dispose();
    panel.element.remove();
    this.changed();
  }

  /** Returns the series whose names contain all the words. */
  private found(): Series[] {
    const words = this.field.value.toLowerCase().split(/\s+/).filter((w) => w !== "");
    return this.series.filter((s) => words.every((w) => `${s.name} ${s.group} ${s.unit}`.toLowerCase().includes(w)));
  }

  private fill(): void {
    const all = this.found();
    const options = all.slice(0, MOST).map((s) => {
      const option = make("button", { type: "button", role: "option", title: "add; with Shift in a new diagram" }, make("span", {}, s.name), make("span", { class: "unit" }, [s.group === "column" ? "" : s.group, s.unit].filter((x) => x !== "").join(", ")));
      option.addEventListener("click", (e) => {
        this.add(s, e.shiftKey);
        this.list.hidden = true;
      });
      return option;
    });
    if (all.length > MOST) options.push(make("button", { type: "button", disabled: "" }, `and ${all.length - MOST} more: type more of the name`));
    if (all.length === 0) options.push(make("button", { type: "button", disabled: "" }, "no column has such a name"));
    this.list.replaceChildren(...options);
    this.list.hidden = false;
  }

  private press(e: KeyboardEvent): void {
    if (e.key === "Escape") {
      this.list.hidden = true;
      this.field.blur();
    }
    if (e.key === "ArrowDown") (this.list.firstElementChild as HTMLElement | null)?.focus();
    if (e.key !== "Enter") return;
    const [first] = this.found();
    if (first !== undefined) this.add(first, e.shiftKey);
    this.field.value = "";
    this.list.hidden = true;
  }
}
