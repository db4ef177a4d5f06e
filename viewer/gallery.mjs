// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// gallery.mjs [NAME ...]: runs every example, or those named, and shows them: reports and an index in out/gallery, small
// pictures and a table in docs/gallery. With TRAMMEL=PATH another program is taken, with CHROMIUM=PATH another browser,
// with TRAMMEL_REPORTS=old the reports that are there.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const program = process.env.TRAMMEL ?? join(root, "build/trammel");
const reports = join(root, "out/gallery");
const pictures = join(root, "docs/gallery");

const GROUPS = [
  { folder: "examples", title: "Machines" },
  { folder: "examples/problems", title: "Test problems, whose solutions are known" },
];
/** s: no run is longer, simulated and by the clock. */
const LONGEST = 10;
const PATIENCE = 60;
/** A third of the run shows most machines well; these are better at another moment, s. */
const MOMENT = 1 / 3;
const MOMENTS = { arm: 2.2, incline: 1, "r06-cylindrical": 0.5, "r06-prismatic": 0.5, "r06-revolute": 0.8, "r06-spherical": 0.8, "r06-universal": 0.8 };
/** Of the run: so long before and after the moment the camera has in view. */
const ABOUT = 0.06;
const ABOUTS = { cuboid: 0.005 };
/** Of these the whole motion: what leads it would be out of view. */
const WHOLE = new Set(["ball-in-bowl", "r15a-slider-pendulum", "r15c-mass-damper-spring", "roller-coaster", "stimpmeter"]);
const SIZE = { width: 320, height: 200 };
const QUALITY = 70;

async function examples() {
  const all = [];
  for (const { folder, title } of GROUPS) {
    const entries = await readdir(join(root, folder), { withFileTypes: true }); // a link is another name of one
    const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".json")).map((entry) => entry.name).sort();
    all.push(...files.map((file) => ({ name: basename(file, ".json"), title, model: join(root, folder, file) })));
  }
  return all;
}

/** What the model says of itself: its name, how long it runs, and the first sentence of its first comment. */
function aboutOf(text) {
  const comment = text.match(/^\s*\{?\s*((?:\/\/.*\n\s*)+)/)?.[1] ?? "";
  const words = comment.replace(/^\s*\/\/ ?/gm, "").replace(/\s+/g, " ").trim();
  const sentence = words.match(/^.*?[.:](?= [A-Z]|$)/)?.[0] ?? words;
  return {
    title: text.match(/"name":\s*"([^"]*)"/)?.[1] ?? "",
    sentence: sentence.replace(/:$/, "."),
    time: Number(text.match(/"simulation":[^}]*"time":\s*([\d.]+)/)?.[1] ?? LONGEST),
  };
}

/** Runs the program; what it took, and whether it had to be stopped. */
function run(args) {
  const start = Date.now();
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  let cut = false;
  child.stderr.on("data", (text) => (errors += text));
  // it writes what it has when it is interrupted
  const stop = setTimeout(() => ((cut = true), child.kill("SIGINT")), 1000 * PATIENCE);
  const end = setTimeout(() => child.kill("SIGKILL"), 2000 * PATIENCE);
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code) => {
      clearTimeout(stop);
      clearTimeout(end);
      done({ code, cut, errors: errors.trim(), seconds: (Date.now() - start) / 1000 });
    });
  });
}

/** Makes the report; sentences on what is not as the model says. */
async function report(example, about) {
  const file = join(reports, `${example.name}.html`);
  if (process.env.TRAMMEL_REPORTS === "old") return { file, notes: [] };
  const notes = [];
  await rm(file, { force: true });
  const args = ["run", relative(process.cwd(), example.model), "--report", file];
  if (about.time > LONGEST) {
    args.push("--time", String(LONGEST));
    notes.push(`cut to ${LONGEST} s of ${about.time} s`);
  }
  const { code, cut, errors, seconds } = await run(args);
  if (cut) notes.push(`stopped after ${seconds.toFixed(0)} s of computing`);
  else if (code !== 0) notes.push(`ended with code ${code}: ${errors.split("\n")[0]}`);
  return { file, notes };
}

/** A picture of the machine alone, at its best moment. */
async function picture(browser, file, name) {
  const context = await browser.newContext({ viewport: SIZE, colorScheme: "light" });
  const page = await context.newPage();
  await page.goto(`${pathToFileURL(file).href}#t=0`);
  await page.evaluate(
    ({ width, height, at, share, about }) => {
      const stage = document.getElementById("stage");
      Object.assign(stage.style, { position: "fixed", inset: "0", width: `${width}px`, height: `${height}px` });
      for (const other of document.querySelectorAll("#above, #transport, #facts-column, #stage > :not(canvas)")) other.style.display = "none";
      const { start, end } = window.trammel.state();
      const moment = at ?? start + share * (end - start);
      window.trammel.seek(moment);
      // the camera looks at what happens about then, not at the whole run
      window.trammel.frame(moment - about * (end - start), moment + about * (end - start));
      window.trammel.seek(moment);
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      return frame().then(frame).then(frame);
    },
    { ...SIZE, at: MOMENTS[name], share: MOMENT, about: WHOLE.has(name) ? 1 : (ABOUTS[name] ?? ABOUT) },
  );
  await page.waitForFunction(() => window.trammel.state().rests);
  const path = join(pictures, `${name}.jpg`);
  await page.screenshot({ path, type: "jpeg", quality: QUALITY });
  await context.close();
  await copyFile(path, join(reports, `${name}.jpg`));
  return (await stat(path)).size;
}

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** The table of all pictures. */
function tableOf(shown) {
  const lines = ["# Gallery", "", "All examples, each at one moment. `make gallery` runs them, draws these pictures and makes the reports to which they lead:", "pages to play, turn and look into, in out/gallery, which is not part of the repository.", ""];
  for (const { title } of GROUPS) {
    lines.push(`## ${title}`, "", "| | |", "|---|---|");
    for (const { name, model, about } of shown.filter((example) => example.title === title)) {
      const source = relative(pictures, model);
      const to = relative(pictures, join(reports, `${name}.html`));
      lines.push(`| [![${name}](${name}.jpg)](${to}) | **${about.title}** ([${basename(model)}](${source})). ${about.sentence.replaceAll("|", "\\|")} [Report](${to}) |`);
    }
    lines.push("");
  }
  return lines.join("\n");
}

/** The same as a page next to the reports. */
function indexOf(shown) {
  const card = ({ name, about }) => `<a href="${name}.html"><img src="${name}.jpg" alt="" width="${SIZE.width}" height="${SIZE.height}" loading="lazy"><b>${escape(about.title)}</b> ${escape(about.sentence)}</a>`;
  const part = ({ title }) => `<h2>${title}</h2>\n<main>\n${shown.filter((example) => example.title === title).map(card).join("\n")}\n</main>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width">
<title>Gallery – Trammel</title>
<style>
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { margin: 24px; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(250px, 1fr)); gap: 20px; }
a { color: inherit; text-decoration: none; }
a:hover b { text-decoration: underline; }
img { display: block; width: 100%; height: auto; border-radius: 8px; margin-bottom: 6px; }
</style>
<h1>Gallery</h1>
${GROUPS.map(part).join("\n")}
</html>
`;
}

const asked = process.argv.slice(2);
const all = await examples();
for (const name of asked.filter((a) => all.every((example) => example.name !== a))) {
  console.error(`There is no example "${name}".`);
  process.exit(2);
}
const wanted = all.filter(({ name }) => asked.length === 0 || asked.includes(name));
await mkdir(reports, { recursive: true });
await mkdir(pictures, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--enable-unsafe-swiftshader"] });
let total = 0;
try {
  for (const example of all) example.about = aboutOf(await readFile(example.model, "utf8"));
  for (const [i, example] of wanted.entries()) {
    const start = Date.now();
    const { file, notes } = await report(example, example.about);
    if (!existsSync(file)) {
      console.error(`${example.name}: ${notes.join(", ")}`);
      process.exitCode = 1;
      continue;
    }
    const bytes = await picture(browser, file, example.name);
    total += bytes;
    const said = [`${((Date.now() - start) / 1000).toFixed(1)} s`, `${(bytes / 1000).toFixed(1)} kB`, ...notes];
    console.log(`${String(i + 1).padStart(3)}/${wanted.length} ${example.name}: ${said.join(", ")}`);
  }
} finally {
  await browser.close();
}
// those of examples that are no more
const names = new Set(all.map(({ name }) => `${name}.jpg`));
for (const file of await readdir(pictures)) if (file.endsWith(".jpg") && !names.has(file)) await rm(join(pictures, file));
await writeFile(join(pictures, "README.md"), tableOf(all));
await writeFile(join(reports, "index.html"), indexOf(all));
console.log(`${wanted.length} pictures, ${(total / 1000).toFixed(0)} kB. The gallery is out/gallery/index.html, the table docs/gallery/README.md.`);
