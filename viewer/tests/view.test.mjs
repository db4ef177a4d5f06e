// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The live page in a real browser, with the program that serves it: TRAMMEL_VIEW=PROGRAM EXAMPLES=FOLDER. With
// TRAMMEL_SHOTS=FOLDER pictures are kept there, with CHROMIUM=PATH another browser is taken.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { chromium } from "playwright-core";
import { assertPolicy } from "./policy.mjs";
import { startProgram } from "./raw.mjs";
import { zipOf } from "./zips.mjs";

const program = process.env.TRAMMEL_VIEW;
const examples = process.env.EXAMPLES;
const shots = process.env.TRAMMEL_SHOTS;
const DESK = { width: 1280, height: 720 };
const SMALL = { width: 640, height: 480 }; // is drawn in less time
/** ms: longer than anything takes on the busiest machine. A test that ends by it waits for what never comes. */
const NEVER = Number(process.env.NEVER ?? 180_000);
const POSE = 7;
const GRIP = 10;

let browser;
const running = [];

/** Starts the program on a model. One that ends before it says its address fails the test at once, instead of being waited for. */
async function start(model, ...more) {
  const { child, ended, address } = await startProgram(program, join(examples, `${model}.json`), "--port", "0", ...more);
  running.push(child);
  return { child, address: address.href, ended };
}

async function newPage(viewport = SMALL) {
  const context = await browser.newContext({ viewport, colorScheme: "light", deviceScaleFactor: 1 });
  context.setDefaultTimeout(NEVER);
  const page = await context.newPage();
  const errors = [];
  page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
  page.on("pageerror", (e) => errors.push(e.message));
  return { page, errors, close: () => context.close() };
}

/** A page that has drawn a frame. */
async function open(address) {
  const opened = await newPage();
  await opened.page.goto(address);
  await opened.page.waitForFunction(() => window.trammel?.state().drawn > 0);
  return opened;
}

const state = (page) => page.evaluate(() => window.trammel.state());
const until = (page, what, about) => page.waitForFunction(what, about, { polling: 30 });
const keep = async (page, name) => shots && page.screenshot({ path: join(shots, `view-${name}.png`) });
const lastTrouble = (page) => page.locator("#troubles p span").first().textContent();

/** Returns when this many pictures could have been drawn. */
const pictures = (page, count) =>
  page.evaluate(async (n) => {
    for (let i = 0; i < n; i++) await new Promise((done) => requestAnimationFrame(done));
  }, count);

/** Presses a key and waits for what it does. */
async function press(page, key, what, about) {
  await page.keyboard.press(key);
  await until(page, what, about);
}

/** Returns a body's place in the page once it has stood still, seen by a camera that stands still, in several pictures. */
const stillPlaceOf = (page, body) =>
  page.evaluate(async (b) => {
    const STILL = 5; // pictures
    let place = [NaN, NaN];
    for (let same = 0; same < STILL; ) {
      await new Promise((done) => requestAnimationFrame(done));
      const now = window.trammel.pointOf(b);
      same = window.trammel.state().rests && now.every((x, i) => x === place[i]) ? same + 1 : 0;
      place = now;
    }
    return place;
  }, body);

/** Where a body is to be clicked. The first view depends on the poses that were drawn, so the body may be behind a button: the camera is then
 * moved back until it is not. */
async function placeOf(page, body) {
  for (;;) {
    const [x, y] = await stillPlaceOf(page, body);
    if (await page.evaluate(([u, v]) => document.elementFromPoint(u, v)?.tagName === "CANVAS", [x, y])) return [x, y];
    const { x: left, y: top, width, height } = await page.locator("#stage").boundingBox();
    await page.mouse.move(left + width / 2, top + height / 2);
    const { eye } = await state(page);
    await page.mouse.wheel(0, 200);
    await until(page, (before) => window.trammel.state().eye.some((x, i) => x !== before[i]), eye);
  }
}

async function pause(page) {
  if ((await state(page)).playing) await page.keyboard.press("Space");
  await until(page, () => !window.trammel.state().playing && window.trammel.state().time === window.trammel.state().last);
}

/** Changes a field of the options as people do. */
async function set(page, name, value) {
  const field = page.locator(`#option-${name}`);
  if ((await field.evaluate((e) => e.tagName)) === "SELECT") await field.selectOption(value);
  else {
    await field.fill(value);
    await field.press("Enter");
  }
}

const drop = (page, name, text) =>
  page.evaluate(
    ([fileName, content]) => {
      const files = new DataTransfer();
      files.items.add(new File([content], fileName, { type: "application/json" }));
      const send = (kind) => document.querySelector("#stage").dispatchEvent(new DragEvent(kind, { dataTransfer: files, bubbles: true, cancelable: true }));
      send("dragenter");
      const asked = !document.querySelector("#drop").hidden;
      send("dragover");
      send("drop");
      return asked && document.querySelector("#drop").hidden;
    },
    [name, text],
  );

/** Drops a folder of [path, text]; a script cannot make entries of folders, so these are imitations. */
const dropFolder = (page, files) =>
  page.evaluate((all) => {
    const file = ([path, body]) => ({ isFile: true, isDirectory: false, fullPath: `/${path}`, file: (done) => done(new File([body], path.split("/").pop())) });
    const entries = [all.map(file), []];
    const folder = { isFile: false, isDirectory: true, name: "robot", fullPath: "/robot", createReader: () => ({ readEntries: (done) => done(entries.shift()) }) };
    const original = DataTransferItem.prototype.webkitGetAsEntry;
    DataTransferItem.prototype.webkitGetAsEntry = () => folder;
    const files = new DataTransfer();
    files.items.add(new File([""], "robot"));
    document.querySelector("#stage").dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
    DataTransferItem.prototype.webkitGetAsEntry = original;
  }, files);

/** Drops files of [name, base64] next to each other. */
const dropFiles = (page, files) =>
  page.evaluate((all) => {
    const transfer = new DataTransfer();
    for (const [name, bytes] of all) transfer.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name));
    document.querySelector("#stage").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, files.map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")]));

/** A robot of one link with a mesh of four triangles, as in a package of ROS. */
const LINK = (name, mesh) => `<robot name="${name}"><link name="${name}-base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><mesh filename="${mesh}"/></geometry></visual></link></robot>`;
const CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
const STL = `solid t\n${[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]].map((f) => `facet normal 0 0 0\nouter loop\n${f.map((i) => `vertex ${CORNERS[i].join(" ")}\n`).join("")}endloop\nendfacet\n`).join("")}endsolid t\n`;
const PACKAGE = (name) => [
  ["robot/package.xml", "<package><name>robot</name></package>"],
  ["robot/meshes/base.stl", STL],
  ["robot/.git/config", "x"],
  [`robot/urdf/${name}.urdf`, LINK(name, "package://robot/meshes/base.stl")],
];

/** The status of an answer to a plain or upgrading request. */
async function ask(address, { path, headers = {}, upgrade = false }) {
  const { hostname, port, origin } = new URL(address);
  const upgrading = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-key": randomBytes(16).toString("base64"),
    "sec-websocket-version": "13",
    "sec-websocket-protocol": "trammel",
    origin,
  };
  const asked = request({ hostname, port, path, headers: { ...(upgrade ? upgrading : {}), ...headers }, agent: false });
  asked.end();
  return new Promise((done, failed) => {
    asked.on("response", (answer) => (answer.resume(), done(answer.statusCode)));
    asked.on("upgrade", (answer, socket) => (socket.destroy(), done(answer.statusCode)));
    asked.on("error", (error) => (error.code === "ECONNRESET" ? done("closed") : failed(error)));
  });
}

describe("a live page", { skip: !program && "TRAMMEL_VIEW names no program" }, () => {
  let served; // the program, with a double pendulum
  let page;
  let errors;

  before(async () => {
    if (shots) await mkdir(shots, { recursive: true });
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--enable-unsafe-swiftshader"] });
    // what a browser does only once is not waited for below
    const { page: first, close } = await newPage();
    await first.goto("data:text/html,<canvas></canvas>");
    await first.evaluate(() => document.querySelector("canvas").getContext("webgl2")?.clear(0));
    await close();
  });

  after(async () => {
    await browser?.close();
    for (const child of running) child.kill("SIGKILL");
  });

  test("shows a machine that moves by itself", async () => {
    ({ page, errors } = await newPage(DESK));
    served = await start("double-pendulum");
    await page.goto(served.address);
    await until(page, () => window.trammel?.state().drawn > 0);
    const { poses } = await state(page);
    await until(page, (first) => window.trammel.state().poses.some((x, i) => x !== first[i]), poses);
    assert.deepEqual(errors, []);
    await keep(page, "first");
  });

  test("pauses, makes one step, goes back to the start, and is as fast as asked", async () => {
    await pause(page);
    const { time, options } = await state(page);
    await pictures(page, 10);
    assert.equal((await state(page)).time, time);
    await press(page, "ArrowRight", (t) => window.trammel.state().time > t, time);
    assert.ok(Math.abs((await state(page)).time - time - options.step) < 1e-9);
    assert.ok((await state(page)).report.wall_s > 0);
    await press(page, "Backspace", () => window.trammel.state().time === 0);
    assert.equal((await state(page)).playing, false);
    await until(page, () => window.trammel.state().report.wall_s === 0); // what steps took is counted again, too

    await page.selectOption("#speed", "0.2");
    await press(page, "Space", () => window.trammel.state().playing && window.trammel.state().speed === 0.2);
    const SHARE = 0.3; // of the speed, for the frame on its way when the clock is started
    // On a busy machine frames that waited come at once: it is measured until they did not.
    await page.evaluate(async (fastest) => {
      const simulated = () => window.trammel.state().last;
      for (let pace = Infinity; pace > fastest; ) {
        const [began, from] = [performance.now(), simulated()];
        while (simulated() < from + 0.2) await new Promise((done) => requestAnimationFrame(done));
        pace = (1000 * (simulated() - from)) / (performance.now() - began);
      }
    }, 0.2 * (1 + SHARE));
    await until(page, () => window.trammel.state().pace > 0.15 && window.trammel.state().pace < 0.25);
    await page.selectOption("#speed", "1");
    await until(page, () => window.trammel.state().speed === 1);
  });

  test("has curves, numbers and a table that change", async () => {
    const [first, steps] = [await page.locator(".panel output").first().textContent(), (await state(page)).report.steps];
    await until(page, (s) => window.trammel.state().report.steps > s, steps);
    await until(page, (text) => document.querySelector(".panel output").textContent !== text, first);
    assert.match(await page.locator("#cards").textContent(), /Energy error.*J.*Joint gap.*m/);
    const layout = await page.evaluate(() => ({ transport: document.querySelector("#transport").getBoundingClientRect().bottom, wide: document.documentElement.scrollWidth }));
    assert.ok(layout.transport <= DESK.height && layout.wide === DESK.width, JSON.stringify(layout));
    await page.keyboard.press("?");
    for (const key of ["Space", "Backspace", "C", "A", "M", "?"]) assert.equal(await page.locator("kbd", { hasText: key }).first().isVisible(), true);
    await keep(page, "keys");
    await page.keyboard.press("Escape");
  });

  test("lets a body be pulled with the mouse, and shows the grip to other pages too", async () => {
    await pause(page);
    await press(page, "Backspace", () => window.trammel.state().time === 0);
    const other = await open(served.address);
    await until(page, () => window.trammel.state().pages === 2);
    assert.deepEqual((await state(other.page)).poses, (await state(page)).poses);

    const [x, y] = await placeOf(page, 2);
    const eye = (await state(page)).eye;
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - 60, { steps: 3 });
    await until(page, (n) => window.trammel.state().grips.length === n, GRIP);
    await until(other.page, (n) => window.trammel.state().grips.length === n, GRIP);
    await keep(page, "grip");
    const { grips, poses, held, body, eye: then } = await state(page);
    assert.equal(held, 2);
    assert.deepEqual(then, eye, "the camera stays");
    assert.equal(grips[0], 2);
    assert.ok(grips[5] > grips[2] + 0.01, "it is pulled upwards");
    assert.match(await page.locator(".grip").textContent(), /^\d.* N$/);
    await press(page, "Space", () => window.trammel.state().last > 0.3);
    const pulled = (await state(page)).poses;
    // without the mouse both rods would have fallen by more than this
    assert.ok(pulled[2 * POSE + 1] > poses[2 * POSE + 1] - 0.2, `it fell to ${pulled[2 * POSE + 1]} m`);
    await keep(other.page, "grip-of-another");
    await page.mouse.up();
    await until(page, () => window.trammel.state().grips.length === 0);
    assert.equal(body, -1, "a drag chooses nothing");
    await pause(page);
    const { time } = await state(page);
    await until(other.page, (t) => window.trammel.state().time === t, time);
    assert.deepEqual((await state(other.page)).poses, (await state(page)).poses, "two pages see the same state");
    await other.close();
  });

  test("lets go of a body when the button is let go outside", async () => {
    await pause(page);
    const [x, y] = await placeOf(page, 2);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, 5); // at once, over the stage's edge
    await page.mouse.up();
    await page.mouse.move(x, y);
    await page.mouse.move(x + 30, y + 30, { steps: 3 });
    await until(page, () => window.trammel.state().grips.length === 0);
    assert.equal((await state(page)).held, -1);
    const { eye } = await state(page);
    const { x: left, y: top, height } = await page.locator("#stage").boundingBox();
    await page.mouse.move(left + 60, top + height - 120);
    await page.mouse.down();
    await page.mouse.move(left + 130, top + height - 120, { steps: 3 });
    await page.mouse.up();
    assert.notDeepEqual((await state(page)).eye, eye, "the camera turns again");
    await page.keyboard.press("r");
  });

  test("chooses the body that is clicked", async () => {
    await pause(page);
    const [x, y] = await placeOf(page, 1);
    await page.mouse.click(x, y);
    await until(page, () => window.trammel.state().body === 1);
    assert.match(await page.locator("#place").textContent(), /^upper at /);
    await page.selectOption("#body", "-1");
  });

  test("changes method, order and step while it runs, from the same time on", async () => {
    await press(page, "Space", () => window.trammel.state().playing);
    await page.evaluate(() => {
      let before = 0;
      window.wentBack = 0; // s
      const look = () => {
        const { last } = window.trammel.state();
        if (window.wentBack === null) return;
        window.wentBack = Math.max(window.wentBack, before - last);
        before = last;
        requestAnimationFrame(look);
      };
      look();
    });
    const goesOnWith = async (name, value, what) => {
      const { last } = await state(page);
      await set(page, name, value);
      await until(page, what);
      const then = await state(page);
      assert.ok(then.last >= last, `${name} ${value}: from ${last} s to ${then.last} s`);
      await until(page, (t) => window.trammel.state().last > t, then.last);
    };
    await goesOnWith("order", "4", () => window.trammel.state().options.order === 4);
    await goesOnWith("step", "2e-3", () => window.trammel.state().options.step === 0.002);
    await goesOnWith("tolerance", "1e-9", () => window.trammel.state().options.tolerance === 1e-9);
    await goesOnWith("method", "minimal", () => window.trammel.state().options.method === "minimal");
    assert.match(await page.locator("#how").textContent(), /^minimal .* step 2 ms/);
    await goesOnWith("method", "lagrange", () => window.trammel.state().options.method === "lagrange");
    const own = (name) => window.trammel.state().options.own.find((o) => o.name === name);
    await page.locator("#options summary").click();
    await goesOnWith("stabilise", "baumgarte", () => window.trammel.state().options.own.some((o) => o.value === "baumgarte"));
    await goesOnWith("beta", "20", () => window.trammel.state().options.own.some((o) => o.name === "beta" && o.value === 20));
    assert.match(await page.locator("#how").textContent(), /^lagrange .*stabilise baumgarte · beta 20/);
    await keep(page, "own-options");
    await goesOnWith("beta", "", () => window.trammel.state().options.own.some((o) => o.name === "beta" && !o.given));
    assert.equal((await page.evaluate(own, "beta")).value, 10);
    assert.equal(await page.locator("#option-beta").getAttribute("placeholder"), "10");
    await goesOnWith("method", "impulse", () => window.trammel.state().options.method === "impulse");
    assert.equal(await page.evaluate(() => window.wentBack), 0, "the time went back");
    await page.evaluate(() => (window.wentBack = null));
    assert.deepEqual(await page.locator("#troubles p").allTextContents(), []);
  });

  test("says in a sentence what cannot be done, and changes nothing", async () => {
    const { options, scene } = await state(page);
    await set(page, "step", "-1");
    assert.match(await lastTrouble(page), /step/);
    await set(page, "order", "5");
    await until(page, () => document.querySelectorAll("#troubles p").length === 2);
    assert.match(await lastTrouble(page), /order/);
    await keep(page, "troubles");
    const then = await state(page);
    assert.deepEqual(then.options, options);
    assert.equal(then.scene, scene);
    await until(page, () => document.querySelector("#option-step").value === "0.002");
    while ((await page.locator("#troubles p button").count()) > 0) await page.locator("#troubles p button").first().click();
    assert.equal(await page.locator("#troubles p").count(), 0);
    await until(page, (t) => window.trammel.state().last > t, then.last);
  });

  test("passes over what is wrong in what it is sent", async () => {
    const { page: odd, errors: oddErrors, close } = await newPage();
    const said = [];
    odd.on("console", (m) => m.type() === "info" && said.push(m.text()));
    let socket;
    await odd.routeWebSocket(/socket/, (ws) => {
      const server = ws.connectToServer();
      socket = ws;
      ws.onMessage((m) => server.send(m));
      server.onMessage((m) => ws.send(m));
    });
    await odd.goto(served.address);
    await until(odd, () => window.trammel?.state().drawn > 0);
    for (const wrong of ["{", "null", '{ "kind": "weather" }', '{ "kind": "scene" }', Buffer.alloc(5), Buffer.from(Uint8Array.of(1, ...new Array(32).fill(0)))]) socket.send(wrong);
    const { drawn } = await state(odd);
    await until(odd, (d) => window.trammel.state().drawn > d + 3, drawn);
    assert.deepEqual(oddErrors, []);
    assert.equal(said.filter((s) => s.startsWith("Passed over")).length >= 4, true, said.join("; "));
    await close();
  });

  test("allows its own script only, and runs nothing that a model says", async () => {
    const evil = '<img src=x onerror=\\"window.hacked=1\\"><script>window.hacked=2</script>';
    const name = "<img src=x onerror=hacked=1>"; // of a body: without dots and quotes
    const { page: other, close } = await open(served.address);
    await assertPolicy(other);
    await drop(other, "evil.json", `{ "trammel": 1, "name": "${evil}", "constants": { "c": 1 }, "inputs": { "u": { "start": 0 } },
      "bodies": [ { "name": "${name}", "mass": 1, "inertia": [1, 1, 1], "position": [1, 0, 0] } ],
      "joints": [ { "name": "j ${name}", "type": "hinge", "bodies": ["ground", "${name}"], "anchor": [0, 0, 0], "axis": [0, 1, 0] } ] }`);
    await until(other, () => window.trammel.state().name.startsWith("<img") && window.trammel.state().jogs.length === 1);
    await other.keyboard.press("n");
    await drop(other, "<img src=x onerror=window.hacked=3>.json", "{");
    await until(other, () => document.querySelector("#troubles p") !== null);
    await pictures(other, 5);
    assert.deepEqual(await other.evaluate(() => [window.hacked ?? null, document.images.length]), [null, 0]);
    await close();
    await drop(page, "double-pendulum.json", await readFile(join(examples, "double-pendulum.json"), "utf8"));
    await until(page, () => window.trammel.state().bodies.includes("upper"));
  });

  test("is given to nobody without the token, and to no page of another origin", async () => {
    const { pathname } = new URL(served.address);
    const wrong = `/${"0".repeat(pathname.length - 2)}/`;
    assert.equal(await ask(served.address, { path: pathname }), 200);
    assert.equal(await ask(served.address, { path: `${pathname}socket`, upgrade: true }), 101);
    assert.notEqual(await ask(served.address, { path: `${pathname}socket`, upgrade: true, headers: { origin: "http://example.com" } }), 101);
    assert.notEqual(await ask(served.address, { path: `${wrong}socket`, upgrade: true }), 101);
    assert.equal(await ask(served.address, { path: wrong }), 403);
    assert.equal(await ask(served.address, { path: "/" }), 403);
    assert.equal(await ask(served.address, { path: pathname, headers: { host: "example.com" } }), 403);
    assert.equal(await ask(served.address, { path: pathname, headers: { origin: "http://example.com" } }), 403);
  });

  test("loads a model file that is dropped on it, and says where a broken one is broken", async () => {
    const { scene } = await state(page);
    const broken = '{\n  "trammel": 1,\n  "bodies": [\n    { "name": }\n  ]\n}\n';
    assert.equal(await drop(page, "broken.json", broken), true);
    assert.match(await lastTrouble(page), /broken\.json:4/);
    assert.equal((await state(page)).scene, scene);
    await page.locator("#troubles p button").first().click();
    await drop(page, "notes.txt", "x");
    assert.match(await lastTrouble(page), /^notes\.txt is not a Trammel model/);
    await page.locator("#troubles p button").first().click();

    const long = `${"長".repeat(100)}.json`;
    await drop(page, long, broken);
    assert.match(await lastTrouble(page), /長\.json:4/);
    await page.locator("#troubles p button").first().click();
    await set(page, "step", `1${" + 1".repeat(200)}`);
    assert.match(await lastTrouble(page), /step is too long/);
    await page.locator("#troubles p button").first().click();
    assert.equal((await state(page)).connected, true);

    await drop(page, "gripper.urdf", await readFile(join(examples, "robots", "gripper.urdf"), "utf8"));
    await until(page, () => window.trammel.state().bodies.includes("palm"));
    await drop(page, "stack.json", await readFile(join(examples, "stack.json"), "utf8"));
    await until(page, () => window.trammel.state().bodies.includes("box10") && window.trammel.state().drawn > 0);
    await until(page, () => window.trammel.state().contacts > 0);
    assert.match(await page.locator(".scale.arrows").textContent(), /^arrows .* N per .* m$/);
    assert.equal(await page.locator('#option-method option[value="minimal"]').evaluate((o) => o.disabled && o.title.length > 10), true);
    await keep(page, "stack");
    await drop(page, "four-bar.json", await readFile(join(examples, "four-bar.json"), "utf8"));
    await until(page, () => window.trammel.state().bodies.includes("rocker"));
    await press(page, "a", () => window.trammel.state().reactions === 4);
    await press(page, "m", () => window.trammel.state().shown.centres);
    await page.keyboard.press("d");
    await pictures(page, 10);
    await keep(page, "four-bar-dark");
    assert.deepEqual(errors, []);
  });

  test("shows a robot with its meshes that is dropped as a folder, as a ZIP or as loose files", async () => {
    const shows = (name, triangles) => until(page, ([n, t]) => window.trammel.state().bodies.includes(`${n}-base`) && window.trammel.state().triangles === t, [name, triangles]);
    const none = async () => assert.deepEqual(await page.locator("#troubles p span").allTextContents(), []);
    await dropFolder(page, PACKAGE("folder"));
    await shows("folder", 4);
    assert.equal((await state(page)).file, "robot/urdf/folder.urdf");
    await none();
    await dropFiles(page, [["robot.zip", zipOf(PACKAGE("zipped").map(([path, text]) => [path, Buffer.from(text), "deflated"]))]]);
    await shows("zipped", 4);
    await none();
    await dropFiles(page, [["base.stl", STL], ["loose.urdf", LINK("loose", "../meshes/base.stl")]]);
    await shows("loose", 4);
    await none();
    await keep(page, "dropped-robot");
    // a scene that includes a robot is what is loaded
    const mjcf = '<mujoco><asset><mesh name="m" file="base.stl"/></asset><worldbody><body name="mjcf-base"><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>';
    await dropFiles(page, [["base.stl", STL], ["a-robot.xml", mjcf], ["scene.xml", '<mujoco><include file="a-robot.xml"/></mujoco>']]);
    await until(page, () => window.trammel.state().file === "scene.xml" && window.trammel.state().bodies.includes("mjcf-base"));
    await none();
    // a mesh that is larger than a piece, and one that is missing
    await dropFiles(page, [["base.stl", `${STL}${"\n".repeat(3 << 20)}`], ["large.urdf", LINK("large", "base.stl")]]);
    await shows("large", 4);
    await dropFiles(page, [["other.stl", STL], ["missing.urdf", LINK("missing", "base.stl")]]);
    await shows("missing", 0);
    await until(page, () => /missing\.urdf.*base\.stl.* left out/.test(document.querySelector("#troubles p span")?.textContent ?? ""));
    await page.locator("#troubles p button").first().click();
    assert.deepEqual(errors, []);
  });

  test("refuses files that it cannot take, in a sentence, and changes nothing", async () => {
    const { scene } = await state(page);
    const refuses = async (sentence) => {
      await until(page, (text) => new RegExp(text).test(document.querySelector("#troubles p span")?.textContent ?? ""), sentence.source);
      await page.locator("#troubles p button").first().click();
      await until(page, () => document.querySelector("#troubles p") === null);
    };
    const zip = (entries) => dropFiles(page, [["evil.zip", zipOf(entries.map(([path, text]) => [path, Buffer.from(text), "stored"]))]]);
    const robot = ["r.urdf", LINK("evil", "base.stl")];
    for (const path of ["../evil.stl", "/etc/evil.stl", "a/../../evil.stl", "a\\..\\evil.stl", "a//evil.stl"]) {
      await zip([robot, [path, STL]]);
      await refuses(/not the relative path/);
    }
    await zip([robot, ["base.stl", STL], ["base.stl", STL]]);
    await refuses(/^Two files have the same path: base\.stl/);
    await zip([robot, [`${"x".repeat(400)}.stl`, STL]]);
    await refuses(/path .* is too long/);
    await zip([robot, ...Array.from({ length: 2000 }, (_, i) => [`${i}.stl`, ""])]);
    await refuses(/There are 2001 files; at most 2000/);
    await zip([["base.stl", STL], ["other.stl", STL]]);
    await refuses(/^None of the files is a Trammel model/);
    assert.equal((await state(page)).scene, scene);
    assert.equal((await state(page)).connected, true);
    // two drops at once: the second is loaded
    await page.evaluate(() => undefined);
    await Promise.all([dropFolder(page, PACKAGE("first")), dropFolder(page, PACKAGE("second"))]);
    await until(page, () => window.trammel.state().bodies.includes("second-base") && window.trammel.state().triangles === 4);
    await pictures(page, 10);
    assert.ok((await state(page)).bodies.includes("second-base"));
    assert.deepEqual(errors, []);
  });

  test("loads a model that was dropped while the connection was broken", async () => {
    const { page: cut, close } = await newPage();
    let socket;
    await cut.routeWebSocket(/socket/, (ws) => {
      const server = ws.connectToServer();
      socket = ws;
      ws.onMessage((m) => server.send(m));
      server.onMessage((m) => ws.send(m));
    });
    await cut.goto(served.address);
    await until(cut, () => window.trammel?.state().drawn > 0);
    const before = socket;
    await before.close({ code: 1012 }); // the page tries again
    await until(cut, () => !window.trammel.state().connected);
    await drop(cut, "four-bar.json", (await readFile(join(examples, "four-bar.json"), "utf8")).replaceAll('"rocker"', '"swing"'));
    await until(cut, () => window.trammel.state().connected && window.trammel.state().bodies.includes("swing"));
    await socket.close({ code: 1012 });
    await until(cut, () => !window.trammel.state().connected);
    await dropFolder(cut, PACKAGE("kept"));
    await until(cut, () => window.trammel.state().connected && window.trammel.state().bodies.includes("kept-base") && window.trammel.state().triangles === 4);
    await socket.close({ code: 1001, reason: "it was ended" }); // and not again
    await until(cut, () => !window.trammel.state().connected);
    await drop(cut, "lost.json", "{}");
    assert.match(await lastTrouble(cut), /^lost\.json cannot be loaded: there is no connection/);
    await close();
    await drop(page, "four-bar.json", await readFile(join(examples, "four-bar.json"), "utf8"));
    await until(page, () => window.trammel.state().bodies.includes("rocker"));
  });

  test("has sliders for what drives the machine, and starts from its poses", async () => {
    const driven = `{ "trammel": 1, "name": "driven", "inputs": { "u": { "range": [-2, 2], "start": 0.5 } },
      "bodies": [ { "name": "arm", "mass": 1, "inertia": [0.1, 0.1, 0.1] } ],
      "joints": [ { "name": "pin", "type": "hinge", "bodies": ["ground", "arm"], "anchor": [0, 0, 0], "axis": [0, 0, 1], "limits": [-3, 1] } ],
      "forces": [ { "name": "s", "type": "servo", "joint": "pin", "target": "u", "kp": 40, "kd": 8 } ],
      "poses": { "aside": { "pin": -1.5 } } }`;
    assert.equal(await page.locator("#drive").isHidden(), true);
    await drop(page, "driven.json", driven);
    await until(page, () => window.trammel.state().controls?.list.length === 2);
    assert.deepEqual((await state(page)).controls.list.map(({ name, unit, range }) => [name, unit, range]), [
      ["u", "", [-2, 2]],
      ["s.target", "rad", [-3, 1]],
    ]);
    assert.equal(await page.locator("#drive").isVisible(), true);
    await until(page, () => Math.abs(window.trammel.state().poses[7 + 6]) > 0.2); // it turns to 0.5
    await page.locator("#control-1").fill("-2");
    await until(page, () => Math.abs(window.trammel.state().controls.list[1].value + 2) < 0.02);
    await until(page, () => window.trammel.state().poses[7 + 6] < -0.8); // and to -2
    assert.equal((await state(page)).controls.list[0].value, 0.5);
    await page.locator("#control-0").fill("0.25");
    await until(page, () => window.trammel.state().controls.list[0].value === 0.25);
    await page.locator("#controls button").nth(1).click();
    await until(page, () => window.trammel.state().controls.list[1].value === 0.25); // what the model says: u
    await press(page, " ", () => !window.trammel.state().playing);
    await page.locator("#pose").selectOption("aside");
    await until(page, () => window.trammel.state().time === 0 && Math.abs(window.trammel.state().poses[7 + 6] - Math.sin(-0.75)) < 1e-6);
    await keep(page, "driven");
    await press(page, " ", () => window.trammel.state().playing);
    assert.deepEqual(errors, []);
  });

  test("lets joints be moved by hand, within their limits, by sliders and with Alt and the mouse", async () => {
    const arm = `{ "trammel": 1, "name": "arm", "gravity": [0, 0, -9.81],
      "bodies": [ { "name": "arm", "rod": { "from": [0, 0, 0], "to": [1, 0, 0], "mass": 1, "radius": 0.05 } } ],
      "joints": [ { "name": "pin", "type": "hinge", "bodies": ["ground", "arm"], "anchor": [0, 0, 0], "axis": [0, -1, 0], "limits": [-1, 0.5] } ] }`;
    await drop(page, "arm.json", arm);
    await until(page, () => window.trammel.state().name === "arm" && window.trammel.state().jogs.length === 1);
    assert.deepEqual((await state(page)).jogs.map(({ name, unit, range }) => [name, unit, range]), [["pin.q", "rad", [-1, 0.5]]]);
    await page.locator("#jog-part summary").click();
    await until(page, () => window.trammel.state().last > 0.1);
    await page.locator("#jog-0").fill("0.2"); // one of the 400 parts of its way
    const near = (q) => until(page, (to) => !window.trammel.state().playing && Math.abs(window.trammel.state().jogs[0].value - to) < 1e-6, q);
    await near(0.2);
    await until(page, () => Math.abs(window.trammel.state().poses[7 + 2] - 0.5 * Math.sin(0.2)) < 1e-5); // the middle of the rod
    const [x, y] = await placeOf(page, 1);
    const { eye } = await state(page);
    await page.keyboard.down("Alt");
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - 300, { steps: 5 });
    await near(0.5); // farther than its limit
    await page.mouse.move(x - 250, y + 480, { steps: 5 });
    await near(-1);
    await keep(page, "jog");
    await page.mouse.up();
    await page.keyboard.up("Alt");
    assert.deepEqual((await state(page)).eye, eye, "the camera stays");
    assert.deepEqual((await state(page)).grips, []);
    await press(page, " ", () => window.trammel.state().playing);
    assert.deepEqual(errors, []);
  });

  test("has sliders for constants, which restart the run, and refuses what is no number", async () => {
    const model = `{ "trammel": 1, "name": "with constants", "constants": { "L": 0.5, "m": 2 }, "gravity": [0, 0, -9.81],
      "bodies": [ { "name": "rod", "rod": { "from": [0, 0, 0], "to": ["L", 0, 0], "mass": "m", "radius": 0.02 } } ],
      "joints": [ { "name": "pin", "type": "hinge", "bodies": ["ground", "rod"], "anchor": [0, 0, 0], "axis": [0, 1, 0] } ] }`;
    await drop(page, "constants.json", model);
    await until(page, () => window.trammel.state().constants.length === 2);
    assert.equal(await page.locator("#constants-part").isVisible(), true);
    await until(page, () => window.trammel.state().last > 0.1);
    await pause(page);
    const { scene } = await state(page);
    await page.locator("#constant-0").fill("0.8");
    await until(page, (s) => window.trammel.state().scene > s && window.trammel.state().time === 0, scene);
    await until(page, () => Math.abs(window.trammel.state().poses[7] - 0.4) < 1e-6); // the middle of the rod
    assert.deepEqual((await state(page)).constants.map((c) => [c.name, c.value, c.changed]), [["L", 0.8, true], ["m", 2, false]]);
    await page.locator("#constants input[type=text]").first().fill("two");
    await page.locator("#constants input[type=text]").first().press("Enter");
    await until(page, () => /constant L: .two. is not a number/.test(document.querySelector("#troubles p span")?.textContent ?? ""));
    await page.locator("#troubles p button").first().click();
    await page.locator("#constants button").first().click();
    await until(page, () => Math.abs(window.trammel.state().poses[7] - 0.25) < 1e-6);
    await keep(page, "constants");
    assert.deepEqual(errors, []);
  });

  test("goes back to what it showed in the last minute, and on from there", async () => {
    await press(page, " ", () => window.trammel.state().playing);
    await until(page, () => window.trammel.state().last > 1);
    await pause(page);
    const { last, past } = await state(page);
    assert.equal(past[0], 0);
    assert.ok(past[1] <= last && past[1] > last - 0.1, `kept until ${past[1]} of ${last}`);
    await press(page, "ArrowLeft", (t) => window.trammel.state().time < t, last);
    const before = await state(page);
    assert.ok(before.time >= last - 0.1 && before.time < last, `from ${last} to ${before.time}`);
    await page.keyboard.down("Shift");
    await page.locator("#back").click();
    await page.keyboard.up("Shift");
    await until(page, (t) => window.trammel.state().time <= t - 0.9, before.time);
    await page.locator("#past").fill("0");
    await until(page, () => window.trammel.state().time === 0 && Math.abs(window.trammel.state().poses[7] - 0.25) < 1e-6); // it is where it began
    await page.locator("#past").fill("0.5"); // also from its start one can go forward again
    await until(page, () => Math.abs(window.trammel.state().time - 0.5) < 0.1);
    await page.locator("#past").fill("0");
    await until(page, () => window.trammel.state().time === 0);
    await press(page, " ", () => window.trammel.state().playing && window.trammel.state().last > 0.2);
    assert.deepEqual(errors, []);
  });

  test("says what it runs at, not what was requested", async () => {
    await until(page, () => /^running at [\d.]+\u2009×/.test(document.querySelector("#pace").textContent));
    await page.evaluate(() => {
      const speeds = document.querySelector("#speed");
      speeds.append(new Option("1000", "1000")); // more than any machine can; the next status removes it
      speeds.value = "1000";
      speeds.dispatchEvent(new Event("change"));
    });
    await until(page, () => /^running at .* of the requested 1000\u2009×$/.test(document.querySelector("#pace").textContent) && window.trammel.state().pace < 1000);
    await page.selectOption("#speed", "1");
    await until(page, () => window.trammel.state().speed === 1);
  });

  test("gives pictures and files of curves, and finds columns by their names", async () => {
    await pause(page);
    const get = async (act) => {
      const [made] = await Promise.all([page.waitForEvent("download"), act()]);
      return { name: made.suggestedFilename(), bytes: await readFile(await made.path()) };
    };
    const picture = await get(() => page.click("#shot"));
    assert.equal(picture.bytes.subarray(1, 4).toString(), "PNG");
    await page.fill("#pick", "rod.x");
    await page.press("#pick", "Enter");
    await page.locator("#pick").blur();
    const mine = page.locator(".panel").first();
    await until(page, () => document.querySelector(".panel h3").textContent === "My curves");
    const csv = await get(() => mine.locator("button", { hasText: "CSV" }).click());
    assert.match(csv.bytes.toString(), /^t,rod\.x \[m\]\n/);
    await press(page, "v", () => document.querySelector("#film").getAttribute("aria-pressed") === "true");
    await press(page, " ", () => window.trammel.state().filmed >= 2);
    const film = await get(() => page.click("#film"));
    assert.match(film.bytes.toString("latin1"), /frame-00001\.png/);
    for (const [key, what] of [["n", "names"], ["x", "frames"]]) await press(page, key, (w) => window.trammel.state()[w], what);
    for (const [id, what] of [["#names", "names"], ["#axes", "frames"]]) {
      await page.click(id);
      await until(page, (w) => !window.trammel.state()[w], what);
    }
    assert.deepEqual(errors, []);
  });

  test("goes along with a machine that is thrown away", async () => {
    await drop(page, "cuboid.json", await readFile(join(examples, "cuboid.json"), "utf8"));
    await until(page, () => window.trammel.state().bodies.length === 9 && window.trammel.state().drawn > 0);
    await pause(page);
    await set(page, "step", "0.1");
    await until(page, () => window.trammel.state().options.step === 0.1);
    await page.locator("#restart").click(); // it flew on until it was paused
    await until(page, () => window.trammel.state().time === 0 && window.trammel.state().last === 0);
    await placeOf(page, 1); // the camera has come back with it
    // by hand, so that the camera's time does not depend on how busy this machine is
    const { least, wide, far } = await page.evaluate(async () => {
      const seen = { least: Infinity, wide: 0, far: 0 };
      const look = async () => {
        await new Promise((done) => requestAnimationFrame(done));
        const { left, right, top, bottom } = document.querySelector("#stage").getBoundingClientRect();
        const places = Array.from({ length: 8 }, (_, i) => window.trammel.pointOf(i + 1));
        seen.least = Math.min(seen.least, places.filter(([x, y]) => x > left && x < right && y > top && y < bottom).length);
        seen.wide = Math.max(...places.map(([x]) => x)) - Math.min(...places.map(([x]) => x));
        return window.trammel.state();
      };
      for (let { last } = await look(); last < 4; ) {
        document.querySelector("#step").click();
        let now = await look();
        while (now.last === last || !now.rests) now = await look();
        last = now.last;
        seen.far = Math.hypot(...now.poses.slice(7, 10));
      }
      return seen;
    });
    assert.ok(far > 20, `it is ${far} m away`);
    assert.ok(least >= 4, `of 8 points ${least} were to be seen`);
    assert.ok(wide > 50, `it is ${wide} pixels wide`);
  });

  test("is not held up by a page that stands still", async () => {
    const MORE = 20; // frames, of which one that answers none gets two
    // a machine that never stops: the one that was thrown away is after 11 s too far for the tolerance of its joints
    await drop(page, "double-pendulum.json", await readFile(join(examples, "double-pendulum.json"), "utf8"));
    await until(page, () => window.trammel.state().bodies.length === 3 && window.trammel.state().drawn > 0);
    await pause(page);
    const still = await newPage();
    let received = 0; // counted here: the page itself would not answer
    still.page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => (received += typeof payload === "string" ? 0 : 1)));
    await still.page.goto(served.address);
    await until(still.page, () => window.trammel.state().drawn > 0);
    const stands = once(still.page, "dialog");
    await still.page.evaluate(() => void setTimeout(() => alert("nothing else is done until this is answered"), 0));
    const [dialog] = await stands;
    await press(page, "Space", () => window.trammel.state().playing);
    const [frames, before] = [(await state(page)).received, received];
    await until(page, (n) => window.trammel.state().received > n, frames + MORE);
    assert.ok(received - before < MORE / 2, `${received - before} frames for the page that stands still`);
    await dialog.accept();
    // its curves have all rows, also of frames that it did not get
    const { last, options } = await state(page);
    await until(still.page, (t) => window.trammel.state().rows.at(-1) >= t, last);
    const { rows } = await state(still.page);
    const [widest] = rows.slice(1).map((t, i) => t - rows[i]).sort((a, b) => b - a);
    assert.ok(widest <= 1 / 60 + 1.001 * options.step, `${widest} s between two rows`);
    await still.close();
  });

  test("does not claim a pace while the program does not answer", async () => {
    if (!(await state(page)).playing) await press(page, "Space", () => window.trammel.state().playing);
    const says = (so) => document.querySelector("#pace").textContent.includes("one step takes longer than") === so;
    await until(page, says, false);
    served.child.kill("SIGSTOP");
    await until(page, says, true);
    served.child.kill("SIGCONT");
    await until(page, says, false);
  });

  test("says that the program ended, which on Ctrl-C it does without complaint", async () => {
    served.child.kill("SIGINT");
    assert.deepEqual(await served.ended, [0, null]);
    await until(page, () => /^The connection to the simulation ended: .*\./.test(document.querySelector("#troubles p")?.textContent ?? ""));
    await keep(page, "ended");
  });
});
