// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// `trammel view` without its server: a machine that a live page displays and controls (viewer/DATA.md, "Live"). The caller makes turns
// when they are due, and passes the messages of each turn to the page.

import { cleanPath } from "./files.js";
import type { Trammel } from "./index.js";

/** A text of the protocol, a frame, or a sentence about a request that cannot be done. */
export type Sheet = { kind: "text"; text: string } | { kind: "frame"; bytes: ArrayBuffer } | { kind: "trouble"; sentence: string };

export class Session {
  constructor(private readonly trammel: Trammel) {}

  /** Opens a model; playing, at this many simulated seconds per second. Returns why it cannot be simulated, or an empty text. */
  open(name: string, text: string, files: Record<string, string | Uint8Array>, playing: boolean, speed: number): string {
    const { module } = this.trammel;
    const path = this.put(name, text, files);
    const opened = module.with([path], (e, at) => e.session_open(at, Number(playing), speed));
    return opened !== 0 ? "" : module.answerText();
  }

  /** Stores files for the next `reload`. Returns the name of the model. */
  put(name: string, text: string, files: Record<string, string | Uint8Array>): string {
    const { module } = this.trammel;
    const path = cleanPath(name);
    module.files.clear();
    for (const [file, content] of Object.entries(files)) module.files.set(file, content);
    module.files.set(path, text);
    return path;
  }

  /** Posts a message of the page. Returns why it is invalid, or an empty text. */
  ask(message: string): string {
    const { module } = this.trammel;
    return module.with([message], (e, at) => e.session_ask(at)) !== 0 ? "" : module.answerText();
  }

  /** Makes a turn. Returns the time until the next is due, s. */
  turn(): number {
    return this.trammel.module.call((e) => e.session_turn());
  }

  /** Returns the next message for the page, oldest first; null: there is none. frames: the page can draw a frame; otherwise frames are
   * skipped, and the next contains their rows. */
  take(frames = true): Sheet | null {
    const { module } = this.trammel;
    const kind = String.fromCharCode(module.call((e) => e.session_take(frames)));
    if (kind === "s") return { kind: "text", text: module.answerText() };
    if (kind === "f") return { kind: "frame", bytes: module.answer().buffer as ArrayBuffer };
    return kind === "t" ? { kind: "trouble", sentence: module.answerText() } : null;
  }

  close(): void {
    this.trammel.module.call((e) => e.session_close());
  }
}
