// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Messages of the program to a live page (DATA.md, "Live"), except frames.

import { completeScene } from "./data";
import type { Scene, Series } from "./data";

export interface Method {
  name: string;
  can: boolean;
  why: string; // why it cannot run the model
}

export interface SceneMessage {
  kind: "scene";
  number: number;
  scene: Scene;
  series: Omit<Series, "values">[];
  methods: Method[];
}

/** An option of the method. */
export interface OwnOption {
  name: string;
  value: string | number | null; // null: infinite
  given: boolean; // false: the default of the method
  words?: string[]; // possible values
  says: string; // description, with its unit
}

/** The present options. */
export interface Options {
  method: string;
  solver: string;
  solvers: string[]; // solvers of the method
  scheme: string;
  impact: string;
  order: number;
  step: number; // s
  tolerance: number;
  error: number | null;
  start: string; // pose with which the run began; empty: that of the model
  own: OwnOption[];
}

/** A control of the running simulation. */
export interface Control {
  name: string;
  unit: string;
  range: [number | null, number | null]; // null: unbounded
  value: number | null;
}

export interface Controls {
  list: Control[];
  poses: string[]; // poses to start from
}

/** A constant of the model, whose change restarts the run. */
export interface Constant {
  name: string;
  value: number;
  changed: boolean; // changed by a page
}

export interface Status {
  kind: "status";
  playing: boolean;
  speed: number; // simulated s per s, requested
  pace: number; // simulated s per s, reached
  late: boolean; // steps take longer than the speed allows
  options: Options;
  controls: Controls;
  joints: Control[]; // their coordinates
  constants: Constant[];
  past: [number, number] | null; // s: first and last time to which one can return
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

/** Returns null if it is not a valid message, which is reported once for each reason. */
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

/** Reports invalid data from the program, once; they are ignored. */
export function remark(what: string): void {
  if (remarked.has(what)) return;
  remarked.add(what);
  console.info(`Passed over: ${what}.`);
}
