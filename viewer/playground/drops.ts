// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Files that are dropped on the page or chosen, also in a ZIP: one of them is the model, the others are what it names. Nothing leaves the tab.

import { find } from "../page/dom";
import { unpacked } from "../page/unzip";
import { cleanPath } from "../../wasm/package/files";
import type { Files } from "./messages";
import type { Model } from "./tab";

const MODELS = [".json", ".urdf", ".xml", ".mjcf", ".sdf", ".world"];
/** Bytes of all files together. */
const MOST = 200 * 1024 * 1024;

interface Dropped {
  path: string;
  file: File;
}

const ending = (path: string): string => path.slice(path.lastIndexOf(".")).toLowerCase();
const folder = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);
const last = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Files in folders that were dropped, too. */
async function entriesOf(entry: FileSystemEntry, into: Dropped[]): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed));
    into.push({ path: cleanPath(entry.fullPath), file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) return;
    for (const inner of some) await entriesOf(inner, into);
  }
}

/** Files that lie beside each other are also found where the model says that they are: "package://robot/meshes/arm.stl", meshdir. */
function placeByName(text: string, model: string, files: Files): void {
  const names = new Map(Object.keys(files).map((path) => [last(path), path]));
  const meshes = text.match(/meshdir\s*=\s*["']([^"']*)["']/)?.[1] ?? "";
  for (const [, named] of text.matchAll(/["'>]\s*([^"'<>\n]+\.\w{2,5})\s*["'<]/g)) {
    const path = names.get(last(named));
    if (path === undefined) continue;
    const plain = named.replace(/^\w+:\/\//, "");
    for (const place of [folder(model) + plain, plain, `${folder(model)}${meshes}/${plain}`]) files[cleanPath(place)] ??= files[path];
  }
}

async function modelOf(dropped: Dropped[]): Promise<Model> {
  const total = dropped.reduce((sum, { file }) => sum + file.size, 0);
  if (total > MOST) throw new Error(`the files have ${Math.round(total / 1048576)} MiB; the playground takes ${MOST / 1048576}`);
  const order = (d: Dropped): number => MODELS.indexOf(ending(d.path)) - (d.path.split("/").length - 1) * -10;
  const [model] = dropped.filter((d) => MODELS.includes(ending(d.path))).sort((a, b) => order(a) - order(b));
  if (model === undefined) throw new Error(`None of the files is a model; its name ends in ${MODELS.join(", ")}`);
  const files: Files = {};
  for (const { path, file } of dropped) if (path !== model.path) files[path] = new Uint8Array(await file.arrayBuffer());
  const text = await model.file.text();
  placeByName(text, model.path, files);
  return { name: model.path, text, files };
}

export function takeDrops(taken: (model: Model) => void, trouble: (sentence: string) => void): void {
  const overlay = find("drop");
  const chooser = find<HTMLInputElement>("file");
  let inside = 0;
  const give = (dropped: Promise<Dropped[]>): void =>
    void dropped.then((all) => unpacked(all, MOST)).then((all) => (all.length === 0 ? undefined : modelOf(all).then(taken))).catch((error: Error) => trouble(`That cannot be opened: ${error.message}.`));

  chooser.multiple = true;
  chooser.accept = "";
  const hasFiles = (e: DragEvent): boolean => e.dataTransfer?.types.includes("Files") === true;
  addEventListener("dragenter", (e) => {
    if (!hasFiles(e)) return;
    e.preventDefault();
    inside++;
    overlay.hidden = false;
  }, true);
  addEventListener("dragover", (e) => hasFiles(e) && e.preventDefault(), true);
  addEventListener("dragleave", (e) => {
    if (hasFiles(e)) inside = Math.max(inside - 1, 0);
    overlay.hidden = inside === 0;
  }, true);
  addEventListener("drop", (e) => {
    inside = 0;
    overlay.hidden = true;
    if (!hasFiles(e)) return;
    e.preventDefault();
    e.stopPropagation(); // the editor would put the text where the mouse is
    const entries = [...(e.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry()).filter((x) => x !== null);
    const dropped: Dropped[] = [];
    give(Promise.all(entries.map((x) => entriesOf(x, dropped))).then(() => dropped));
  }, true);
  find("open").addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", () => {
    give(Promise.resolve([...(chooser.files ?? [])].map((file) => ({ path: cleanPath(file.webkitRelativePath || file.name), file }))));
    chooser.value = "";
  });
}
