// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// A model in a link: its name and text, compressed, in the fragment of the address, which browsers do not send.

export interface Shared {
  name: string;
  text: string;
}

const KEY = "#m=";
/** Largest number of characters of a model from a link. */
const MOST = 2_000_000;

async function pass(bytes: Uint8Array, through: CompressionStream | DecompressionStream, most: number): Promise<Uint8Array> {
  const reader = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(through).getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > most) throw new Error("it is too large");
    pieces.push(next.value);
  }
  const whole = new Uint8Array(size);
  pieces.reduce((at, piece) => (whole.set(piece, at), at + piece.length), 0);
  return whole;
}

export async function toFragment(model: Shared): Promise<string> {
  const bytes = await pass(new TextEncoder().encode(JSON.stringify([model.name, model.text])), new CompressionStream("deflate-raw"), Infinity);
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return KEY + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Returns the model in the address; null: there is none. Throws if it cannot be read. */
export async function fromFragment(fragment: string): Promise<Shared | null> {
  if (!fragment.startsWith(KEY)) return null;
  const coded = atob(fragment.slice(KEY.length).replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(coded, (c) => c.charCodeAt(0));
  const read: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await pass(bytes, new DecompressionStream("deflate-raw"), MOST)));
  if (!Array.isArray(read) || typeof read[0] !== "string" || typeof read[1] !== "string") throw new Error("it holds no model");
  return { name: cleanName(read[0]), text: read[1] };
}

/** Returns a part of a path without characters that file names cannot have. */
export function cleanName(name: string): string {
  const last = name.replace(/[\u0000-\u001f\u007f]/g, "").split(/[\\/]/).pop() ?? "";
  return last.slice(-100) || "model.json";
}
