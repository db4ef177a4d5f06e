// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// What drives the machine, to be set while it runs: its inputs, targets of servos, velocities of motors, efforts; and poses to start from.
// Sliders show what is at work. The one that is being moved is left alone.

import { find, make, setText } from "./dom";
import type { Control, Controls } from "./live";
import { format } from "./number";

/** Parts of a slider's way. */
const PARTS = 400;

/** Where nothing bounds it: about the value, by the unit. */
function usualRange({ unit, value }: Control): [number, number] {
  const most = unit === "rad" ? Math.PI : Math.max(1, 2 * Math.abs(value ?? 0));
  return [-most, most];
}

function rangeOf(control: Control): [number, number] {
  const usual = usualRange(control);
  return [control.range[0] ?? usual[0], control.range[1] ?? usual[1]];
}

class Slider {
  readonly row: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly shown = make("output");
  private held = false;

  constructor(control: Control, number: number, send: (text: string) => void) {
    const [low, high] = rangeOf(control);
    this.slider = make("input", { id: `control-${number}`, type: "range", min: String(low), max: String(high), step: String((high - low) / PARTS) });
    const back = make("button", { type: "button", title: "as the model has it", "aria-label": `${control.name} as the model has it` }, "×");
    const unit = control.unit === "" ? "" : make("span", { class: "unit" }, ` ${control.unit}`);
    this.row = make("label", { title: `${control.name}, ${format(low, 3)} to ${format(high, 3)} ${control.unit}` }, make("span", {}, control.name, unit), this.slider, this.shown, back);
    this.slider.addEventListener("input", () => {
      this.held = true;
      this.write(Number(this.slider.value));
      send(`control ${number} ${this.slider.value}`);
    });
    this.slider.addEventListener("change", () => (this.held = false));
    back.addEventListener("click", () => {
      this.held = false;
      send(`uncontrol ${number}`);
    });
  }

  show(value: number | null): void {
    if (this.held) return;
    this.slider.value = String(value ?? 0);
    this.write(value);
  }

  private write(value: number | null): void {
    setText(this.shown, value === null ? "–" : format(value, 3));
  }
}

export class ControlSliders {
  private sliders: Slider[] = [];
  private key = "";
  private readonly poses = make("select", { id: "pose", "aria-label": "pose to start from" });
  private readonly posePlace = make("label", { class: "pose" }, make("span", {}, "Start from"), this.poses);
  private readonly list = make("div", { class: "sliders" });

  /** send: a message to the program. */
  constructor(private readonly send: (text: string) => void) {
    find("controls").append(this.posePlace, this.list);
    this.poses.addEventListener("change", () => {
      this.send(`set start ${this.poses.value === "" ? "none" : this.poses.value}`);
      this.send("reset");
    });
  }

  /** start: the pose that the run began with; empty: the model's. */
  show(controls: Controls, start: string): void {
    const key = JSON.stringify([controls.list.map((c) => [c.name, c.unit, c.range]), controls.poses]);
    if (key !== this.key) {
      this.key = key;
      this.build(controls);
    }
    controls.list.forEach((control, i) => this.sliders[i].show(control.value));
    if (document.activeElement !== this.poses) this.poses.value = start;
  }

  private build({ list, poses }: Controls): void {
    find("drive").hidden = list.length === 0 && poses.length === 0;
    this.posePlace.hidden = poses.length === 0;
    this.poses.replaceChildren(make("option", { value: "" }, "as the model has it"), ...poses.map((name) => make("option", { value: name }, name)));
    this.sliders = list.map((control, i) => new Slider(control, i, this.send));
    this.list.replaceChildren(...this.sliders.map((s) => s.row));
  }
}
