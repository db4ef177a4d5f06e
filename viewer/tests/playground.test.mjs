// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The playground in a real browser, served as plain files. It needs the package for WebAssembly (make wasm) in build-wasm/package. With
// TRAMMEL_SHOTS=FOLDER pictures are kept there, with CHROMIUM=PATH another browser is taken.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { chromium } from "playwright-core";

const root = join(import.meta.dirname, "../..");
const shots = process.env.TRAMMEL_SHOTS;
/** ms: longer than anything takes on the busiest machine. A test that ends by it waits for what never comes. */
const NEVER = 180_000;
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json" };
const missing = existsSync(join(root, "build-wasm/package/trammel.wasm")) ? false : "skipped: there is no module for WebAssembly; make wasm builds it";

const PENDULUM = `{
  "trammel": 1, "name": "swing", "gravity": [0, 0, -9.81],
  "bodies": [
    { "name": "bob", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [1, 0, 0] }
  ],
  "joints": [{ "name": "pivot", "type": "hinge", "bodies": ["ground", "bob"], "anchor": [0, 0, 0], "axis": [0, 1, 0] }]
}
`;

let browser, server, address;
const folder = mkdtempSync(join(tmpdir(), "trammel-playground-"));

async function newPage() {
  const context = await browser.newContext({ viewport: { width: 1100, height: 640 }, colorScheme: "light", deviceScaleFactor: 1 });
  context.setDefaultTimeout(NEVER);
  const page = await context.newPage();
  const errors = [];
  page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
  page.on("pageerror", (e) => errors.push(e.message));
  return { page, context, errors, close: () => context.close() };
}

const until = (page, what, about) => page.waitForFunction(what, about, { polling: 30 });
const state = (page) => page.evaluate(() => window.playground.state());
const isMoving = (page) => until(page, () => window.trammel?.state().time > 0 && window.trammel.state().drawn > 0);

async function open(fragment = "") {
  const opened = await newPage();
  await opened.page.goto(address + fragment);
  await until(opened.page, () => window.playground?.state().loads > 0);
  return opened;
}

/** Replaces the text as somebody does who types, and waits for what the checker says. */
async function type(page, text) {
  const { loads } = await state(page);
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
  await until(page, ([n, t]) => window.playground.state().loads > n && window.playground.state().text === t, [loads, text]);
}

describe("the playground", { skip: missing }, () => {
  before(async () => {
    execFileSync(process.execPath, [join(root, "viewer/playground/build.mjs"), folder]);
    server = createServer(async ({ url }, response) => {
      const path = new URL(url, "http://x").pathname;
      const file = path === "/" ? "index.html" : path.slice(1);
      const bytes = /^[\w.-]+$/.test(file) ? await readFile(join(folder, file)).catch(() => null) : null;
      response.writeHead(bytes === null ? 404 : 200, { "content-type": TYPES[extname(file)] ?? "text/plain" });
      response.end(bytes ?? "");
    }).listen(0, "127.0.0.1");
    await new Promise((done) => server.once("listening", done));
    address = `http://127.0.0.1:${server.address().port}/`;
    if (shots) await mkdir(shots, { recursive: true });
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--enable-unsafe-swiftshader"] });
  });
  after(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("shows a machine that moves, has all examples, and asks nobody else for anything", async () => {
    const { page, errors, close } = await newPage();
    const asked = [];
    page.on("request", (r) => asked.push(r.url()));
    await page.goto(address);
    await isMoving(page);
    const { examples } = await state(page);
    assert.ok(examples.length > 90 && examples.includes("jansen.json") && examples.includes("robots/arm.urdf"), `${examples.length}`);
    await page.selectOption("#examples", "jansen.json");
    await until(page, () => window.trammel.state().name.includes("Jansen") && window.trammel.state().time > 0);
    if (shots) await page.screenshot({ path: join(shots, "playground.png") });
    assert.deepEqual(asked.filter((url) => !url.startsWith(address) && !url.startsWith("blob:")), []);
    assert.deepEqual(errors, []);
    await close();
  });

  test("a mistake is underlined where it is; the sound model keeps running; once it is mended the new one runs", async () => {
    const { page, errors, close } = await open();
    await type(page, PENDULUM.replace('"mass"', '"mas"'));
    const wrong = await state(page);
    const typo = wrong.messages.find((m) => m.text.includes('"mas"'));
    assert.deepEqual([typo.severity, typo.line, typo.column], ["error", 4, 22]);
    assert.ok((await page.locator(".cm-lintRange-error").allTextContents()).includes('"mas"'));
    assert.match(await page.locator("#said-head").textContent(), /error/);
    assert.equal((await page.evaluate(() => window.trammel.state())).name, "8-Loop");
    await page.locator("#said-list button", { hasText: '"mas"' }).click();
    await type(page, PENDULUM);
    await until(page, () => window.trammel.state().name === "swing" && window.trammel.state().time > 0);
    assert.equal(await page.locator(".cm-lintRange-error").count(), 0);
    assert.deepEqual(errors, []);
    await close();
  });

  test("keys and words are completed by the schema", async () => {
    const { page, close } = await open();
    await type(page, PENDULUM);
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    await page.keyboard.type(' "const');
    await page.locator(".cm-tooltip-autocomplete li", { hasText: "constants" }).click(); // Enter counts only some ms after the list came
    await until(page, () => window.playground.state().text.includes('"constants": '));
    await close();
  });

  test("controls of the live page act on the simulation in the tab", async () => {
    const { page, close } = await open();
    await isMoving(page);
    await page.locator("#play").click();
    await until(page, () => !window.trammel.state().playing);
    await page.selectOption("#option-method", "lagrange");
    await until(page, () => window.trammel.state().options.method === "lagrange");
    const before = await page.evaluate(() => window.trammel.state().last);
    await page.locator("#step").click();
    await until(page, (t) => window.trammel.state().last > t, before);
    await close();
  });

  test("a link holds the model: text and name come back", async () => {
    const { page, close } = await open();
    const text = PENDULUM.replace("swing", "Schaukel äöü 🚲");
    await type(page, text);
    await page.locator("#share").click();
    await until(page, () => location.hash.startsWith("#m="));
    const hash = await page.evaluate(() => location.hash);
    await close();
    const again = await open(hash);
    assert.equal((await state(again.page)).text, text);
    await until(again.page, () => window.trammel.state().name === "Schaukel äöü 🚲" && window.trammel.state().time > 0);
    assert.deepEqual(again.errors, []);
    await again.close();
  });

  test("a model that crawls does not block the page, and can be stopped", async () => {
    const { page, close } = await open();
    await isMoving(page);
    const rods = Array.from({ length: 4000 }, (_, i) => `{ "name": "b${i}", "mass": 1, "inertia": [1, 1, 1], "position": [${i}, 0, 0] }`);
    const joints = rods.map((_, i) => `{ "name": "j${i}", "type": "ball", "bodies": ["${i === 0 ? "ground" : `b${i - 1}`}", "b${i}"], "anchor": [${i}, 0, 0] }`);
    const text = `{ "trammel": 1, "name": "crawls", "gravity": [0, -9.81, 0], "bodies": [${rods}], "joints": [${joints}],
      "simulation": { "step": 1, "order": 8, "method": "lagrange", "tolerance": 1e-14 } }`;
    await page.evaluate((t) => window.playground.setText(t), text);
    const pictures = await page.evaluate(async () => {
      for (let i = 0; i < 30; i++) await new Promise((done) => requestAnimationFrame(done));
      return 30;
    });
    assert.equal(pictures, 30);
    await page.locator("#halt").click();
    await until(page, () => window.playground.state().stopped && !window.trammel.state().connected);
    await page.evaluate((t) => window.playground.setText(t), PENDULUM);
    await until(page, () => window.trammel.state().name === "swing" && window.trammel.state().time > 0);
    await close();
  });

  test("nothing of a hostile name, model or link runs", async () => {
    const evil = `<img src=x onerror="window.hacked=1"><script>window.hacked=2</script>`;
    const { page, close } = await open();
    await type(page, PENDULUM.replaceAll("swing", JSON.stringify(evil).slice(1, -1)).replaceAll("bob", "<img src=x onerror=alert(1)>"));
    await until(page, (name) => window.trammel.state().name === name && window.trammel.state().time > 0, evil);
    await type(page, `{ "trammel": 1, ${JSON.stringify(evil)}: 1 }`);
    await until(page, () => window.playground.state().messages.some((m) => m.severity === "error"));
    assert.equal(await page.locator('#said-list button[class="error"]').count() > 0, true);
    const inline = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.hacked = 3";
      document.body.append(script);
      return [window.hacked, document.images.length];
    });
    assert.deepEqual(inline, [undefined, 0]);
    await close();
    const bomb = "#m=" + Buffer.from(await new Response(new Blob([`["a","${"0".repeat(5_000_000)}"]`]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer()).toString("base64url");
    for (const hash of ["#m=", "#m=!!!!", "#m=AAAA", "#m=PGltZz4", `#m=${"A".repeat(5000)}`, "#javascript:alert(1)", bomb]) {
      const hostile = await open(hash);
      assert.equal((await state(hostile.page)).name, "eight-loop.json", hash.slice(0, 20));
      if (hash.startsWith("#m=")) assert.match(await hostile.page.locator("#troubles").textContent(), /The link holds no model/);
      assert.equal(await hostile.page.evaluate(() => window.hacked), undefined);
      await hostile.close();
    }
  });

  test("a robot and its mesh are opened together", async () => {
    const { page, close } = await open();
    const stl = `solid c\n${[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]].map((f) => `facet normal 0 0 0\nouter loop\n${f.map((i) => `vertex ${[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]][i].join(" ")}`).join("\n")}\nendloop\nendfacet`).join("\n")}\nendsolid c\n`;
    const urdf = `<robot name="meshed"><link name="base"/><link name="arm"><inertial><origin xyz="0.3 0 0"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
      <visual><geometry><mesh filename="package://robot/meshes/arm.stl"/></geometry></visual><collision><geometry><mesh filename="package://robot/meshes/arm.stl"/></geometry></collision></link>
      <joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>`;
    await page.locator("#file").setInputFiles([
      { name: "arm.stl", mimeType: "model/stl", buffer: Buffer.from(stl) },
      { name: "robot.urdf", mimeType: "text/xml", buffer: Buffer.from(urdf) },
    ]);
    await until(page, () => window.trammel.state().name === "meshed" && window.trammel.state().time > 0);
    const { messages, name } = await state(page);
    assert.equal(name, "robot.urdf");
    assert.deepEqual(messages.filter((m) => m.text.includes("arm.stl")), []);
    await close();
  });

  test("it works without a network once it was loaded", async () => {
    const { page, context, close } = await open();
    await page.evaluate(async () => {
      const { active } = await navigator.serviceWorker.ready;
      if (active.state !== "activated") await new Promise((done) => active.addEventListener("statechange", () => active.state === "activated" && done()));
    });
    await context.setOffline(true);
    await page.reload();
    await isMoving(page);
    await close();
  });
});
