// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Messages between the page of the playground and its worker.

import type { Message } from "../../wasm/package/index";

export type Files = Record<string, string | Uint8Array>;

export type ToWorker =
  | { kind: "load"; id: number; name: string; text: string; files: Files; playing: boolean }
  | { kind: "ask"; text: string }; // a message of the live page (viewer/DATA.md)

export type FromWorker =
  | { kind: "ready"; schema: object; version: string }
  | { kind: "checked"; id: number; messages: Message[]; why: string } // why: sentence that says why it cannot be simulated; empty: it can
  | { kind: "text"; text: string }
  | { kind: "frame"; bytes: ArrayBuffer }
  | { kind: "broken"; why: string };
