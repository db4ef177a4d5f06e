// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Messages at the top of a live page: those that are shown while a condition lasts, below them errors, newest first, each of which can be
// dismissed.

import { find, make } from "./dom";

const MOST = 5;

export class Troubles {
  private readonly standing = new Map<string, HTMLElement>();
  private readonly past: HTMLElement[] = [];

  say(sentence: string): void {
    this.past.find((p) => p.dataset.sentence === sentence)?.querySelector("button")?.click();
    const away = make("button", { type: "button", "aria-label": "put away", title: "put away" }, "×");
    const line = make("p", { role: "alert", "data-sentence": sentence }, make("span", {}, sentence), away);
    away.addEventListener("click", () => {
      this.past.splice(this.past.indexOf(line), 1);
      line.remove();
    });
    const newest = this.past[0];
    if (newest !== undefined) newest.before(line);
    else find("troubles").append(line);
    this.past.unshift(line);
    this.past[MOST]?.querySelector("button")?.click();
  }

  /** Shows a message until it is called with an empty one. */
  stand(about: string, sentence: string): void {
    const line = this.standing.get(about);
    if (sentence === "") {
      line?.remove();
      this.standing.delete(about);
    } else if (line === undefined) {
      const made = make("p", { role: "alert" }, sentence);
      this.standing.set(about, made);
      find("troubles").prepend(made);
    } else if (line.textContent !== sentence) line.textContent = sentence;
  }
}
