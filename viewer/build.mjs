// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// build.mjs [FOLDER]: makes the pages in the folder, dist unless told: files with script and style inside. Into those that are sent by
// mail the program puts the data; the live one asks for them.

import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const page = join(here, "page");
const dist = process.argv[2] ?? join(here, "dist");

/** Each is page/NAME.html and page/ENTRY.ts, NAME.ts unless told. */
const PAGES = [
  { name: "report", live: false, draws: true },
  { name: "view", entry: "viewstart", live: true, draws: true },
  { name: "compare", live: false, draws: false },
];
/** The line that the program replaces. */
const DATA_LINE = "<!--TRAMMEL-DATA-->";
/** Bytes; larger would crowd out the data. */
const LARGEST = 800_000;

async function bundle(entry) {
  const made = await esbuild.build({
    entryPoints: [join(page, entry)],
    bundle: true,
    minify: true,
    write: false,
    target: ["chrome111", "firefox113", "safari16.4"],
    format: "iife",
    charset: "utf8",
    legalComments: "none", // the licences are given whole, below
    logLevel: "warning",
  });
  return made.outputFiles[0].text.trim();
}

/** What a browser must find in the text of an inlined script or style to be sure that it is ours. */
function hashOf(text) {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

function replaceOnce(text, what, by) {
  if (text.split(what).length !== 2) throw new Error(`${what} must stand exactly once in the page`);
  return text.replace(what, () => by);
}

async function makePage({ name, entry = name, live, draws }) {
  const script = await bundle(`${entry}.ts`);
  const style = await bundle("style.css");
  if (/<\/(script|style)|<!--|<script/i.test(script + style)) throw new Error("the script would end too early in the page");

  // nothing runs or loads but what is inlined here, whatever the data say
  const asks = live ? " connect-src 'self';" : "";
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; img-src data: blob:;${asks} base-uri 'none'; form-action 'none'`;
  const licence = draws ? `<!-- This page contains three.js.\n\n${(await readFile(join(here, "node_modules/three/LICENSE"), "utf8")).trim()}\n-->\n` : "";
  let html = await readFile(join(page, `${name}.html`), "utf8");
  html = replaceOnce(html, '<meta charset="utf-8">', `<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${policy}">`);
  html = replaceOnce(html, "<style></style>", `<style>${style}</style>`);
  html = replaceOnce(html, "<script></script>", `${licence}<script>${script}</script>`);
  const places = html.split("\n").filter((line) => line === DATA_LINE).length;
  if (places !== (live ? 0 : 1)) throw new Error(`${name}.html has ${places} lines ${DATA_LINE}`);

  const size = Buffer.byteLength(html);
  if (size > LARGEST) throw new Error(`${name}.html has ${size} bytes, more than ${LARGEST}`);
  await mkdir(dist, { recursive: true });
  await writeFile(join(dist, `${name}.html`), html);
  console.log(`dist/${name}.html ${size} bytes`);
}

for (const page of PAGES) await makePage(page);
