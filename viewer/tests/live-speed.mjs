// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// live-speed.mjs [BODIES]: trammel view and a page without a graphics card, on a machine of so many bodies (200 unless told):
// TRAMMEL_VIEW=PROGRAM. Prints how many poses per second the program gives, how many frames the page draws, and the pace of the
// simulation with no page that is slow, and with one. Nothing passes or fails: how busy the machine is decides too.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { BINARY, Raw, TEXT, startProgram } from "./raw.mjs";

const program = process.env.TRAMMEL_VIEW ?? "build/trammel-view";
const count = Number(process.argv[2] ?? 200);
const CHAIN = 10;
const SECONDS = 5;

/** Chains of rods that hang beside each other and swing. */
function model() {
  const bodies = [];
  const joints = [];
  for (let i = 0; i < count; i++) {
    const chain = Math.floor(i / CHAIN);
    const link = i % CHAIN;
    const x = 0.5 * (chain % 5);
    const y = 0.5 * Math.floor(chain / 5);
    const at = (z) => [x + 0.2 * z, y, 0];
    bodies.push({ name: `b${i}`, rod: { from: at(link), to: at(link + 1), mass: 0.1, radius: 0.01 } });
    joints.push({ name: `j${i}`, type: "ball", bodies: [link === 0 ? "ground" : `b${i - 1}`, `b${i}`], anchor: at(link) });
  }
  return { trammel: 1, name: `${count} bodies`, gravity: [0, 0, -9.81], bodies, joints };
}

/** A client that draws nothing: what the program can give. */
async function watch(address) {
  const raw = await Raw.open(address);
  const seen = { frames: 0, paces: [] };
  raw.onmessage = (opcode, bytes) => {
    if (opcode === BINARY) {
      seen.frames++;
      raw.send(`seen ${bytes.readUInt32LE(4)}`);
    } else if (opcode === TEXT) {
      const said = JSON.parse(String(bytes));
      if (said.kind === "status" && said.playing) seen.paces.push(said.pace);
    }
  };
  return { raw, seen };
}

const wait = (s) => new Promise((done) => setTimeout(done, 1000 * s));
const middle = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? NaN;

async function measure(what, watcher, pages) {
  await wait(2);
  watcher.seen.frames = 0;
  watcher.seen.paces = [];
  const before = await Promise.all(pages.map((p) => p.evaluate(() => window.trammel.state().drawn)));
  const began = performance.now();
  await wait(SECONDS);
  const lasted = (performance.now() - began) / 1000;
  const after = await Promise.all(pages.map((p) => p.evaluate(() => [window.trammel.state().drawn, window.trammel.state().fps])));
  const drawn = after.map(([n, fps], i) => `${fps} frames/s drawn, ${((n - before[i]) / lasted).toFixed(0)} of them new poses`);
  const figures = [`${(watcher.seen.frames / lasted).toFixed(1)} poses/s`, `pace ${middle(watcher.seen.paces).toFixed(3)}`, ...drawn];
  console.log(`${what}: ${figures.join(", ")} (load ${loadavg()[0].toFixed(1)})`);
}

const folder = await mkdtemp(join(tmpdir(), "trammel-live-"));
const file = join(folder, "model.json");
await writeFile(file, JSON.stringify(model()));
const started = await startProgram(program, file);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--enable-unsafe-swiftshader"] });
try {
  const watcher = await watch(started.address);
  await measure(`${count} bodies, no page`, watcher, []);
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  await page.goto(started.address.href);
  await page.waitForFunction(() => window.trammel?.state().drawn > 0);
  await measure("one page", watcher, [page]);
  const slow = await (await browser.newContext()).newPage();
  await slow.goto(started.address.href);
  await slow.waitForFunction(() => window.trammel?.state().drawn > 0);
  // it does nothing else for half of the time
  await slow.evaluate(() => {
    setInterval(() => {
      const until = performance.now() + 500;
      while (performance.now() < until) continue;
    }, 1000);
  });
  await page.close();
  await measure("one page that is slow", watcher, [slow]);
} finally {
  await browser.close();
  started.child.kill("SIGINT");
  await started.ended;
  await rm(folder, { recursive: true, force: true });
}
