// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Options of the simulation, which can be changed while it runs. The fields show the present values. A typed value is sent to the program
// and stays in the field, marked, until the program has answered.

import { find, make, setText } from "./dom";
import type { Method, Options, OwnOption } from "./live";
import { format } from "./number";

/** Schemes by method. Other methods have none. */
const SCHEMES: Record<string, string[]> = { impulse: ["composition", "extrapolation"] };
const IMPACTS = ["event", "window"];
const ORDERS = ["2", "4", "6", "8"];

type Field = HTMLSelectElement | HTMLInputElement;

export class OptionFields {
  private readonly fields = new Map<string, Field>();
  private readonly ownTitle = make("summary");
  private readonly ownFields = make("div", { class: "fields" });
  private readonly ownPlace = make("details", {}, this.ownTitle, this.ownFields);
  private methods: Method[] = [];
  private own = ""; // names of the options of the method that have fields

  /** set: requests a value. */
  constructor(private readonly set: (name: string, value: string) => void) {
    const fields = make("div", { class: "fields" });
    const orders = make("datalist", { id: "orders" }, ...ORDERS.map((o) => make("option", { value: o })));
    fields.append(
      this.choice("method", "Method", "how the equations of motion are solved"),
      this.choice("solver", "Solver", "of the method"),
      this.choice("impact", "Impacts", "event: at their exact time; window: in the step, for piles"),
      this.entry("step", "Step", "s", "length of a step in s"),
      this.entry("order", "Order", "", "of accuracy: of impulse 2, 4, 6 or 8; of taylor any from 2", { list: "orders" }),
      this.choice("scheme", "Scheme", "how an order above 2 is reached"),
      this.entry("tolerance", "Tolerance", "m", "how closely joints are kept, m and rad"),
      this.entry("error", "Error", "m per s", "steps as long as this error allows, m and rad per simulated s; empty: steps of one length", {
        placeholder: "none",
        "data-may-be-empty": "",
      }),
      orders,
    );
    find("options").append(fields, this.ownPlace);
  }

  setMethods(methods: Method[]): void {
    this.methods = methods;
  }

  /** Shows the present options. */
  show(options: Options): void {
    const { method } = options;
    const names = this.methods.map((m) => m.name);
    this.fill("method", names, method, (name) => this.methods.find((m) => m.name === name));
    this.fill("solver", options.solvers, options.solver);
    this.fill("scheme", SCHEMES[method] ?? [], options.scheme);
    this.fill("impact", IMPACTS, options.impact);
    this.write("order", textOf(options.order));
    this.write("step", textOf(options.step));
    this.write("tolerance", textOf(options.tolerance));
    this.write("error", textOf(options.error));
    this.showOwn(method, options.own);
  }

  /** Returns a summary for the head of the page. */
  static summary({ method, solver, order, step, error, own }: Options): string[] {
    const length = step < 0.1 ? `${format(1000 * step, 3)} ms` : `${format(step, 3)} s`;
    const given = own.filter((o) => o.given).map((o) => `${o.name} ${o.value}`);
    const parts = [method, solver, ...given, order > 0 ? `order ${order}` : "", `step ${length}`, error === null || error === 0 ? "" : `error ${format(error, 2)} per s`];
    return parts.filter((p) => p !== "" && p !== "none");
  }

  private ask(name: string, field: Field): void {
    const value = field.value.trim();
    field.classList.add("asked");
    if (value !== "") this.set(name, value);
    else if (field.dataset.mayBeEmpty !== undefined) this.set(name, "none");
    else this.write(name, field.dataset.atWork ?? "");
  }

  /** Shows the options of the method; fields are made again for another method. An option that is not given is shown with its default. */
  private showOwn(method: string, own: OwnOption[]): void {
    const key = JSON.stringify([method, own.map((o) => o.name)]);
    if (this.own !== key) {
      this.own = key;
      this.ownPlace.hidden = own.length === 0;
      setText(this.ownTitle, `Options of ${method}`);
      this.ownFields.replaceChildren(...own.map((o) => this.ownField(o)));
    }
    for (const { name, value, given, words } of own) {
      if (words !== undefined) this.fill(name, words, String(value));
      else this.write(name, given ? String(value) : "");
      const field = this.fields.get(name)!;
      if (field instanceof HTMLInputElement) field.placeholder = typeof value === "number" && value !== 0 ? String(value) : "";
    }
  }

  private ownField({ name, words, says }: OwnOption): HTMLElement {
    return words !== undefined ? this.choice(name, name, says) : this.entry(name, name, "", says, { "data-may-be-empty": "" });
  }

  private choice(name: string, title: string, about: string): HTMLElement {
    const field = make("select", { id: `option-${name}` });
    this.fields.set(name, field);
    field.addEventListener("change", () => this.ask(name, field));
    return make("label", { title: about }, make("span", {}, title), field);
  }

  private entry(name: string, title: string, unit: string, about: string, more: Record<string, string> = {}): HTMLElement {
    const field = make("input", { id: `option-${name}`, type: "text", autocomplete: "off", spellcheck: "false", ...more });
    this.fields.set(name, field);
    field.addEventListener("change", () => this.ask(name, field));
    field.addEventListener("keydown", (e) => {
      if (e.key === "Enter") field.blur(); // which requests the value if it has changed
      if (e.key !== "Escape") return;
      field.value = field.dataset.atWork ?? "";
      field.blur();
    });
    const named = unit === "" ? title : make("span", {}, title, make("span", { class: "unit" }, ` ${unit}`));
    return make("label", { title: about, class: name }, typeof named === "string" ? make("span", {}, named) : named, field);
  }

  /** Fills a list with choices, including the present one even if it is not among them. */
  private fill(name: string, choices: string[], atWork: string, about?: (choice: string) => Method | undefined): void {
    const field = this.fields.get(name) as HTMLSelectElement;
    const all = choices.includes(atWork) ? choices : [...choices, atWork];
    const key = JSON.stringify([all, this.methods.map((m) => m.can)]);
    if (field.dataset.choices !== key) {
      field.dataset.choices = key;
      field.replaceChildren(
        ...all.map((choice) => {
          const method = about?.(choice);
          const option = make("option", { value: choice, title: method?.why ?? "" }, choice === "" ? "none" : choice);
          option.disabled = method?.can === false;
          return option;
        }),
      );
    }
    field.disabled = all.length < 2;
    this.write(name, atWork);
  }

  /** Writes a value to a field, unless the user is typing in it. */
  private write(name: string, value: string): void {
    const field = this.fields.get(name)!;
    field.dataset.atWork = value;
    if (document.activeElement === field && field instanceof HTMLInputElement) return;
    field.classList.remove("asked");
    if (field.value !== value) field.value = value;
  }
}

/** Returns a number as text, with the digits that fit in a field. */
function textOf(value: number | null | undefined): string {
  return typeof value !== "number" || value === 0 ? "" : String(Number(value.toPrecision(7))).replace("e+", "e");
}
