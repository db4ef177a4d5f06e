// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// What the program says to a live page (DATA.md, "Live"), apart from frames.

import { completeScene } from "./data";
import type { Scene, Series } from "./data";

export interface Method {
  name: string;
  can: boolean;
  why: string; // it cannot
}

export interface SceneMessage {
  kind: "scene";
  number: number;
  scene: Scene;
  series: Omit<Series, "values">[];
  methods: Method[];
}

/** An option of the method's own. */
export interface OwnOption {
  name: string;
  value: string | number | null; // null: infinite
  given: boolean; // else it is as the method has it
  words?: string[]; // that it can be
  says: string; // for people, with its unit
}

/** What is at work. */
export interface Options {
  method: string;
  solver: string;
  solvers: string[]; // that the method has
  scheme: string;
  impact: string;
  order: number;
  step: number; // s
  tolerance: number;
  error: number | null;
  start: string; // the pose that it began with; empty: that of the model
  own: OwnOption[];
}

/** What is set while the machine runs. */
export interface Control {
  name: string;
  unit: string;
  range: [number | null, number | null]; // null: nothing bounds it
  value: number | null;
}

export interface Controls {
  list: Control[];
  poses: string[]; // to start from
}

/** Of the model: another value begins the run again. */
export interface Constant {
  name: string;
  value: number;
  changed: boolean; // by a page
}

export interface Status {
  kind: "status";
  playing: boolean;
  speed: number; // simulated s per s, wanted
  pace: number; // and reached
  late: boolean; // steps take longer than the speed allows
  options: Options;
  controls: Controls;
  joints: Control[]; // their coordinates
  constants: Constant[];
  past: [number, number] | null; // s: the first and the last moment that one can go back to
  file: string;
  pages: number;
  stopped: string; // why it cannot continue
  report: Record<string, unknown>;
}

export interface Trouble {
  kind: "trouble";
  sentence: string;
}

export type Message = SceneMessage | Status | Trouble;

/** Null: it is none, which is said once for each reason. */
export function readMessage(text: string): Message | null {
  let message: Message;
  try {
    message = JSON.parse(text) as Message;
  } catch (error) {
    remark(`a message is no JSON: ${(error as Error).message}`);
    return null;
  }
  const kind = (message as { kind?: unknown } | null)?.kind;
  const whole =
    (message?.kind === "scene" && Array.isArray(message.scene?.bodies) && message.scene.bodies.length > 0) ||
    (message?.kind === "status" && typeof message.options === "object" && message.options !== null) ||
    (message?.kind === "trouble" && typeof message.sentence === "string");
  if (!whole) {
    remark(`a message of the kind ${JSON.stringify(kind)} is not understood`);
    return null;
  }
  if (message.kind === "status") {
    message.options.solvers ??= [];
    message.options.own ??= [];
    message.constants ??= [];
    message.joints ??= [];
    message.past ??= null;
  }
  if (message.kind === "scene") {
    completeScene(message.scene);
    message.series ??= [];
    message.methods ??= [];
  }
  return message;
}

const remarked = new Set<string>();

/** Something that the program should not have sent: passed over, and said once. */
export function remark(what: string): void {
  if (remarked.has(what)) return;
  remarked.add(what);
  console.info(`Passed over: ${what}.`);
}
