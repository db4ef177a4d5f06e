// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// build.mjs FOLDER: makes the playground, a static site, from the live page, the editor, the package for JavaScript (make wasm) and the examples.

import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const page = join(here, "../page");
const [out] = process.argv.slice(2);
const GROUPS = { "": "Machines", robots: "Robots", problems: "Benchmark problems" };
/** Bytes of a file among the examples; larger ones are left out. */
const LARGEST = 400_000;

/** Nothing runs or loads but the files of this site; wasm-unsafe-eval lets it compile trammel.wasm, and nothing else. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src data: blob:; base-uri 'none'; form-action 'none'";

const bundle = (entry, name, more = {}) =>
  esbuild.build({
    entryPoints: [entry],
    outfile: join(out, name),
    bundle: true,
    minify: true,
    target: ["chrome111", "firefox114", "safari16.4"],
    format: "esm",
    charset: "utf8",
    legalComments: "none", // the licences are given whole, below
    external: ["node:fs/promises"],
    logLevel: "warning",
    ...more,
  });

function replaceOnce(text, what, by) {
  if (text.split(what).length !== 2) throw new Error(`${what} must stand exactly once in the page`);
  return text.replace(what, () => by);
}

async function filesBelow(folder) {
  const files = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await filesBelow(path)));
    else if (/\.(json|urdf|xml|sdf|obj|stl|csv)$/.test(entry.name)) files.push(path);
  }
  return files.sort();
}

/** All examples that are models, and the files that they name. */
async function examples() {
  const { Trammel } = await import(pathToFileURL(join(root, "build-wasm/package/index.js")).href);
  const trammel = await Trammel.create();
  const files = {};
  for (const path of await filesBelow(join(root, "examples"))) {
    const text = await readFile(path, "utf8");
    if (text.length <= LARGEST && !text.includes("\0")) files[relative(join(root, "examples"), path)] = text;
  }
  const models = [];
  for (const [path, text] of Object.entries(files)) {
    const group = GROUPS[path.includes("/") ? dirname(path) : ""];
    if (group === undefined || !/\.(json|urdf|xml|sdf)$/.test(path)) continue;
    if (trammel.check(text, { name: path, files }).some((m) => m.severity === "error")) continue;
    models.push({ path, title: path.replace(/^.*\//, "").replace(/\.json$/, "").replaceAll("-", " "), group });
  }
  models.sort((a, b) => Object.values(GROUPS).indexOf(a.group) - Object.values(GROUPS).indexOf(b.group));
  return { models, files };
}

async function makeHtml() {
  let html = await readFile(join(page, "view.html"), "utf8");
  html = replaceOnce(html, '<meta charset="utf-8">', `<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n<meta name="referrer" content="no-referrer">`);
  html = replaceOnce(html, "<style></style>", '<link rel="stylesheet" href="play.css">\n<link rel="modulepreload" href="play.js">');
  html = replaceOnce(html, '<body class="live">', '<body class="live play">');
  html = replaceOnce(html, '<div id="show">', `${(await readFile(join(here, "write.html"), "utf8")).trim()}\n  <div id="show">`);
  html = replaceOnce(html, "<script></script>", '<script type="module" src="play.js"></script>');
  html = html.replace("<title>Trammel</title>", "<title>Trammel playground</title>");
  await writeFile(join(out, "index.html"), html);
}

async function licences() {
  const texts = [];
  for (const name of ["three", "@codemirror/view", "@lezer/common"])
    texts.push(`${name}\n\n${await readFile(join(here, "../node_modules", name, "LICENSE"), "utf8")}`);
  await writeFile(join(out, "licences.txt"), texts.join("\n\n"));
}

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await makeHtml();
await bundle(join(here, "start.ts"), "play.js");
await bundle(join(here, "worker.ts"), "worker.js");
const css = await Promise.all([join(page, "style.css"), join(here, "play.css")].map((file) => readFile(file, "utf8")));
await writeFile(join(out, "play.css"), (await esbuild.transform(css.join("\n"), { loader: "css", minify: true })).code);
await copyFile(join(root, "build-wasm/package/trammel.wasm"), join(out, "trammel.wasm"));
await writeFile(join(out, "examples.json"), JSON.stringify(await examples()));
await licences();
const kept = ["index.html", "play.js", "play.css", "worker.js", "trammel.wasm", "examples.json"];
const hash = createHash("sha256");
for (const file of kept) hash.update(await readFile(join(out, file)));
await bundle(join(here, "offline.ts"), "offline.js", {
  format: "iife",
  define: { FILES: JSON.stringify(["./", ...kept]), VERSION: JSON.stringify(hash.digest("hex").slice(0, 16)) },
});
console.log(`${join(out, "index.html")}: serve this folder by any web server`);
