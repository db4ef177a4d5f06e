// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Controls of a running simulation: inputs, targets of servos, velocities of motors, efforts; and poses to start from. Joint coordinates,
// which the user can move within their limits. Sliders show the present values, except the one that is being moved.

import { find, make, setText } from "./dom";
import type { Control, Controls } from "./live";
import { format } from "./number";

/** Number of steps of a slider. */
const PARTS = 400;

/** Returns the range of an unbounded control: around its value, with a width that depends on the unit. */
function usualRange({ unit, value }: Control): [number, number] {
  const most = unit === "rad" ? Math.PI : Math.max(1, 2 * Math.abs(value ?? 0));
  return [-most, most];
}

function rangeOf(control: Control): [number, number] {
  const usual = usualRange(control);
  return [control.range[0] ?? usual[0], control.range[1] ?? usual[1]];
}

/** The words of the protocol that a slider sends: one that sets a value, and one that restores that of the model, if there is one. */
interface Words {
  id: string;
  set: string;
  back?: string;
}

const CONTROL: Words = { id: "control", set: "control", back: "uncontrol" };
const JOG: Words = { id: "jog", set: "jog" };

class Slider {
  readonly row: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly shown = make("output");
  private readonly grain: number; // smaller values are shown as 0
  private held = false;

  constructor(control: Control, number: number, words: Words, send: (text: string) => void) {
    const [low, high] = rangeOf(control);
    this.grain = (high - low) / PARTS / 10;
    this.slider = make("input", { id: `${words.id}-${number}`, type: "range", min: String(low), max: String(high), step: String((high - low) / PARTS) });
    const unit = control.unit === "" ? "" : make("span", { class: "unit" }, ` ${control.unit}`);
    this.row = make("label", { title: `${control.name}, ${format(low, 3)} to ${format(high, 3)} ${control.unit}` }, make("span", {}, control.name, unit), this.slider, this.shown);
    this.slider.addEventListener("input", () => {
      this.held = true;
      this.write(Number(this.slider.value));
      send(`${words.set} ${number} ${this.slider.value}`);
    });
    this.slider.addEventListener("change", () => (this.held = false));
    if (words.back !== undefined) this.row.append(this.backButton(control.name, `${words.back} ${number}`, send));
  }

  show(value: number | null): void {
    if (this.held) return;
    this.slider.value = String(value ?? 0);
    this.write(value);
  }

  private backButton(name: string, text: string, send: (text: string) => void): HTMLElement {
    const back = make("button", { type: "button", title: "as the model has it", "aria-label": `${name} as the model has it` }, "×");
    back.addEventListener("click", () => {
      this.held = false;
      send(text);
    });
    return back;
  }

  private write(value: number | null): void {
    setText(this.shown, value === null ? "–" : format(Math.round(value / this.grain) * this.grain, 3));
  }
}

/** Sliders of a list, which are made again when the list changes. */
class SliderList {
  readonly place = make("div", { class: "sliders" });
  private sliders: Slider[] = [];
  private key = "";

  constructor(
    private readonly words: Words,
    private readonly send: (text: string) => void,
  ) {}

  show(list: Control[]): void {
    const key = JSON.stringify(list.map((c) => [c.name, c.unit, c.range]));
    if (key !== this.key) {
      this.key = key;
      this.sliders = list.map((control, i) => new Slider(control, i, this.words, this.send));
      this.place.replaceChildren(...this.sliders.map((s) => s.row));
    }
    list.forEach((control, i) => this.sliders[i].show(control.value));
  }
}

/** Sliders of joint coordinates, which the machine assumes at once, at rest. */
export class JogSliders {
  private readonly list: SliderList;

  constructor(send: (text: string) => void) {
    this.list = new SliderList(JOG, send);
    find("jogs").append(this.list.place);
  }

  show(joints: Control[]): void {
    find("jog-part").hidden = joints.length === 0;
    this.list.show(joints);
  }
}

export class ControlSliders {
  private key = "";
  private readonly list: SliderList;
  private readonly poses = make("select", { id: "pose", "aria-label": "pose to start from" });
  private readonly posePlace = make("label", { class: "pose" }, make("span", {}, "Start from"), this.poses);

  /** send: a message to the program. */
  constructor(private readonly send: (text: string) => void) {
    this.list = new SliderList(CONTROL, send);
    find("controls").append(this.posePlace, this.list.place);
    this.poses.addEventListener("change", () => {
      this.send(`set start ${this.poses.value === "" ? "none" : this.poses.value}`);
      this.send("reset");
    });
  }

  /** start: pose with which the run began; empty: that of the model. */
  show(controls: Controls, start: string): void {
    find("drive").hidden = controls.list.length === 0 && controls.poses.length === 0;
    this.list.show(controls.list);
    const key = JSON.stringify(controls.poses);
    if (key !== this.key) this.offer(controls.poses);
    this.key = key;
    if (document.activeElement !== this.poses) this.poses.value = start;
  }

  private offer(poses: string[]): void {
    this.posePlace.hidden = poses.length === 0;
    this.poses.replaceChildren(make("option", { value: "" }, "as the model has it"), ...poses.map((name) => make("option", { value: name }, name)));
  }
}
