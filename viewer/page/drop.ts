// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Model files of any format that are dropped on the page, alone, in a folder or in a ZIP, or opened by its button.

import { find, sentBytes } from "./dom";
import { unpacked } from "./unzip";

/** Bytes that the program takes, with some for the name. */
const MOST = 4 * 1024 * 1024 - 1024;
const LONGEST_NAME = 190;
/** Bytes of all files in a ZIP. */
const MOST_UNPACKED = 200 * 1024 * 1024;
/** Endings of model files, the likeliest first. */
const MODELS = [".json", ".urdf", ".xml", ".mjcf", ".sdf", ".world"];
/** Endings of files that a model may need, which the program reads only next to a file that it opened itself. */
const MESHES = [".stl", ".obj", ".dae", ".gltf", ".glb"];

interface Dropped {
  path: string; // in the folder that was dropped; else the name
  file: File;
}

const ending = (path: string): string => path.slice(path.lastIndexOf(".")).toLowerCase();
const depth = (path: string): number => path.split("/").length;

export interface FileEvents {
  model(name: string, text: string): void;
  trouble(sentence: string): void;
}

export function takeFiles(events: FileEvents): void {
  const overlay = find("drop");
  const chooser = find<HTMLInputElement>("file");
  const hasFiles = (e: DragEvent): boolean => e.dataTransfer?.types.includes("Files") === true;
  let inside = 0; // elements that the file is over: entered and not left

  window.addEventListener("dragenter", (e) => {
    if (!hasFiles(e)) return;
    e.preventDefault();
    inside++;
    overlay.hidden = false;
  });
  window.addEventListener("dragover", (e) => {
    if (hasFiles(e)) e.preventDefault();
  });
  window.addEventListener("dragleave", (e) => {
    if (!hasFiles(e)) return;
    inside = Math.max(inside - 1, 0);
    overlay.hidden = inside === 0;
  });
  window.addEventListener("drop", (e) => {
    inside = 0;
    overlay.hidden = true;
    if (!hasFiles(e)) return;
    e.preventDefault();
    const transfer = e.dataTransfer;
    if (transfer !== null) void dropped(transfer).then((all) => takeUnpacked(all, events));
  });

  find("open").addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", () => {
    void takeUnpacked(plain([...(chooser.files ?? [])]), events);
    chooser.value = ""; // the same file may be opened again
  });
}

/** The end of a name that is too long. */
function shortened(name: string): string {
  const letters = [...name];
  while (sentBytes(letters.join("")) > LONGEST_NAME) letters.shift();
  return letters.join("");
}

const plain = (files: File[]): Dropped[] => files.map((file) => ({ path: file.name, file }));

/** All files in a folder, and in those inside it. */
async function filesIn(entry: FileSystemEntry, into: Dropped[]): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed));
    into.push({ path: entry.fullPath, file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) return;
    for (const inner of some) await filesIn(inner, into);
  }
}

async function dropped(transfer: DataTransfer): Promise<Dropped[]> {
  const files = plain([...transfer.files]); // both are gone after the event
  const folders = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry?.isDirectory === true);
  const inside: Dropped[] = [];
  for (const folder of folders) if (folder !== null) await filesIn(folder, inside);
  return inside.length > 0 ? inside : files;
}

/** The model among files: the one that is least deep in its folder, then by its ending. */
function modelAmong(files: Dropped[]): Dropped | undefined {
  const rank = ({ path }: Dropped): number => depth(path) * MODELS.length + MODELS.indexOf(ending(path));
  return files.filter(({ path }) => MODELS.includes(ending(path))).sort((a, b) => rank(a) - rank(b))[0];
}

async function takeUnpacked(files: Dropped[], events: FileEvents): Promise<void> {
  try {
    await take(await unpacked(files, MOST_UNPACKED), events);
  } catch (error) {
    events.trouble(`${files[0].file.name} cannot be read: ${(error as Error).message}.`);
  }
}

async function take(files: Dropped[], events: FileEvents): Promise<void> {
  const file = modelAmong(files)?.file;
  if (files.length === 0) return;
  if (file === undefined) {
    events.trouble(`${files[0].file.name} is not a Trammel model: the name of a model file ends in ${MODELS.join(", ")}.`);
  } else if (file.size > MOST) {
    events.trouble(`${file.name} is too large: a model may have 4 MiB.`);
  } else {
    try {
      // the name stands in a line of its own
      events.model(shortened(file.name.slice(file.name.lastIndexOf("/") + 1).replace(/[\u0000-\u001f]/g, " ")), await file.text());
      if (files.some(({ path }) => MESHES.includes(ending(path))))
        events.trouble(`Meshes of a dropped folder are not shown: start "trammel view" with ${file.name} to see them.`);
    } catch (error) {
      events.trouble(`${file.name} cannot be read: ${(error as Error).message}`);
    }
  }
}
