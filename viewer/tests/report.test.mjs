// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The report in a real browser, opened from disk. With TRAMMEL_SHOTS=FOLDER pictures are kept there, with CHROMIUM=PATH
// another browser is taken.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { makeUpRun, template, writeReport } from "./make-report.mjs";
import { brightness, difference, pixelsOf } from "./pixels.mjs";

const DESK = { width: 1280, height: 720 };
const PHONE = { width: 390, height: 844 };
const FLAGS = ["--no-sandbox", "--enable-unsafe-swiftshader"];
const shots = process.env.TRAMMEL_SHOTS;
/** ms: longer than anything takes on the busiest machine */
const NEVER = 180_000;
/** Of two pictures that show different things, differing bytes per thousand. */
const CHANGED = 2;
/** Of pictures with markers of joints and without. */
const MARKED = 0.2;

let folder;
let browser;
let bench; // path of the report of the made-up run

async function launch(...flags) {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: [...FLAGS, ...flags] });
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "trammel-report-"));
  if (shots) await mkdir(shots, { recursive: true });
  bench = join(folder, "bench.html");
  await writeReport(bench, makeUpRun());
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Opens a report, at a moment where it rests; what went wrong is in the lists. */
async function open({ file = bench, hash = "#t=1", viewport = DESK, colorScheme = "light", from = browser } = {}) {
  const context = await from.newContext({ viewport, colorScheme, deviceScaleFactor: 1 });
  context.setDefaultTimeout(NEVER);
  const page = await context.newPage();
  const errors = [];
  const requests = [];
  page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
  page.on("pageerror", (e) => errors.push(e.message));
  page.on("request", (r) => requests.push(r.url()));
  await page.goto(pathToFileURL(file).href + hash);
  await settle(page);
  return { page, errors, requests, close: () => context.close() };
}

const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done())))));
const state = (page) => page.evaluate(() => window.trammel.state());
const keep = async (page, name) => shots && page.screenshot({ path: join(shots, `${name}.png`) });

async function seek(page, t) {
  await page.evaluate((to) => window.trammel.seek(to), t);
  await settle(page);
}

/** The colours of an element as it is seen. */
const pixels = async (page, selector) => pixelsOf(await page.locator(selector).first().screenshot());

/** Those of the machine, drawn with nothing given up, without the buttons above it. */
async function machinePixels(page) {
  const BUTTONS = 60;
  await settle(page);
  await page.waitForFunction(() => window.trammel.state().rests);
  const { x, y, width, height } = await page.locator("#stage").boundingBox();
  return pixelsOf(await page.screenshot({ clip: { x, y: y + BUTTONS, width, height: height - BUTTONS } }));
}

describe("a report", () => {
  test("is one file that draws, asks for nothing, and complains of nothing", async () => {
    const { page, errors, requests, close } = await open();
    const bytes = await pixels(page, "#stage");
    const colours = new Set();
    for (let i = 0; i < bytes.length; i += 3) colours.add((bytes[i] << 16) | (bytes[i + 1] << 8) | bytes[i + 2]);
    assert.ok(colours.size > 500, `the picture has ${colours.size} colours`);
    const orange = bytes.filter((_, i) => i % 3 === 0 && bytes[i] > bytes[i + 2] + 70).length;
    assert.ok(orange > 500, `the ball covers ${orange} pixels`);
    await keep(page, "desk-light");
    await page.screenshot(shots ? { path: join(shots, "desk-whole.png"), fullPage: true } : { fullPage: true });
    assert.deepEqual(errors, []);
    assert.equal(requests.length, 1, `requested: ${requests.join(", ")}`);
    await close();
  });

  test("plays when it is opened, pauses and plays on a key, and starts again at the end", async () => {
    const { page, close } = await open({ hash: "" });
    assert.equal((await state(page)).playing, true);
    await page.waitForFunction(() => window.trammel.state().time > 0.2);
    await page.keyboard.press("Space");
    const { time, playing } = await state(page);
    assert.equal(playing, false);
    for (let i = 0; i < 4; i++) await settle(page);
    assert.equal((await state(page)).time, time);
    await seek(page, 9.95);
    await page.keyboard.press("Space");
    await page.waitForFunction(() => window.trammel.state().time < 5);
    assert.equal((await state(page)).playing, true);
    await page.keyboard.press("l");
    await page.keyboard.press("Space");
    await seek(page, 9.95);
    await page.keyboard.press("Space");
    await page.waitForFunction(() => !window.trammel.state().playing);
    assert.equal((await state(page)).time, 10);
    await close();
  });

  test("moves bodies when it is scrubbed, and lies between frames where the time does", async () => {
    const { page, close } = await open();
    const [first, before] = [await pixels(page, "#stage"), await state(page)];
    const bar = await page.locator("#scrub").boundingBox();
    await page.mouse.click(bar.x + 0.7 * bar.width, bar.y + bar.height / 2);
    await settle(page);
    const [second, now] = [await pixels(page, "#stage"), await state(page)];
    assert.ok(Math.abs(now.time - 7) < 0.2, `the time is ${now.time}`);
    assert.ok(difference(first, second) > CHANGED);
    assert.notEqual(before.poses[21], now.poses[21]);
    // half-way between the frames 60 and 61 the ball (body 5) is half-way too
    const ballAt = async (t) => (await seek(page, t), (await state(page)).poses[35]);
    const [a, middle, b] = [await ballAt(1), await ballAt(1 + 1 / 120), await ballAt(1 + 1 / 60)];
    assert.ok(Math.abs(middle - (a + b) / 2) < 1e-6);
    // attitudes stay of length one
    const q = (await state(page)).poses.slice(38, 42);
    assert.ok(Math.abs(Math.hypot(...q) - 1) < 1e-5);
    await close();
  });

  test("has curves whose cursor and values follow the time, and which scrub", async () => {
    const { page, close } = await open();
    assert.equal(await page.locator(".panel").count(), 6);
    const titles = await page.locator(".panel h3").allTextContents();
    assert.deepEqual(titles, ["Coordinates", "Reactions", "Contacts", "Energy", "Energy error", "Joint gaps"], "what was requested first, accuracy last");
    const energy = page.locator(".panel", { hasText: "kinetic" });
    // values are written where they are seen
    const value = async () => {
      await energy.scrollIntoViewIfNeeded();
      await settle(page);
      return energy.locator("output").first().textContent();
    };
    const [first, before] = [await pixels(page, ".plot"), await value()];
    await seek(page, 6.1);
    assert.ok(difference(first, await pixels(page, ".plot")) > CHANGED);
    assert.notEqual(await value(), before);
    assert.equal(await value(), String(Number((12 + 9 * Math.sin(3.2 * 6.1) ** 2).toPrecision(4))));

    await page.locator(".plot").first().scrollIntoViewIfNeeded();
    const plot = await page.locator(".plot").first().boundingBox();
    await page.mouse.move(plot.x + 100, plot.y + 60);
    await page.mouse.down();
    await page.mouse.move(plot.x + plot.width - 12, plot.y + 60, { steps: 4 });
    await page.mouse.up();
    await settle(page);
    assert.ok(Math.abs((await state(page)).time - 10) < 0.05);
    await close();
  });

  test("has legends that switch curves off", async () => {
    const { page, close } = await open();
    const curve = page.locator(".legend button", { hasText: "ball.x" });
    const first = await pixels(page, ".plot");
    await curve.click();
    await page.mouse.move(5, 300);
    assert.equal(await curve.getAttribute("aria-pressed"), "false");
    assert.ok(difference(first, await pixels(page, ".plot")) > CHANGED);
    await close();
  });

  test("finds any column by its name, draws it with an axis for each unit, zooms, and says values under the mouse", async () => {
    const { page, errors, close } = await open();
    await page.fill("#pick", "slider z");
    assert.deepEqual(await page.locator(".choices button span:first-child").allTextContents(), ["slider.z"]);
    await page.locator(".choices button").first().click();
    for (const name of ["bearing fx", "kinetic"]) {
      await page.fill("#pick", name);
      await page.press("#pick", "Enter");
    }
    const mine = page.locator(".panel").first();
    assert.equal(await mine.locator("h3").textContent(), "My curves");
    assert.deepEqual(await mine.locator(".legend button span").allTextContents(), ["slider.z", "main bearing.fx", "kinetic"]);

    const whole = await pixels(page, ".plot");
    const box = await mine.locator(".plot").boundingBox();
    await page.keyboard.down("Shift");
    await page.mouse.move(box.x + 120, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + 60, { steps: 3 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await page.mouse.move(5, 5);
    await settle(page);
    const near = await pixels(page, ".plot");
    assert.ok(difference(whole, near) > CHANGED, "a part of the time");
    assert.equal((await state(page)).time, 1, "it is not scrubbed");
    await mine.locator(".plot").dblclick({ position: { x: 200, y: 60 } });
    await seek(page, 1);
    await page.mouse.move(5, 5);
    await settle(page);
    assert.equal(difference(whole, await pixels(page, ".plot")), 0, "all of it again");

    await page.mouse.move(box.x + 150, box.y + 50);
    const tip = mine.locator(".tip");
    await tip.waitFor({ state: "visible" });
    assert.match(await tip.textContent(), /^t = [\d.]+ sslider\.z [\d.]+ mmain bearing\.fx .* Nkinetic .* J$/);
    await page.mouse.move(5, 5);
    await tip.waitFor({ state: "hidden" });

    const get = async (name) => {
      const [file] = await Promise.all([page.waitForEvent("download"), mine.locator("button", { hasText: name }).click()]);
      return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
    };
    const csv = await get("CSV");
    assert.equal(csv.name, "My-curves.csv");
    const lines = csv.bytes.toString().trim().split("\n");
    assert.equal(lines[0], "t,slider.z [m],main bearing.fx [N],kinetic [J]");
    assert.equal(lines.length, 1 + 601);
    const svg = (await get("SVG")).bytes.toString();
    assert.equal((svg.match(/<path clip-path/g) ?? []).length, 3);
    assert.match(svg, />main bearing\.fx \[N\]</);
    const png = await get("PNG");
    assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
    await mine.locator("button", { hasText: "×" }).click();
    assert.equal(await page.locator(".panel").count(), 6);
    assert.deepEqual(errors, []);
    await close();
  });

  test("gives a picture, a film in numbered pictures, and keeps views", async () => {
    const file = join(folder, "short.html");
    await writeReport(file, makeUpRun({ duration: 1 }));
    const { page, errors, close } = await open({ file, hash: "#t=0.5" });
    await page.waitForFunction(() => window.trammel.state().rests);
    const get = async (act) => {
      const [made] = await Promise.all([page.waitForEvent("download"), act()]);
      return { name: made.suggestedFilename(), bytes: await readFile(await made.path()) };
    };
    const picture = await get(() => page.click("#shot"));
    assert.equal(picture.name, "Bench-of-parts.png");
    assert.ok(new Set(pixelsOf(picture.bytes)).size > 100, "it shows something");

    await page.selectOption("#speed", "5"); // five pictures of 1 s
    const film = await get(() => page.keyboard.press("v"));
    assert.equal(film.name, "Bench-of-parts-frames.zip");
    const names = film.bytes.toString("latin1").match(/frame-\d{5}\.png/g);
    assert.deepEqual([...new Set(names)], Array.from({ length: 6 }, (_, i) => `frame-0000${i}.png`));
    assert.equal(film.bytes.readUInt32LE(0), 0x04034b50);
    const first = film.bytes.subarray(30 + "frame-00000.png".length, 30 + "frame-00000.png".length + film.bytes.readUInt32LE(18));
    assert.equal(pixelsOf(first).length, pixelsOf(picture.bytes).length);

    const eye = async () => (await state(page)).eye;
    const before = await eye();
    await page.selectOption("#views", { label: "save this view (B)" });
    await page.selectOption("#views", { label: "along x" });
    assert.notDeepEqual(await eye(), before);
    await page.locator("#views").blur();
    await page.keyboard.press("1");
    (await eye()).forEach((x, i) => assert.ok(Math.abs(x - before[i]) < 1e-6));
    await page.reload();
    assert.equal((await state(page)).views, 1, "the browser keeps it");
    assert.deepEqual(errors, []);
    await close();
  });

  test("runs nothing that names, colours or units say", async () => {
    const evil = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';
    const run = makeUpRun({ duration: 1 });
    run.scene.name = run.facts.command = run.facts.date = evil;
    for (const body of run.scene.bodies) {
      body.name = `${evil}${body.name}`;
      for (const part of body.parts) part.color = `red"><script>window.hit=1</script>`;
    }
    for (const joint of run.scene.joints) joint.name = evil;
    for (const one of run.series) [one.name, one.unit, one.group] = [`${evil}${one.name}`, evil, one.group];
    run.facts.report.status = run.facts.report.verdict = evil;
    run.facts.report.reasons = [evil];
    const file = join(folder, "evil.html");
    await writeReport(file, run);
    const { page, requests, close } = await open({ file });
    await page.keyboard.press("n");
    await page.fill("#pick", "slider");
    await page.press("#pick", "Enter");
    const box = await page.locator(".plot").first().boundingBox();
    await page.mouse.move(box.x + 150, box.y + 50);
    await page.locator(".tip").first().waitFor({ state: "visible" });
    const { x, y, width, height } = await page.locator("#stage").boundingBox();
    for (let k = 1; k < 6; k++) await page.mouse.move(x + (width * k) / 6, y + height / 2);
    const [svg] = await Promise.all([page.waitForEvent("download"), page.locator(".panel button", { hasText: "SVG" }).first().click()]);
    assert.ok(!/<(img|script)/i.test(await readFile(await svg.path(), "utf8")));
    assert.equal(await page.evaluate(() => window.hit), undefined);
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(requests.filter((r) => !r.startsWith("blob:")).length, 1, `requested: ${requests.join(", ")}`);
    await close();
  });

  test("follows a body that was chosen, shows joints, names and frames on demand, and finds the first view again", async () => {
    const { page, errors, close } = await open();
    const before = await state(page);
    await page.selectOption("#body", { label: "ball" });
    await page.locator("#body").blur();
    await page.keyboard.press("f");
    await settle(page);
    const there = await state(page);
    assert.equal(there.body, 5);
    assert.equal(there.follows, true);
    await seek(page, 2);
    const later = await state(page);
    const moved = later.poses[35] - there.poses[35];
    assert.ok(Math.abs(later.eye[0] - there.eye[0] - moved) < 1e-4, "the eye goes as far as the ball");
    await keep(page, "desk-follow");

    const shown = await machinePixels(page);
    for (const [key, what] of [["j", "joints"], ["n", "names"], ["x", "frames"]]) {
      assert.equal((await state(page))[what], false);
      await page.keyboard.press(key);
      assert.equal((await state(page))[what], true);
      assert.ok(difference(shown, await machinePixels(page)) > MARKED, `${what} are seen`);
      await page.click(`#${what === "frames" ? "axes" : what}`);
      assert.equal((await state(page))[what], false);
      assert.equal(difference(shown, await machinePixels(page)), 0, `${what} are gone`);
    }
    await page.keyboard.press("f");
    await page.keyboard.press("r");
    await settle(page);
    (await state(page)).eye.forEach((x, i) => assert.ok(Math.abs(x - before.eye[i]) < 1e-6));
    assert.deepEqual(errors, []);
    await close();
  });

  test("marks joints while they are attached", async () => {
    const run = makeUpRun();
    for (const joint of run.scene.joints) joint.changes = [1.5];
    const file = join(folder, "detached.html");
    await writeReport(file, run);
    const { page, errors, close } = await open({ file, hash: "#t=1.6" });
    const seen = async (t) => {
      await seek(page, t);
      const before = await machinePixels(page);
      await page.keyboard.press("j");
      return difference(before, await machinePixels(page));
    };
    assert.equal(await seen(1.6), 0, "markers make no difference");
    assert.ok((await seen(1.4)) > MARKED);
    assert.deepEqual(errors, []);
    await close();
  });

  test("chooses the body that is clicked, names the one pointed at, and turns when dragged", async () => {
    const { page, close } = await open();
    const stage = await page.locator("#stage").boundingBox();
    let at = null;
    for (let y = 0.3; y < 0.9 && at === null; y += 0.04) {
      for (let x = 0.2; x < 0.9 && at === null; x += 0.04) {
        await page.mouse.move(stage.x + x * stage.width, stage.y + y * stage.height);
        if ((await page.locator(".label:visible b").allTextContents())[0] === "ball") at = [stage.x + x * stage.width, stage.y + y * stage.height];
      }
    }
    assert.ok(at, "the ball can be pointed at");
    await keep(page, "desk-hover");
    await page.mouse.click(...at);
    await settle(page);
    assert.equal((await state(page)).body, 5);
    assert.match(await page.locator("#place").textContent(), /^ball at /);

    const { eye } = await state(page);
    await page.mouse.move(stage.x + 40, stage.y + 400);
    await page.mouse.down();
    await page.mouse.move(stage.x + 160, stage.y + 380, { steps: 3 });
    await page.mouse.up();
    assert.ok(Math.hypot(...(await state(page)).eye.map((x, i) => x - eye[i])) > 0.1);
    assert.equal((await state(page)).body, 5, "a drag chooses nothing");
    await close();
  });

  test("is dark where the system is, and where a key says so", async () => {
    const { page, errors, close } = await open({ colorScheme: "dark" });
    assert.equal((await state(page)).theme, "dark");
    const dark = brightness(await pixels(page, "body"));
    await keep(page, "desk-dark");
    await page.keyboard.press("d");
    await settle(page);
    const light = brightness(await pixels(page, "body"));
    assert.ok(dark < 70 && light > 190, `brightness ${dark} and ${light}`);
    assert.deepEqual(errors, []);
    await close();
  });

  test("fits on a phone: the machine above, curves below, nothing to the side", async () => {
    const { page, errors, close } = await open({ viewport: PHONE });
    const [stage, plots] = [await page.locator("#stage").boundingBox(), await page.locator("#plots").boundingBox()];
    assert.ok(stage.y + stage.height <= plots.y);
    assert.ok(stage.width >= 380);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), PHONE.width);
    await keep(page, "phone");
    await page.locator(".panel").nth(3).scrollIntoViewIfNeeded();
    await page.evaluate(() => window.scrollBy(0, 200));
    await keep(page, "phone-scrolled");
    const now = await page.locator("#stage").boundingBox();
    assert.equal(now.y, stage.y, "the machine stays in sight");
    assert.deepEqual(errors, []);
    await close();
  });

  test("says how accurate the run was, with units", async () => {
    const { page, close } = await open();
    const row = (name) => page.locator("#table tr", { hasText: name }).first().locator("td").textContent();
    assert.match(await row("Largest error"), /^9\.386\s×\s10⁻⁶ J$/);
    assert.match(await row("Largest gap"), /m, joint crank pin$/);
    assert.match(await row("Dampers and drag"), /J$/);
    assert.equal(await page.locator("#verdict").textContent(), "good: energy balance 9.4e-06 J of 41 J; joints closed to 9.9e-11 m, 0 rad");
    assert.match(await page.locator("#table .none").textContent(), /halvings/);
    await close();
  });

  test("lists its keys", async () => {
    const { page, errors, close } = await open();
    await page.keyboard.press("?");
    assert.equal(await page.locator("#help").isVisible(), true);
    for (const key of ["Space", "Home", "End", "F", "D", "J", "?"]) assert.equal(await page.locator("kbd", { hasText: key }).first().isVisible(), true);
    await keep(page, "desk-keys");
    await page.locator("#help button").click();
    assert.equal(await page.locator("#help").isVisible(), false);
    await page.keyboard.press("End");
    assert.equal((await state(page)).time, 10);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    assert.ok(Math.abs((await state(page)).time - 1 / 60) < 1e-6);
    assert.deepEqual(errors, []);
    await close();
  });

  test("gives back its data and its model", async () => {
    const { page, errors, close } = await open();
    const get = async (button) => {
      const [file] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
      return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
    };
    const data = await get("#get-data");
    assert.equal(data.name, "Bench-of-parts.csv");
    const lines = data.text.trim().split("\n").filter((line) => !line.startsWith("#"));
    assert.equal(lines.length, 1 + 601);
    const head = lines[0].split(",");
    assert.equal(head[0], "t");
    assert.ok(head.includes("slider.qw") && head.includes("gap: crank pin [m]"));
    assert.ok(lines.every((line) => line.split(",").length === head.length));
    assert.equal(Number(lines[61].split(",")[0]), 1);
    assert.equal((await get("#get-model")).text, makeUpRun().facts.model);
    assert.deepEqual(errors, []);
    await close();
  });
});

describe("a report with trouble", () => {
  test("without data says so", async () => {
    const { page, errors, close } = await open({ file: template });
    assert.match(await page.locator("#troubles").textContent(), /holds no run/);
    assert.deepEqual(errors, []);
    await close();
  });

  test("without frames still has curves and tables", async () => {
    const file = join(folder, "cut.html");
    await writeReport(file, { ...makeUpRun({ duration: 1 }), frames: "" });
    const { page, errors, close } = await open({ file });
    assert.match(await page.locator("#troubles").textContent(), /motion in this file cannot be read/);
    assert.ok((await page.locator("#table td").count()) > 10);
    assert.deepEqual(errors, []);
    await close();
  });

  test("of a run that stopped says when and why", async () => {
    const run = makeUpRun({ duration: 1 });
    run.facts.report.status = "joint 'crank pin': does not close";
    const file = join(folder, "stopped.html");
    await writeReport(file, run);
    const { page, close } = await open({ file });
    assert.match(await page.locator("#troubles").textContent(), /^The run stopped at 1 s: joint 'crank pin'/);
    await close();
  });

  test("where there is no WebGL still has curves and tables", async (t) => {
    const poor = await launch("--disable-gpu", "--disable-3d-apis");
    t.after(() => poor.close());
    const { page, close } = await open({ from: poor });
    assert.match(await page.locator("#stage").textContent(), /does not offer WebGL/);
    assert.equal(await page.locator(".panel").count(), 6);
    const first = await pixels(page, ".plot");
    await seek(page, 8);
    assert.ok(difference(first, await pixels(page, ".plot")) > CHANGED);
    await keep(page, "desk-without-webgl");
    await close();
  });
});
