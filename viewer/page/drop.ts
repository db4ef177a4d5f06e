// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Model files that are dropped on the page, or opened by its button.

import { find, sentBytes } from "./dom";

/** Bytes that the program takes, with some for the name. */
const MOST = 4 * 1024 * 1024 - 1024;
const LONGEST_NAME = 190;

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
    void take([...(e.dataTransfer?.files ?? [])], events);
  });

  find("open").addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", () => {
    void take([...(chooser.files ?? [])], events);
    chooser.value = ""; // the same file may be opened again
  });
}

/** The end of a name that is too long. */
function shortened(name: string): string {
  const letters = [...name];
  while (sentBytes(letters.join("")) > LONGEST_NAME) letters.shift();
  return letters.join("");
}

async function take(files: File[], events: FileEvents): Promise<void> {
  const file = files.find((f) => f.name.toLowerCase().endsWith(".json")) ?? files[0];
  if (file === undefined) return;
  if (!file.name.toLowerCase().endsWith(".json")) {
    events.trouble(`${file.name} is not a Trammel model: the name of a model file ends in .json.`);
  } else if (file.size > MOST) {
    events.trouble(`${file.name} is too large: a model may have 4 MiB.`);
  } else {
    try {
      // the name stands in a line of its own
      events.model(shortened(file.name.replace(/[\u0000-\u001f]/g, " ")), await file.text());
    } catch (error) {
      events.trouble(`${file.name} cannot be read: ${(error as Error).message}`);
    }
  }
}
