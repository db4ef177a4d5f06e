// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Names of bodies over the picture, on a separate canvas that exists only while they are shown. If two would overlap, the farther one is
// omitted.

import { Vector3 } from "three";
import type { Camera, Quaternion } from "three";
import type { Scene } from "./data";
import { make } from "./dom";
import type { Machine } from "./machine";
import { styleColour } from "./theme";

const HEIGHT = 15; // pixels of a line
const MOST = 400;

interface Name {
  text: string;
  at: Vector3; // on the screen, -1 to 1, and its depth
}

export class Names {
  readonly element = make("canvas", { class: "names", hidden: "" });
  drawn: string[] = []; // what tests look at

  constructor(
    private readonly scene: Scene,
    private readonly machine: Machine,
  ) {}

  show(shown: boolean): void {
    this.element.hidden = !shown;
    if (!shown) this.drawn = [];
  }

  draw(eye: Camera, root: Quaternion): void {
    if (this.element.hidden) return;
    const { clientWidth: width, clientHeight: height } = this.element.parentElement ?? this.element;
    this.element.width = Math.round(width * devicePixelRatio);
    this.element.height = Math.round(height * devicePixelRatio);
    const c = this.element.getContext("2d")!;
    c.scale(devicePixelRatio, devicePixelRatio);
    c.font = "12px system-ui, sans-serif";
    c.lineJoin = "round";
    c.lineWidth = 3;
    c.strokeStyle = styleColour("--panel");
    c.fillStyle = styleColour("--text");
    this.drawn = [];
    const taken: [number, number, number][] = []; // left, right, y
    for (const { text, at } of this.places(eye, root)) {
      const [x, y] = [((at.x + 1) / 2) * width + 8, ((1 - at.y) / 2) * height - 6];
      const right = x + c.measureText(text).width;
      if (taken.some(([l, r, v]) => x < r && right > l && Math.abs(y - v) < HEIGHT)) continue;
      taken.push([x, right, y]);
      c.strokeText(text, x, y);
      c.fillText(text, x, y);
      this.drawn.push(text);
    }
  }

  /** Returns the names with their places, nearest first. */
  private places(eye: Camera, root: Quaternion): Name[] {
    const all = this.scene.bodies.map(({ name, kind, com }, i): Name | null => {
      if (kind === "ground") return null;
      const at = new Vector3(...(com ?? [0, 0, 0])).applyMatrix4(this.machine.bodies[i].matrix).applyQuaternion(root).project(eye);
      return Math.abs(at.x) < 1 && Math.abs(at.y) < 1 && at.z < 1 ? { text: name, at } : null;
    });
    return all.filter((n) => n !== null).sort((a, b) => a.at.z - b.at.z).slice(0, MOST);
  }
}
