// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// live-speed.mjs [BODIES]: trammel view and a page without a graphics card, on a machine of this many bodies (200 unless told):
// TRAMMEL_VIEW=PROGRAM. Prints after how many seconds the machine is seen to move, how many poses per second the program gives, how many frames the page draws, and the pace of the
// simulation with no page that is slow, and with one. Nothing passes or fails: how busy the machine is decides too.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { BINARY, Raw, startProgram } from "./raw.mjs";

const program = process.env.TRAMMEL_VIEW ?? "build/trammel-view";
const count = Number(process.argv[2] ?? 200);
const CHAIN = 10;
const SECONDS = 5;
/** s until what is slow was given up */
const WARM = 5;

/** Chains of rods that hang next to each other and swing. */
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

const wait = (s) => new Promise((done) => setTimeout(done, 1000 * s));

/** A client that draws nothing: what the program can give. */
async function watch(address) {
  const raw = await Raw.open(address);
  let frames = 0;
  raw.onmessage = (opcode, bytes) => {
    if (opcode !== BINARY) return;
    frames++;
    raw.send(`seen ${bytes.readUInt32LE(4)}`);
  };
  await wait(1);
  frames = 0;
  const began = performance.now();
  await wait(SECONDS);
  console.log(`${count} bodies, no page: ${(frames / ((performance.now() - began) / 1000)).toFixed(1)} poses/s (load ${loadavg()[0].toFixed(1)})`);
  raw.end();
}

/** Numbers of frames, made and drawn, and the simulated time. */
const countIn = (page) => page.evaluate(() => ({ made: window.trammel.state().number, drawn: window.trammel.state().drawn, t: window.trammel.state().last }));

async function measure(what, page) {
  await wait(WARM);
  const before = await countIn(page);
  const began = performance.now();
  await wait(SECONDS);
  const after = await countIn(page);
  const lasted = (performance.now() - began) / 1000;
  const per = (key) => (after[key] - before[key]) / lasted;
  const figures = [`${per("made").toFixed(1)} poses/s`, `pace ${per("t").toFixed(2)}`, `${per("drawn").toFixed(0)} frames/s drawn`];
  console.log(`${what}: ${figures.join(", ")} (load ${loadavg()[0].toFixed(1)})`);
}

const folder = await mkdtemp(join(tmpdir(), "trammel-live-"));
const file = join(folder, "model.json");
await writeFile(file, JSON.stringify(model()));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--enable-unsafe-swiftshader"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
const begun = performance.now();
const started = await startProgram(program, file);
try {
  await page.goto(started.address.href);
  await page.waitForFunction(() => window.trammel?.state().time > 0);
  console.log(`${count} bodies: seen to move ${((performance.now() - begun) / 1000).toFixed(2)} s after the start of the program (load ${loadavg()[0].toFixed(1)})`);
  await page.goto("about:blank");
  await watch(started.address);
  await page.goto(started.address.href);
  await page.waitForFunction(() => window.trammel?.state().drawn > 0);
  await measure("one page", page);
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
  await measure("one page that is slow", slow);
} finally {
  await browser.close();
  started.child.kill("SIGINT");
  await started.ended;
  await rm(folder, { recursive: true, force: true });
}
