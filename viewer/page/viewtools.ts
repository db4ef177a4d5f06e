// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The buttons above the machine: select a body, follow it, show the joints, restore the initial view.

import { POSE } from "./data";
import type { Scene } from "./data";
import { find, make, setPressed, setText } from "./dom";
import type { Key } from "./keys";
import { fixed } from "./number";
import type { Stage } from "./stage";
import { Views } from "./views";

export interface ViewEvents {
  /** Returns the path of a selected body, three numbers per point. */
  pathOf(body: number): Float32Array | null;
  /** A body was selected (-1: none), with its name and those of its joints. */
  chosen(body: number, names: string[]): void;
}

export class ViewTools {
  body = -1;
  follows = false;
  joints = false;
  names = false;
  frames = false;
  readonly views = new Views();
  private scene: Scene | null = null;
  private stage: Stage | null = null;

  constructor(private readonly events: ViewEvents) {
    const list = find<HTMLSelectElement>("body");
    list.addEventListener("change", () => this.choose(Number(list.value)));
    find("follow").addEventListener("click", () => this.follow(!this.follows));
    find("joints").addEventListener("click", () => this.showJoints(!this.joints));
    find("names").addEventListener("click", () => this.showNames(!this.names));
    find("axes").addEventListener("click", () => this.showFrames(!this.frames));
    find("reset").addEventListener("click", () => this.stage?.resetCamera());
  }

  setScene(scene: Scene, stage: Stage | null): void {
    this.scene = scene;
    this.stage = stage;
    this.body = -1;
    const named = scene.bodies.map((body, i) => ({ body, i })).filter(({ body }) => body.kind !== "ground");
    find("body").replaceChildren(
      make("option", { value: "-1" }, "no body"),
      ...named.map(({ body, i }) => make("option", { value: String(i) }, body.name)),
    );
    find("joints").hidden = scene.joints.length === 0;
    find("view-tools").hidden = stage === null;
    this.views.setScene(scene.name, stage);
    this.showJoints(false);
    this.showNames(this.names);
    this.showFrames(this.frames);
  }

  choose(body: number): void {
    const { scene } = this;
    if (scene === null) return;
    this.body = body;
    const held = body < 0 || scene.bodies[body].kind === "ground" || scene.bodies[body].kind === "fixed";
    this.stage?.choose(body, held ? null : this.events.pathOf(body));
    find<HTMLSelectElement>("body").value = String(body);
    this.follow(this.follows && body >= 0);
    const joints = scene.joints.filter((j) => j.bodies.includes(body)).map((j) => j.name);
    this.events.chosen(body, body < 0 ? [] : [scene.bodies[body].name, ...joints]);
  }

  follow(follows: boolean): void {
    // if none is selected, the first that moves
    if (follows && this.body < 0) {
      const first = this.scene?.bodies.findIndex((b) => b.kind === "rigid" || b.kind === "point") ?? -1;
      if (first < 0) return;
      this.follows = true;
      this.choose(first);
      return;
    }
    this.follows = follows;
    this.stage?.follow(follows ? this.body : -1);
    setPressed(find("follow"), follows);
  }

  showJoints(shown: boolean): void {
    this.joints = shown;
    this.stage?.showJoints(shown);
    setPressed(find("joints"), shown);
  }

  showNames(shown: boolean): void {
    this.names = shown;
    this.stage?.showNames(shown);
    setPressed(find("names"), shown);
  }

  showFrames(shown: boolean): void {
    this.frames = shown;
    this.stage?.showFrames(shown);
    setPressed(find("axes"), shown);
  }

  /** Shows the position of the selected body. */
  showPlace(poses: Float32Array): void {
    const place = find("place");
    place.hidden = this.body < 0;
    if (this.scene === null || this.body < 0) return;
    const at = [...poses.subarray(POSE * this.body, POSE * this.body + 3)];
    setText(place, `${this.scene.bodies[this.body].name} at ${at.map((x) => fixed(x, 3)).join(", ")} m`);
  }

  keys(): Key[] {
    return [
      { keys: ["f"], shown: "F", what: "follow the selected body", act: () => this.follow(!this.follows) },
      { keys: ["j"], shown: "J", what: "joints and their axes", act: () => this.showJoints(!this.joints) },
      { keys: ["n"], shown: "N", what: "names of bodies", act: () => this.showNames(!this.names) },
      { keys: ["x"], shown: "X", what: "frames of bodies", act: () => this.showFrames(!this.frames) },
      { keys: ["r"], shown: "R", what: "restore the initial view", act: () => this.stage?.resetCamera() },
      ...this.views.keys(),
      { keys: ["s"], shown: "S", what: "save the picture as PNG", act: () => find("shot").click() },
      { keys: ["v"], shown: "V", what: "start and end a film", act: () => find("film").click() },
    ];
  }
}
