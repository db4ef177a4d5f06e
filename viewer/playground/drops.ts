// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Files that are dropped on the page or chosen, also in a ZIP: one of them is the model, the others are the files that it names. No file
// leaves the tab.

import { find } from "../page/dom";
import { MODELS, chooseModel, last, watchFiles } from "../page/files";
import type { Dropped } from "../page/files";
import { cleanPath } from "../../wasm/package/files";
import type { Files } from "./messages";
import type { Model } from "./tab";

/** Largest number of bytes of all files together. */
const MOST = 200 * 1024 * 1024;

const folder = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

/** Files next to the model are also entered at the places that the model names: "package://robot/meshes/arm.stl", meshdir. */
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
  const chosen = await chooseModel(dropped);
  if (chosen === null) throw new Error(`None of the files is a model; its name ends in ${MODELS.join(", ")}`);
  const files: Files = {};
  for (const { path, file } of chosen.others) files[cleanPath(path)] = new Uint8Array(await file.arrayBuffer());
  const text = await chosen.model.file.text();
  const name = cleanPath(chosen.model.path);
  placeByName(text, name, files);
  return { name, text, files };
}

export function takeDrops(taken: (model: Model) => void, trouble: (sentence: string) => void): void {
  const chooser = find<HTMLInputElement>("file");
  chooser.multiple = true;
  chooser.accept = "";
  watchFiles(MOST, async (files) => taken(await modelOf(files)), (sentence) => trouble(`That cannot be opened: ${sentence}`));
}
