// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Constants of the model, whose change restarts the run. A slider covers a factor of two around the model's value; a typed number is not
// limited.

import { find, make } from "./dom";
import type { Constant } from "./live";

const PARTS = 200;

/** Returns the range of a slider: from 0 to twice the value, or -1 to 1 around zero. */
function rangeAbout(value: number): [number, number] {
  if (value === 0) return [-1, 1];
  return value > 0 ? [0, 2 * value] : [2 * value, 0];
}

const textOf = (value: number): string => String(Number(value.toPrecision(6)));

class Field {
  readonly row: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly entry: HTMLInputElement;
  private readonly back = make("button", { type: "button", title: "as the model has it" }, "×");

  constructor({ name, value }: Constant, number: number, send: (text: string) => void) {
    const [low, high] = rangeAbout(value);
    this.slider = make("input", { id: `constant-${number}`, type: "range", min: String(low), max: String(high), step: String((high - low) / PARTS), "aria-label": name });
    this.entry = make("input", { type: "text", autocomplete: "off", spellcheck: "false", "aria-label": `${name}, as a number` });
    this.back.setAttribute("aria-label", `${name} as the model has it`);
    this.row = make("label", { title: name }, make("span", {}, name), this.slider, this.entry, this.back);
    this.slider.addEventListener("input", () => (this.entry.value = textOf(Number(this.slider.value))));
    this.slider.addEventListener("change", () => send(`constant ${name} ${textOf(Number(this.slider.value))}`));
    this.entry.addEventListener("keydown", (e) => e.key === "Enter" && this.entry.blur());
    this.entry.addEventListener("change", () => this.entry.value.trim() !== "" && send(`constant ${name} ${this.entry.value.trim().replace(/\s+/g, " ")}`));
    this.back.addEventListener("click", () => send(`constant ${name} none`));
  }

  show({ value, changed }: Constant): void {
    this.back.disabled = !changed;
    if (document.activeElement === this.slider || document.activeElement === this.entry) return;
    this.slider.value = String(value);
    this.entry.value = textOf(value);
  }
}

export class ConstantFields {
  private fields: Field[] = [];
  private key = "";

  /** send: a message to the program. */
  constructor(private readonly send: (text: string) => void) {}

  show(constants: Constant[]): void {
    const key = JSON.stringify(constants.map((c) => c.name));
    if (key !== this.key) {
      this.key = key;
      this.fields = constants.map((c, i) => new Field(c, i, this.send));
      find("constants").replaceChildren(...this.fields.map((f) => f.row));
      find("constants-part").hidden = constants.length === 0;
    }
    constants.forEach((c, i) => this.fields[i].show(c));
  }
}
