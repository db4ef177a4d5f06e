// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Files that are dropped on a page or chosen, alone, in folders or in a ZIP: one of them is the model, the others are the files that it
// names.

import { find } from "./dom";
import { unpacked } from "./unzip";

export interface Dropped {
  path: string; // path in the dropped folder or ZIP, else the name
  file: File;
}

/** A model among files. */
export interface Chosen {
  model: Dropped;
  others: Dropped[]; // all other files
  models: string[]; // other models among the files that no file includes
}

/** Endings of model files, the likeliest first. */
export const MODELS = [".json", ".urdf", ".xml", ".mjcf", ".sdf", ".world"];
/** Endings of files that no model needs. */
const NEVER = [".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tga", ".tif", ".tiff", ".hdr", ".mp4", ".avi", ".bag", ".mcap", ".pdf", ".blend", ".step", ".stp", ".html"];
/** Number of bytes read to recognise a model and to find its includes. */
const HEAD = 1 << 18;
const ROOTS = /<(robot|mujoco|sdf)[\s>]|"trammel"\s*:/;
const INCLUDES = /(?:<include[^>]*\bfile\s*=\s*|"file"\s*:\s*)["']([^"']+)["']/g;

export const ending = (path: string): string => path.slice(path.lastIndexOf(".")).toLowerCase();
export const last = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const depth = (path: string): number => path.split("/").length;

/** Returns false for hidden files and folders, files added by systems and tools, and formats that are never read. */
const isNeeded = ({ path }: Dropped): boolean =>
  !path.split("/").some((part) => (part.startsWith(".") && part !== "." && part !== "..") || part === "__MACOSX" || part === "node_modules") && !NEVER.includes(ending(path));

/** Adds all files in a folder and in its subfolders. */
async function filesIn(entry: FileSystemEntry, into: Dropped[]): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed));
    into.push({ path: entry.fullPath.replace(/^\/+/, ""), file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) return;
    for (const inner of some) await filesIn(inner, into);
  }
}

async function filesOf(entries: (FileSystemEntry | null)[], plain: File[]): Promise<Dropped[]> {
  const all: Dropped[] = [];
  for (const [i, entry] of entries.entries()) {
    if (entry?.isDirectory === true) await filesIn(entry, all);
    else if (plain[i] !== undefined) all.push({ path: plain[i].name, file: plain[i] });
  }
  return all;
}

/** Chooses the model: a file that no other includes, with the fewest folders in its path, then by its ending. Null: there is none. */
export async function chooseModel(files: Dropped[]): Promise<Chosen | null> {
  const named = files.filter(({ path }) => MODELS.includes(ending(path)) && last(path) !== "package.xml");
  const heads = new Map<Dropped, string>();
  for (const one of named) heads.set(one, await one.file.slice(0, HEAD).text());
  const sure = named.filter((one) => ROOTS.test(heads.get(one) ?? ""));
  const candidates = sure.length > 0 ? sure : named; // the program reports the errors of a broken one
  const included = new Set([...heads.values()].flatMap((text) => [...text.matchAll(INCLUDES)].map(([, name]) => last(name))));
  const rank = ({ path }: Dropped): number => (included.has(last(path)) ? 1e6 : 0) + depth(path) * 100 + MODELS.indexOf(ending(path));
  const [model, ...rest] = candidates.sort((a, b) => rank(a) - rank(b) || a.path.localeCompare(b.path));
  if (model === undefined) return null;
  const models = sure.length > 0 ? rest.filter(({ path }) => !included.has(last(path))).map(({ path }) => path) : [];
  return { model, others: files.filter((one) => one !== model), models };
}

/** Calls taken with the files of each drop, out of folders and a ZIP of at most this many bytes. The overlay shows where. */
export function watchFiles(most: number, taken: (files: Dropped[]) => Promise<void>, trouble: (sentence: string) => void): void {
  const overlay = find("drop");
  const chooser = find<HTMLInputElement>("file");
  const hasFiles = (e: DragEvent): boolean => e.dataTransfer?.types.includes("Files") === true;
  let inside = 0; // number of elements that the file has entered and not left
  const give = async (entries: (FileSystemEntry | null)[], plain: File[]): Promise<void> => {
    const name = plain[0]?.name ?? entries[0]?.name ?? "";
    try {
      const all = await unpacked(await filesOf(entries, plain), most);
      if (all.length > 0) await taken(all.filter(isNeeded));
    } catch (error) {
      trouble(`${name} cannot be read: ${(error as Error).message.replace(/\.$/, "")}.`);
    }
  };

  addEventListener("dragenter", (e) => {
    if (!hasFiles(e)) return;
    e.preventDefault();
    inside++;
    overlay.hidden = false;
  }, true);
  addEventListener("dragover", (e) => hasFiles(e) && e.preventDefault(), true);
  addEventListener("dragleave", (e) => {
    if (!hasFiles(e)) return;
    inside = Math.max(inside - 1, 0);
    overlay.hidden = inside === 0;
  }, true);
  addEventListener("drop", (e) => {
    inside = 0;
    overlay.hidden = true;
    if (!hasFiles(e) || e.dataTransfer === null) return;
    e.preventDefault();
    e.stopPropagation(); // an editor would insert the text at the mouse
    const items = [...e.dataTransfer.items].filter((item) => item.kind === "file"); // both are invalid after the event
    void give(items.map((item) => item.webkitGetAsEntry()), [...e.dataTransfer.files]);
  }, true);
  find("open").addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", () => {
    const files = [...(chooser.files ?? [])];
    void give(files.map(() => null), files);
    chooser.value = ""; // the same file may be opened again
  });
}
