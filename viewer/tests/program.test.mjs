// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Reports that the program wrote, in a real browser: TRAMMEL=PROGRAM EXAMPLES=FOLDER. What is drawn changes with the time, and nothing
// is complained about.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { assertPolicy } from "./policy.mjs";

const program = process.env.TRAMMEL;
const examples = process.env.EXAMPLES;
const shots = process.env.TRAMMEL_SHOTS;
/** Rods, a rope that breaks, a curve, a mesh. */
const MODELS = ["eight-loop", "crane", "roller-coaster", "ball-in-bowl"];

/** ms: longer than a picture takes on the busiest machine */
const NEVER = 180_000;

describe("a report of the program", { skip: !program && "TRAMMEL names no program" }, () => {
  let folder;
  let browser;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "trammel-program-"));
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--enable-unsafe-swiftshader"],
    });
  });

  after(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const model of MODELS) {
    test(`shows ${model}`, async () => {
      const file = join(folder, `${model}.html`);
      await promisify(execFile)(program, ["run", join(examples, `${model}.json`), "--time", "1", "--report", file]);
      const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
      const errors = [];
      page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
      page.on("pageerror", (e) => errors.push(e.message));
      const look = async (t) => {
        await page.goto(`${pathToFileURL(file).href}#t=${t}`);
        await page.reload();
        await page.waitForFunction(() => window.trammel?.state().rests, null, { timeout: NEVER });
        return page.screenshot({ clip: { x: 0, y: 100, width: 750, height: 550 } });
      };
      const early = await look(0.05);
      if (shots) await page.screenshot({ path: join(shots, `program-${model}.png`) });
      const late = await look(0.9);
      assert.deepEqual(errors, []);
      assert.notDeepEqual(early, late, "nothing moves");
      await page.close();
    });
  }

  test("allows its own script only, as do comparisons and modes", async () => {
    const model = join(examples, "pendulum.json");
    const pages = [
      ["run", model, "--time", "0.1"],
      ["compare", model, "--time", "0.1", "--orders", "2,4", "--steps", "0.01"],
      ["modes", model],
    ];
    for (const args of pages) {
      const file = join(folder, `${args[0]}-policy.html`);
      await promisify(execFile)(program, [...args, "--report", file]);
      const page = await browser.newPage();
      page.setDefaultTimeout(NEVER);
      await page.goto(pathToFileURL(file).href);
      await assertPolicy(page);
      await page.close();
    }
  });

  test("shows modes with their Bode plots next to the machine, no accuracy, and names as they are", async () => {
    const file = join(folder, "modes.html");
    const model = join(folder, "modes.json");
    const name = "<img src=x>";
    await writeFile(
      model,
      `{ "trammel": 1, "bodies": [ { "name": "bob", "mass": 1, "inertia": [1, 1, 1], "position": [0, 0, -1] } ], "gravity": [0, 0, -9.81],
         "joints": [ { "name": "${name}", "type": "hinge", "bodies": ["ground", "bob"], "anchor": [0, 0, 0], "axis": [0, 1, 0] } ] }`,
    );
    await promisify(execFile)(program, ["modes", model, "--inputs", `${name}.force`, "--outputs", `${name}.q`, "--report", file]);
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    const errors = [];
    page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
    page.on("pageerror", (e) => errors.push(e.message));
    await page.goto(pathToFileURL(file).href);
    await page.waitForFunction(() => document.querySelector("#facts-column > #modes svg") !== null, null, { timeout: NEVER });
    assert.match(await page.locator("#modes figcaption").textContent(), /^<img src=x>\.force to <img src=x>\.q/);
    assert.equal(await page.locator("#modes img").count(), 0);
    assert.equal(await page.locator("#cards .card").count(), 0);
    assert.deepEqual(errors, []);
    await page.close();
  });
});
