// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Stored views: along the axes of the model, and those saved by the user, which the browser stores for models of the same name.

import { Vector3 } from "three";
import { find, make } from "./dom";
import type { Key } from "./keys";
import type { Stage } from "./stage";

const MOST = 9;
/** Directions from which the machine is seen, in the model's axes. */
const AXES: [string, [number, number, number]][] = [["along x", [-1, 0, 0]], ["along y", [0, -1, 0]], ["along z", [0, 0, 1]]];

interface Saved {
  eye: [number, number, number];
  target: [number, number, number];
}

export class Views {
  saved: Saved[] = [];
  private stage: Stage | null = null;
  private key = "";
  private readonly list = find<HTMLSelectElement>("views");

  constructor() {
    this.list.addEventListener("change", () => {
      const { value } = this.list;
      this.list.value = "";
      if (value === "save") this.save();
      else if (value === "first") this.stage?.resetCamera();
      else if (value.startsWith("axis")) this.lookAlong(Number(value.slice(4)));
      else if (value !== "") this.go(Number(value));
    });
  }

  setScene(name: string, stage: Stage | null): void {
    this.stage = stage;
    this.key = `trammel views of ${name}`;
    this.saved = this.read();
    this.fill();
  }

  save(): void {
    if (this.stage === null) return;
    const { eye, controls, drifted } = this.stage.camera;
    const place = (v: Vector3): [number, number, number] => v.clone().sub(drifted).toArray();
    this.saved = [...this.saved, { eye: place(eye.position), target: place(controls.target) }].slice(-MOST);
    try {
      localStorage.setItem(this.key, JSON.stringify(this.saved));
    } catch {
      // a page from disk may not store anything; then views last as long as the page
    }
    this.fill();
  }

  /** Restores the saved view of this number, from 0. */
  go(number: number): void {
    const view = this.saved[number];
    if (view !== undefined) this.stage?.lookFrom(new Vector3(...view.eye), new Vector3(...view.target));
  }

  keys(): Key[] {
    return [
      { keys: ["b"], shown: "B", what: "save this view", act: () => this.save() },
      { keys: Array.from({ length: MOST }, (_, i) => String(i + 1)), shown: "1 … 9", what: "a saved view", act: (e) => this.go(Number(e.key) - 1) },
    ];
  }

  private lookAlong(axis: number): void {
    const { stage } = this;
    if (stage === null) return;
    const { eye, controls, drifted } = stage.camera;
    const away = new Vector3(...AXES[axis][1]).applyQuaternion(stage.machine.root.quaternion);
    if (Math.abs(away.y) > 0.999) away.add(new Vector3(0, 0, 1e-3)); // otherwise the upward direction is undefined
    const target = controls.target.clone().sub(drifted);
    stage.lookFrom(target.clone().addScaledVector(away.normalize(), eye.position.distanceTo(controls.target)), target);
  }

  private fill(): void {
    const option = (value: string, text: string): HTMLElement => make("option", { value }, text);
    this.list.replaceChildren(
      option("", "View"),
      option("first", "first view (R)"),
      ...AXES.map(([name], i) => option(`axis${i}`, name)),
      ...this.saved.map((_, i) => option(String(i), `saved ${i + 1} (${i + 1})`)),
      option("save", "save this view (B)"),
    );
  }

  private read(): Saved[] {
    const isPlace = (v: unknown): boolean => Array.isArray(v) && v.length === 3 && v.every((x) => Number.isFinite(x));
    try {
      const read = JSON.parse(localStorage.getItem(this.key) ?? "[]") as Saved[];
      return Array.isArray(read) ? read.filter((v) => isPlace(v?.eye) && isPlace(v?.target)).slice(-MOST) : [];
    } catch {
      return [];
    }
  }
}
