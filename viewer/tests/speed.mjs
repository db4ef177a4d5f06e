// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// speed.mjs [BODIES ...]: how many frames per second the report draws where there is no graphics card, for a machine of
// this many bodies (50, 200, 2000 unless told) that gets 60 poses per second, in a window of 1280 x 720. Nothing passes or
// fails: how busy the machine is decides too. So the middle of several counts is given, with the load, and the time that
// all processes of the browser took on all cores for a frame, which other programs change little. With TRAMMEL_PAGE=FILE another page is measured, with TRAMMEL_SHOTS=FOLDER a picture of each is kept.

import { mkdtemp, rm } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { accuracy, base64, writeReport } from "./make-report.mjs";

const WINDOW = { width: 1280, height: 720 };
const DURATION = 10; // s
const RATE = 60; // poses per s
/** s: until what is slow was given up, and of each of the counts. */
const WARM = 5;
const COUNTED = 3;
const COUNTS = 5;
/** Bodies of a chain. */
const CHAIN = 10;

const HALF_TURN = Math.SQRT1_2;
const LINK = [
  { type: "cylinder", radius: 0.02, length: 0.3, p: [0, 0, 0.15], q: [1, 0, 0, 0], drawn: true },
  { type: "sphere", radius: 0.04, p: [0, 0, 0], q: [1, 0, 0, 0], drawn: true },
];
const SHAPES = [
  [{ type: "box", size: [0.12, 0.12, 0.3], p: [0, 0, 0], q: [1, 0, 0, 0] }],
  [{ type: "sphere", radius: 0.13, p: [0, 0, 0], q: [1, 0, 0, 0] }],
  [{ type: "cylinder", radius: 0.12, length: 0.1, p: [0, 0, 0], q: [HALF_TURN, HALF_TURN, 0, 0] }],
  [{ type: "capsule", radius: 0.07, length: 0.16, p: [0, 0, 0], q: [1, 0, 0, 0] }],
  LINK,
  LINK,
];

/** Chains that hang next to each other on hinges, of all kinds of parts; no two bodies move alike. */
function machineOf(count) {
  const bodies = [{ name: "ground", kind: "ground", mass: 0, com: [0, 0, 0], parts: [{ type: "plane", p: [0, 0, 0], q: [1, 0, 0, 0] }] }];
  const joints = [];
  for (let i = 0; i < count; i++) {
    bodies.push({ name: `link${i + 1}`, kind: "rigid", mass: 1, com: [0, 0, 0], parts: SHAPES[i % SHAPES.length] });
    const first = i % CHAIN === 0;
    const anchor = first ? placeOf(count, i, 0).map((x, k) => x + 0.15 * (k === 2)) : [0, 0, -0.15];
    joints.push({ name: `hinge${i + 1}`, type: "hinge", bodies: [first ? 0 : i, i + 1], anchors: [anchor, [0, 0, 0.15]], axis: [0, 1, 0] });
  }
  return { trammel: "0.1.0", name: `${count} bodies`, up: [0, 0, 1], gravity: [0, 0, -9.81], centre: [0, 0, 1.6], extent: 4, bodies, joints, links: [] };
}

/** Of body i at t. */
function placeOf(count, i, t) {
  const chain = Math.floor(i / CHAIN);
  const wide = Math.ceil(Math.sqrt(count / CHAIN));
  const swing = 0.3 * Math.sin(2.2 * t + chain) * ((i % CHAIN) / CHAIN);
  return [0.6 * ((chain % wide) - wide / 2) + swing, 0.6 * (Math.floor(chain / wide) - wide / 2), 3.2 - 0.3 * (i % CHAIN)];
}

function runOf(count) {
  const times = Array.from({ length: DURATION * RATE + 1 }, (_, i) => i / RATE);
  const pose = (i, t) => [...placeOf(count, i, t), Math.cos(0.2 * Math.sin(2 * t + i)), 0, Math.sin(0.2 * Math.sin(2 * t + i)), 0];
  const all = (t) => [0, 0, 0, 1, 0, 0, 0, ...Array.from({ length: count }, (_, i) => pose(i, t)).flat()];
  const curve = (name, group, k) => ({ name, unit: "J", group, log: false, values: base64(times.map((t) => Math.sin(t + k))) });
  return {
    scene: machineOf(count),
    facts: { report: accuracy(DURATION), model: "{}", command: "none", date: "2026-11-16", columns: [], every: 1 / RATE },
    series: ["energy", "gap", "coordinate"].flatMap((group) => [1, 2, 3].map((k) => curve(`${group} ${k}`, group, k))),
    frames: base64(times.flatMap((t) => [t, ...all(t)])),
  };
}

/** Frames that the page draws per second, for so long. */
const count = (page, seconds) =>
  page.evaluate(
    (length) =>
      new Promise((done) => {
        let frames = 0;
        const start = performance.now();
        const tick = (now) => {
          frames++;
          if (now - start >= 1000 * length) done((1000 * frames) / (now - start));
          else requestAnimationFrame(tick);
        };
        requestAnimationFrame(tick);
      }),
    seconds,
  );

/** s that the browser has worked, on all cores. */
async function worked(session) {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

const middle = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function measure(browser, folder, bodies) {
  const file = join(folder, `${bodies}.html`);
  await writeReport(file, runOf(bodies));
  const page = await browser.newPage({ viewport: WINDOW, deviceScaleFactor: 1 });
  await page.goto(pathToFileURL(file).href);
  await count(page, WARM);
  const session = await browser.newBrowserCDPSession();
  const rates = [];
  const costs = []; // ms
  for (let i = 0; i < COUNTS; i++) {
    const before = await worked(session);
    rates.push(await count(page, COUNTED));
    costs.push((1000 * ((await worked(session)) - before)) / (COUNTED * rates[i]));
  }
  const { without } = await page.evaluate(() => window.trammel.state());
  const [least, most] = [Math.min(...rates), Math.max(...rates)];
  const load = loadavg()[0].toFixed(1);
  console.log(`${String(bodies).padStart(5)} bodies  ${middle(rates).toFixed(0)} frames/s (${least.toFixed(0)} to ${most.toFixed(0)}), ${middle(costs).toFixed(0)} ms of work each, given up ${without}, load ${load} of ${cpus().length}`);
  if (process.env.TRAMMEL_SHOTS) await page.screenshot({ path: join(process.env.TRAMMEL_SHOTS, `speed-${bodies}.png`) });
  await page.close();
}

const asked = process.argv.slice(2).map(Number);
const folder = await mkdtemp(join(tmpdir(), "trammel-speed-"));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--enable-unsafe-swiftshader"] });
try {
  for (const bodies of asked.length > 0 ? asked : [50, 200, 2000]) await measure(browser, folder, bodies);
} finally {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
}
