// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Model files of any format that are dropped on the live page, alone or with the files that they name, or opened by its button. Files
// that the program would refuse are refused here, before they are sent.

import { sentBytes } from "./dom";
import { MODELS, chooseModel, last, watchFiles } from "./files";
import type { Dropped } from "./files";

const MIB = 1 << 20;
/** Limits of the program: bytes of a model, with some for the name; of each other file; of all files; and number of files. */
const MOST_MODEL = 4 * MIB - 1024;
const MOST_FILE = 100 * MIB;
const MOST_ALL = 200 * MIB;
const MOST_FILES = 2000;
/** Largest number of bytes of a path. */
const LONGEST_PATH = 390;

export interface FileEvents {
  /** A model alone. */
  model(name: string, text: string): void;
  /** A model that is one of several files. */
  robot(model: string, files: Dropped[]): void;
  trouble(sentence: string): void;
}

export function takeFiles(events: FileEvents): void {
  watchFiles(MOST_ALL, (files) => take(files, events), events.trouble);
}

/** Replaces control characters, because a name or path is sent in one line. */
const inOneLine = (path: string): string => path.replace(/[\u0000-\u001f]/g, " ");

/** Returns the end of a name that is too long. */
function shortened(name: string): string {
  const letters = [...name];
  while (sentBytes(letters.join("")) > LONGEST_PATH) letters.shift();
  return letters.join("");
}

/** Returns why the files cannot be sent; empty: they can. */
function objection(files: Dropped[]): string {
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  const large = files.find(({ file }) => file.size > MOST_FILE);
  const long = files.find(({ path }) => sentBytes(path) > LONGEST_PATH);
  if (files.length > MOST_FILES) return `There are ${files.length} files; at most ${MOST_FILES} are taken. Drop only the model and what it names.`;
  if (large !== undefined) return `${large.path} is too large: a file may have ${MOST_FILE / MIB} MiB.`;
  if (total > MOST_ALL) return `The files have ${Math.round(total / MIB)} MiB; at most ${MOST_ALL / MIB} are taken. Drop only the model and what it names.`;
  const twice = files.find(({ path }, i) => files.findIndex((other) => other.path === path) !== i);
  if (twice !== undefined) return `Two files have the same path: ${twice.path}. Drop them in their folders.`;
  return long === undefined ? "" : `The path ${long.path} is too long: it may have ${LONGEST_PATH} bytes.`;
}

async function take(files: Dropped[], events: FileEvents): Promise<void> {
  const chosen = await chooseModel(files);
  if (chosen === null) {
    events.trouble(`${files.length === 1 ? `${files[0].file.name} is not` : "None of the files is"} a Trammel model: the name of a model file ends in ${MODELS.join(", ")}.`);
    return;
  }
  const { model, others, models } = chosen;
  const why = others.length > 0 ? objection(files) : "";
  if (model.file.size > MOST_MODEL) events.trouble(`${last(model.path)} is too large: a model may have 4 MiB.`);
  else if (why !== "") events.trouble(why);
  else if (others.length === 0) events.model(shortened(inOneLine(last(model.path))), await model.file.text());
  else {
    events.robot(inOneLine(model.path), [model, ...others].map(({ path, file }) => ({ path: inOneLine(path), file })));
    if (models.length > 0) events.trouble(`${model.path} is loaded. There ${models.length === 1 ? "is another model" : `are ${models.length} other models`} among the files: ${models.slice(0, 5).join(", ")}${models.length > 5 ? ", ..." : ""}.`);
  }
}
