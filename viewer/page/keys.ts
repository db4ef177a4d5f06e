// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Keyboard shortcuts, and their list.

import { make } from "./dom";

export interface Key {
  keys: string[]; // as KeyboardEvent.key
  shown: string;
  what: string;
  act(event: KeyboardEvent): void;
}

export function listen(keys: Key[]): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (target.matches("select, input:not([type=range]), textarea")) return;
    if (event.key === " " && target.matches("summary")) return;
    if (document.querySelector("dialog[open]") !== null && event.key !== "?") return;
    const key = keys.find((k) => k.keys.includes(event.key.length === 1 ? event.key.toLowerCase() : event.key));
    if (key === undefined) return;
    event.preventDefault();
    key.act(event);
  });
}

export function makeHelp(keys: Key[]): HTMLElement {
  const list = make("dl");
  for (const { shown, what } of keys) {
    const caps = shown.split(" ").map((cap) => make("kbd", {}, cap));
    list.append(make("dt", {}, ...caps), make("dd", {}, what));
  }
  return list;
}
