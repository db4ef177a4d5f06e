// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// What `trammel view` does, without its server: a machine that a live page watches, changes and pulls at (viewer/DATA.md, "Live"). The caller makes
// turns when they are due, and gives the page what each of them left.

import { cleanPath } from "./files.js";
import type { Trammel } from "./index.js";

/** A text of the protocol, a frame, or a sentence about something that cannot be done. */
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

  /** Files for the next `reload`. Returns the name by which the model is known. */
  put(name: string, text: string, files: Record<string, string | Uint8Array>): string {
    const { module } = this.trammel;
    const path = cleanPath(name);
    module.files.clear();
    for (const [file, content] of Object.entries(files)) module.files.set(file, content);
    module.files.set(path, text);
    return path;
  }

  /** A message of the page. Returns why it is none, or an empty text. */
  ask(message: string): string {
    const { module } = this.trammel;
    return module.with([message], (e, at) => e.session_ask(at)) !== 0 ? "" : module.answerText();
  }

  /** Goes on. Returns when the next turn is due, in s from now. */
  turn(): number {
    return this.trammel.module.call((e) => e.session_turn());
  }

  /** What the page is to get, oldest first; null: nothing more. frames: whether it can draw one; the next has what others would have had. */
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
