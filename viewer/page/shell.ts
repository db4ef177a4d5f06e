// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The frame of all pages: theme, help, messages at the top.

import { find, make } from "./dom";
import { listen, makeHelp } from "./keys";
import type { Key } from "./keys";
import { chooseTheme, startTheme, theme } from "./theme";

declare global {
  interface Window {
    /** For tests and the gallery. frame: fits the camera to the motion between two times. */
    trammel?: {
      state(): object;
      seek?(t: number): void;
      frame?(from: number, to: number): void;
      pointOf?(body: number, point?: [number, number, number]): [number, number] | null;
    };
  }
}

export const SPEEDS = [0.1, 0.2, 0.5, 1, 2, 5, 10];

export const counted = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

/** Shows a message at the top. */
export function say(sentence: string): void {
  find("troubles").append(make("p", { role: "alert" }, sentence));
}

const otherTheme = (): void => chooseTheme(theme() === "dark" ? "light" : "dark");

export function startShell(): void {
  startTheme();
  find("theme").addEventListener("click", otherTheme);
  // elements below the bar need its height
  new ResizeObserver(([{ target }]) => {
    document.documentElement.style.setProperty("--above", `${(target as HTMLElement).offsetHeight}px`);
  }).observe(find("above"));
}

/** Sets up these shortcuts, those of all pages, and their list. */
export function setUpKeys(own: Key[]): void {
  const help = find<HTMLDialogElement>("help");
  const toggleHelp = (): void => (help.open ? help.close() : help.showModal());
  const keys: Key[] = [
    ...own,
    { keys: ["d"], shown: "D", what: "dark, light", act: otherTheme },
    { keys: ["?"], shown: "?", what: "these keys", act: toggleHelp },
  ];
  listen(keys);
  find("keys").append(makeHelp(keys));
  find("ask").addEventListener("click", toggleHelp);
  help.addEventListener("click", (e) => {
    if (e.target === help) help.close();
  });
}
