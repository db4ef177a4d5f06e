// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Light and dark theme: that of the system until the user selects another by a button. Colours of bodies and of curves.

export type Theme = "light" | "dark";

type Listener = (theme: Theme) => void;

const listeners: Listener[] = [];
const system = matchMedia("(prefers-color-scheme: dark)");
let chosen: Theme | null = null;

export function theme(): Theme {
  return chosen ?? (system.matches ? "dark" : "light");
}

function apply(): void {
  document.documentElement.dataset.theme = theme();
  for (const listener of listeners) listener(theme());
}

export function chooseTheme(choice: Theme): void {
  chosen = choice;
  apply();
}

/** Adds a listener. Returns a function that removes it. */
export function onTheme(listener: Listener): () => void {
  listeners.push(listener);
  return () => listeners.splice(listeners.indexOf(listener), 1);
}

export function startTheme(): void {
  system.addEventListener("change", apply);
  apply();
}

/** Returns the value of a variable of the style, such as --text. */
export function styleColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Colours of bodies whose parts have none, as in src/io/scene.c, which colour-blind people can distinguish. */
export const BODY_COLOURS = [0x4a7aa9, 0xc9744c, 0x5c9b7e, 0xab7ba3, 0xcda349, 0x7fb0c9, 0x8c8750];
export const FIXED_COLOUR = 0x9aa1a8;

const CURVES: Record<Theme, string[]> = {
  light: ["#1f6fb2", "#d1590f", "#0f8a64", "#b3568a", "#b07a00", "#3d9fd0", "#7d7620", "#6b5bb0"],
  dark: ["#6cb2ee", "#f39a63", "#4fcaa2", "#e69ac2", "#e8bb55", "#8fd3f7", "#c9c268", "#b0a3f0"],
};

export function curveColour(i: number): string {
  const colours = CURVES[theme()];
  return colours[i % colours.length];
}
