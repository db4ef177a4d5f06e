// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Comparisons in a real browser: one of made-up data, and one that the program wrote (TRAMMEL=PROGRAM EXAMPLES=FOLDER). With
// TRAMMEL_SHOTS=FOLDER pictures are kept there.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { base64, template } from "./make-report.mjs";
import { difference, pixelsOf } from "./pixels.mjs";

const DESK = { width: 1280, height: 720 };
const PHONE = { width: 390, height: 844 };
const { TRAMMEL: program, EXAMPLES: examples, TRAMMEL_SHOTS: shots } = process.env;
/** Of two pictures that show different things, differing bytes per thousand. */
const CHANGED = 2;

let folder;
let browser;
let made; // path of the page of made-up data

// ---- Made-up data ------------------------------------------------------------------------------------

const EVERY = 0.05;
const COLUMNS = [
  ["t", "s", "time"],
  ["distance from the reference", "m", "distance"],
  ["E_kin", "J", "energy"],
  ["E_pot", "J", "energy"],
  ["W", "J", "energy"],
  ["|E - E0 - W|", "J", "error"],
  ["largest gap", "m", "gap"],
  ["largest gap of angles", "rad", "gap"],
  ["rod.x", "m", "body", "rod"],
  ["rod.y", "m", "body", "rod"],
  ["rod.z", "m", "body", "rod"],
  ["pin.q", "rad", "joint", "pin"],
].map(([name, unit, kind, element]) => ({ name, unit, kind, ...(element ? { element } : {}) }));

/** A swing, with an error of h^order that grows. */
function rowAt(t, order, h) {
  const error = h ** order * t;
  return [t, error, 5 + 5 * Math.cos(3 * t), 5 - 5 * Math.cos(3 * t), 0, 10 * error, 1e-13, 0, 2 * Math.sin(t) + error, Math.cos(t), 0, 0.5 * t];
}

function tableRow(method, order, h, cost) {
  return {
    method, solver: "direct", order, h, status: "ok", us_per_step: 1e6 * cost * h, s_per_simulated_s: cost, energy_mean_error: 5 * h ** order,
    energy_max_error: 10 * h ** order, gap_position: 1e-13, gap_angle: 0, velocity_gap_position: 1e-15, velocity_gap_angle: 0, error: h ** order, observed_order: null,
  };
}

function makeUp() {
  const rows = [0.05, 0.025, 0.0125].flatMap((h) => [tableRow("impulse", 2, h, 1e-4 / h)]);
  rows.push(...[0.05, 0.025].map((h) => tableRow("lagrange", 4, h, 4e-4 / h)));
  rows.push({ ...tableRow("lagrange", 4, 0.0125, 0), status: "stopped at t = 0.4 s: joint 'pin': <b>does not close</b>", error: null });
  const reference = { method: "impulse", solver: "direct", order: 4, h: 0.00625, status: "ok" };
  const best = { method: "impulse", solver: "direct", order: 2, h: 0.025, error: 6.25e-4 };
  const compare = {
    model: "Swing", time: 1, scheme: "composition", reference, rows,
    in_equal_time: [{ s_per_simulated_s: 0.004, best, next: { ...best, method: "lagrange", order: 4, error: 3.9e-7 } }],
  };
  const curve = (run, { order, h }, until) => {
    const count = Math.round(until / EVERY) + 1;
    const values = Array.from({ length: count }, (_, i) => rowAt(i * EVERY, order, h));
    if (run < 0) values.forEach((row) => (row[1] = 0));
    return { run, count, values: base64(values.flat()) };
  };
  return {
    facts: { compare, title: "Swing </script>", trammel: "0.1.0", model: "{}", command: "trammel compare swing.json", date: "2026-11-16 12:00" },
    curves: {
      every: EVERY, runs_kept: [7, 7], bodies_kept: [1, 3], joints_kept: [1, 1], columns: COLUMNS,
      runs: [curve(-1, reference, 1), ...rows.map((row, i) => curve(i, row, row.status === "ok" ? 1 : 0.4))],
    },
  };
}

async function writePage(file, data) {
  const page = await readFile(join(dirname(template), "compare.html"), "utf8");
  const blocks = Object.entries(data).map(([id, value]) => `<script type="application/json" id="${id}">${JSON.stringify(value).replaceAll("<", "\\u003c")}</script>`);
  await writeFile(file, page.split("\n").map((line) => (line === "<!--TRAMMEL-DATA-->" ? blocks.join("\n") : line)).join("\n"));
}

// ---- Looking -----------------------------------------------------------------------------------------

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "trammel-compare-"));
  if (shots) await mkdir(shots, { recursive: true });
  made = join(folder, "made.html");
  await writePage(made, makeUp());
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--enable-unsafe-swiftshader"] });
});

after(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

async function open({ file = made, viewport = DESK, colorScheme = "light" } = {}) {
  const context = await browser.newContext({ viewport, colorScheme, deviceScaleFactor: 1 });
  context.setDefaultTimeout(180_000); // ms: longer than anything takes on the busiest machine
  const page = await context.newPage();
  const errors = [];
  const requests = [];
  page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
  page.on("pageerror", (e) => errors.push(e.message));
  page.on("request", (r) => requests.push(r.url()));
  await page.goto(pathToFileURL(file).href);
  await settle(page);
  return { page, errors, requests, close: () => context.close() };
}

const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
const state = (page) => page.evaluate(() => window.trammel.state());
const keep = async (page, name) => shots && page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
const column = (page, n) => page.locator(`#runs tbody tr td:nth-child(${n})`).allTextContents();
const pixels = async (page, selector) => pixelsOf(await page.locator(selector).first().screenshot());
/** The text of a file that a click hands over. */
async function handedOver(page, selector) {
  const [file] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
  return readFile(await file.path(), "utf8");
}

describe("a comparison", () => {
  test("is one file that asks for nothing, complains of nothing, and says what was compared", async () => {
    const { page, errors, requests, close } = await open();
    await keep(page, "compare-light");
    assert.equal(await page.textContent("#name"), "Swing </script>");
    assert.equal(await page.textContent("#how"), "6 runs · 1 s · 1 stopped");
    assert.match(await page.textContent("#measure"), /from the reference: impulse direct, order 4, step 0\.00625 s\.$/);
    assert.equal(await page.textContent("#verdicts li"), "0.004 s: impulse direct, order 2 is most accurate: 6.3e−4 m with a step of 0.025 s; then lagrange direct, order 4: 3.9e−7 m.");
    assert.match(await page.textContent("#kept"), /A row every 0\.05 s.* Of 3 bodies the first 1 are here\./);
    assert.equal(await page.textContent(".stopped"), "stopped at t = 0.4 s: joint 'pin': <b>does not close</b>");
    assert.deepEqual(errors, []);
    assert.equal(requests.length, 1, `requested: ${requests.join(", ")}`);
    await close();
  });

  test("sorts its runs by a column, up and down, those that stopped last", async () => {
    const { page, close } = await open();
    const head = page.locator("#runs thead th", { hasText: "Error" });
    const steps = await column(page, 5);
    assert.deepEqual(steps, ["0.05", "0.025", "0.0125", "0.05", "0.025", "0.0125"]);
    await head.locator("button").click();
    assert.equal(await head.getAttribute("aria-sort"), "ascending");
    assert.deepEqual(await column(page, 2), ["lagrange", "lagrange", "impulse", "impulse", "impulse", "lagrange"]);
    assert.deepEqual(await column(page, 5), ["0.025", "0.05", "0.0125", "0.025", "0.05", "0.0125"]);
    await head.locator("button").click();
    assert.equal(await head.getAttribute("aria-sort"), "descending");
    assert.deepEqual(await column(page, 5), ["0.05", "0.025", "0.0125", "0.05", "0.025", "0.0125"]);
    assert.deepEqual(await column(page, 2), ["impulse", "impulse", "impulse", "lagrange", "lagrange", "lagrange"]);
    await close();
  });

  test("draws cost and error as points on lines that say what they are", async () => {
    const { page, close } = await open();
    for (const plot of ["#cost", "#steps"]) {
      assert.equal(await page.locator(`${plot} .line`).count(), 2);
      assert.equal(await page.locator(`${plot} circle`).count(), 5); // one has stopped
    }
    assert.equal(await page.locator("#steps .order").count(), 3); // 1, 2, 4
    // halved steps of order 2 lie on its slope: four times the error, as many pixels per factor as the guide has
    const at = await page.locator("#steps circle").evaluateAll((all) => all.slice(0, 3).map((c) => [Number(c.getAttribute("cx")), Number(c.getAttribute("cy"))]));
    const slope = (at[2][1] - at[0][1]) / (at[2][0] - at[0][0]);
    const guide = await page.locator("#steps .order").nth(1).evaluate((l) => (l.y2.baseVal.value - l.y1.baseVal.value) / (l.x2.baseVal.value - l.x1.baseVal.value));
    assert.ok(Math.abs(slope / guide - 1) < 1e-6, `${slope} and ${guide}`);
    await page.locator("#steps circle").first().hover();
    const tip = page.locator("#steps .tip");
    assert.match(await tip.textContent(), /^impulse direct, order 2step 0\.0125 serror 1\.56e−4 mcost 0\.008 s per simulated s/);
    assert.equal(await page.locator("#runs tr.chosen").count(), 1);
    await page.mouse.move(5, 400);
    assert.equal(await tip.isVisible(), false);
    await close();
  });

  test("has curves with one cursor, whose values stand in the legend", async () => {
    const { page, close } = await open();
    assert.deepEqual(await page.locator(".diagrams h3").allTextContents(), ["Energy error |E − E₀ − W|", "Distance from the reference", "Energy", "Coordinate", "Largest gap of a joint"]);
    await page.evaluate(() => window.trammel.seek(0.52));
    assert.equal((await state(page)).time, 0.5); // the nearest row
    const values = (run) => page.locator(".values tbody tr:has(td)").nth(run).locator("td").allTextContents();
    // the reference; the first run, h = 0.05; the one that had stopped
    const [kinetic, x] = [5 + 5 * Math.cos(1.5), 2 * Math.sin(0.5)].map((v) => String(Number(v.toPrecision(3))));
    assert.deepEqual((await values(0)).slice(1, 4), ["–", kinetic, x]);
    assert.deepEqual((await values(1)).slice(0, 3), ["0.0125", "0.00125", kinetic]);
    assert.deepEqual(await values(6), ["–", "–", "–", "–", "–"]);
    const first = await pixels(page, ".plot");
    const box = await page.locator(".plot").nth(1).boundingBox();
    await page.mouse.move(box.x + box.width - 12, box.y + 60);
    await settle(page);
    assert.equal((await state(page)).time, 1);
    assert.ok(difference(first, await pixels(page, ".plot")) > CHANGED);
    await page.keyboard.press("ArrowLeft");
    assert.ok(Math.abs((await state(page)).time - 0.95) < 1e-6);
    await close();
  });

  test("shows what is chosen: another coordinate, fewer runs", async () => {
    const { page, close } = await open();
    const panel = page.locator(".diagrams .panel", { hasText: "Coordinate" });
    const [whose, which] = [panel.locator("select").first(), panel.locator("select").last()];
    assert.deepEqual([await whose.inputValue(), await which.inputValue()], ["rod", "0"]); // x moves most
    await whose.selectOption("pin");
    assert.equal(await page.locator(".values thead th").nth(4).textContent(), "pin.qrad");
    assert.equal(await which.isVisible(), false);
    assert.equal(await page.locator(".values tbody tr:has(td)").nth(1).locator("td").nth(3).textContent(), "0.5");

    const before = await pixels(page, ".plot");
    await page.locator(".values button", { hasText: "lagrange direct" }).click();
    assert.deepEqual((await state(page)).shown, [true, true, true, false, false, false]);
    assert.equal(await page.locator("#cost .line").count(), 1);
    assert.ok(difference(before, await pixels(page, ".plot")) > CHANGED);
    await page.locator(".steps button", { hasText: "0.05" }).click();
    assert.deepEqual((await state(page)).shown, [false, true, true, false, false, false]);
    await page.locator("#whose button", { hasText: "lagrange" }).dblclick();
    assert.deepEqual((await state(page)).shown, [false, false, false, true, true, true]);
    await page.keyboard.press("a");
    assert.deepEqual((await state(page)).shown, [true, true, true, true, true, true]);
    await close();
  });

  test("hands over the table and the curves as CSV", async () => {
    const { page, close } = await open();
    const runs = (await handedOver(page, "#get-runs")).trim().split("\n");
    assert.equal(runs.length, 9);
    assert.match(runs[2], /^method,solver,order,h,status,us_per_step/);
    assert.match(runs[3], /^impulse,direct,2,0\.05,ok,/);
    const curves = (await handedOver(page, "#get-data")).trim().split("\n");
    assert.equal(curves[2], "run,method,solver,order,h,t,distance from the reference,E_kin,E_pot,W,|E - E0 - W|,largest gap,largest gap of angles,rod.x,rod.y,rod.z,pin.q");
    assert.equal(curves.length, 3 + 6 * 21 + 9);
    assert.equal(curves[3 + 21 + 20].split(",").slice(0, 7).join(","), "1,impulse,direct,2,0.05,1,0.00249999994");
    await close();
  });

  test("is dark where the system is, fits a phone, and shows a comparison without errors", async () => {
    const dark = await open({ colorScheme: "dark" });
    const ground = await dark.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(ground, "rgb(18, 22, 27)");
    await keep(dark.page, "compare-dark");
    await dark.close();
    const phone = await open({ viewport: PHONE });
    assert.ok((await phone.page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width);
    await keep(phone.page, "compare-phone");
    await phone.close();

    const data = makeUp();
    data.facts.compare.reference.status = "order 4 cannot be composed";
    for (const row of data.facts.compare.rows) row.error = null;
    data.facts.compare.in_equal_time = [];
    await writePage(join(folder, "none.html"), data);
    const { page, errors, close } = await open({ file: join(folder, "none.html") });
    assert.match(await page.textContent("#troubles"), /the reference could not be run: order 4 cannot be composed/);
    assert.deepEqual([await page.isVisible("#pair"), await page.isVisible("#equal"), await page.isVisible("#no-errors")], [false, false, true]);
    assert.deepEqual(errors, []);
    await close();
  });

  test("that is missing is said to be", async () => {
    const { page, close } = await open({ file: join(dirname(template), "compare.html") });
    assert.match(await page.textContent("#troubles"), /This page holds no comparison\. The command “trammel compare MODEL --report out\.html”/);
    await close();
  });

  test("of the program has its runs", { skip: !program && "TRAMMEL names no program" }, async () => {
    const file = join(folder, "loop.html");
    const model = join(examples, "eight-loop.json");
    await promisify(execFile)(program, ["compare", model, "--methods", "impulse,lagrange", "--orders", "2,4", "--steps", "0.02,0.01", "--time", "1", "--report", file]);
    const { page, errors, close } = await open({ file });
    await keep(page, "compare-program");
    assert.equal(await page.locator("#runs tbody tr").count(), 6);
    assert.equal(await page.locator("#cost circle").count(), 6);
    assert.equal(await page.locator(".values tbody tr:has(td)").count(), 7);
    // what the legend says at the end is what the table says
    const said = await page.locator(".values tbody tr:has(td)").nth(1).locator("td").nth(1).textContent();
    const errorColumn = (await page.locator("#runs thead th").allTextContents()).findIndex((text) => text.startsWith("Error")) + 1;
    assert.equal(said, (await column(page, errorColumn))[0]);
    assert.deepEqual(errors, []);
    await close();
  });

  test("ends between two numbers of single precision, and steps back from there", { skip: !program && "TRAMMEL names no program" }, async () => {
    const file = join(folder, "pendulum.html");
    await promisify(execFile)(program, ["compare", join(examples, "pendulum.json"), "--steps", "0.01,0.005", "--time", "0.7", "--report", file]);
    const { page, close } = await open({ file });
    await page.keyboard.press("ArrowLeft");
    assert.ok(Math.abs((await page.evaluate(() => window.trammel.state().time)) - 0.69) < 1e-6);
    await close();
  });
});
