// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Creates and finds elements.

type Child = Node | string | null;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter((c): c is Node | string => c !== null));
  return element;
}

/** Returns the number of bytes of a text when it is sent. */
export function sentBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

export function find<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element as T;
}

/** Sets the text only if it differs, because layout is expensive. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setPressed(button: Element, pressed: boolean): void {
  button.setAttribute("aria-pressed", String(pressed));
}

/** Offers a file for download. */
export function download(name: string, type: string, text: string): void {
  downloadBlob(name, new Blob([text], { type }));
}

export function downloadBlob(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
