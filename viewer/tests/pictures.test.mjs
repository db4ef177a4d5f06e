// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// What pictures show is what the model says: colours, rods of their radius, springs that stretch, ropes that hang, the ground below the
// machine. Pixels of reports that the program wrote: TRAMMEL=PROGRAM.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import * as esbuild from "esbuild";
import { chromium } from "playwright-core";
import { pixelsOf } from "./pixels.mjs";

const program = process.env.TRAMMEL;
const shots = process.env.TRAMMEL_SHOTS;
const WINDOW = { width: 1280, height: 720 };
/** ms: longer than a picture takes on the busiest machine */
const NEVER = 180_000;
/** Degrees: light changes the brightness of a colour, and its hue only a little. */
const SAME_HUE = 14;
/** Of a width that is measured in pixels, with its smooth edges. */
const WIDTH_TOLERANCE = 0.15;

const hueOf = ([r, g, b]) => {
  const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
  if (most - least < 12) return NaN; // grey
  const sector = most === r ? (g - b) / (most - least) : most === g ? 2 + (b - r) / (most - least) : 4 + (r - g) / (most - least);
  return (60 * sector + 360) % 360;
};
const apart = (a, b) => Math.abs(((a - b + 540) % 360) - 180);
const bytesOf = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));

describe("a picture", { skip: !program && "TRAMMEL names no program" }, () => {
  let folder;
  let browser;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "trammel-pictures-"));
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--enable-unsafe-swiftshader"] });
  });

  after(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The report of a model; its pixels at any time, once all is drawn. */
  async function open(name, model, time = 1) {
    const [source, file] = [join(folder, `${name}.json`), join(folder, `${name}.html`)];
    await writeFile(source, JSON.stringify({ trammel: 1, name, ...model }));
    await promisify(execFile)(program, ["run", source, "--time", String(time), "--report", file]);
    const page = await browser.newPage({ viewport: WINDOW, colorScheme: "light" });
    page.setDefaultTimeout(NEVER);
    await page.goto(`${pathToFileURL(file).href}#t=0`);
    const look = async (t) => {
      await page.evaluate((at) => window.trammel.seek(at), t);
      await page.waitForFunction((at) => Math.abs(window.trammel.state().time - at) < 1e-6 && window.trammel.state().rests, t);
      const png = await page.screenshot(shots ? { path: join(shots, `picture-${name}-${t}.png`) } : {});
      const bytes = pixelsOf(png);
      return (x, y) => [...bytes.subarray(3 * (Math.round(y) * WINDOW.width + Math.round(x)), 3 * (Math.round(y) * WINDOW.width + Math.round(x)) + 3)];
    };
    const pointOf = (body, point) => page.evaluate(([b, p]) => window.trammel.pointOf(b, p), [body, point]);
    return { page, look, pointOf };
  }

  const block = (x, color) => ({ name: `b${x}`, position: [x, 0, 0.3], shapes: [{ type: "box", size: [0.5, 0.5, 0.5], density: 1000, ...(color ? { color } : {}) }] });

  test("has the colours of the model", async () => {
    const colours = ["#b03060", "#2f9e44", "#3050c0", "#d0a020"];
    const { page, look, pointOf } = await open("colours", { gravity: [0, 0, 0], bodies: colours.map((c, i) => block(i, c)) });
    const at = await look(0);
    for (const [i, colour] of colours.entries()) {
      const seen = at(...(await pointOf(i + 1)));
      assert.ok(apart(hueOf(seen), hueOf(bytesOf(colour))) < SAME_HUE, `${colour} is seen as ${seen}`);
    }
    await page.close();
  });

  test("gives bodies without a colour different ones, and has the colour of a floor", async () => {
    const floor = { type: "plane", normal: [0, 0, 1], offset: 0, color: "#408020" };
    const { page, look, pointOf } = await open("floor", { gravity: [0, 0, -9.81], bodies: [block(0), block(1), { name: "floor", fixed: true, shapes: [floor] }] }, 0.1);
    const at = await look(0);
    const hues = await Promise.all([1, 2].map(async (i) => hueOf(at(...(await pointOf(i))))));
    assert.ok(apart(...hues) > 3 * SAME_HUE, `hues ${hues}`);
    const below = at(...(await pointOf(3, [0.5, -0.8, 0])));
    assert.ok(apart(hueOf(below), hueOf(bytesOf(floor.color))) < 2 * SAME_HUE, `the floor is seen as ${below}`);
    await page.close();
  });

  test("draws a rod as a cylinder of its radius", async () => {
    const rod = (x, radius) => ({ name: `r${x}`.replace(".", ""), rod: { from: [x, 0, 0], to: [x, 0, 1], mass: 1, radius } });
    const { page, look, pointOf } = await open("rods", { gravity: [0, 0, 0], bodies: [rod(0, 0.12), rod(0.6, 0.04)] });
    const at = await look(0);
    const across = [];
    for (const [i, radius] of [0.12, 0.04].entries()) {
      const [x, y] = await pointOf(i + 1);
      const hue = hueOf(at(x, y));
      const is = (px) => apart(hueOf(at(px, y)), hue) < 2 * SAME_HUE;
      let [left, right] = [x, x];
      while (is(left - 1)) left--;
      while (is(right + 1)) right++;
      const ends = await Promise.all([[-0.5, 0, 0], [0.5, 0, 0]].map((end) => pointOf(i + 1, end)));
      const long = Math.hypot(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]); // pixels of 1 m, nearly upright
      const wide = right - left + 1;
      assert.ok(Math.abs(wide / (2 * radius * long) - 1) < WIDTH_TOLERANCE, `radius ${radius} m is ${wide} pixels wide, 1 m is ${long}`);
      across.push(Array.from({ length: wide }, (_, k) => at(left + k, y).reduce((a, b) => a + b)));
    }
    // light goes round it: many shades; a box would have two
    assert.ok(new Set(across[0]).size > 8, `${new Set(across[0]).size} shades`);
    await page.close();
  });

  test("draws a spring as a coil that keeps its turns when it stretches", async () => {
    const { page, look, pointOf } = await open("spring", {
      gravity: [0, 0, -9.81],
      bodies: [{ name: "mass", position: [0, 0, -1], shapes: [{ type: "box", size: [0.2, 0.2, 0.2], density: 125 }] }],
      forces: [{ name: "s", type: "spring", bodies: ["ground", "mass"], anchors: [[0, 0, 0], [0, 0, 0.1]], stiffness: 20, rest: 0.8 }],
    });
    const turnsAt = async (t) => {
      const at = await look(t);
      const [a, b] = [await pointOf(0, [0, 0, 0]), await pointOf(1, [0, 0, 0.1])];
      const long = Math.hypot(b[0] - a[0], b[1] - a[1]);
      // where each turn comes to its side: one band of brass per turn
      const radius = await page.evaluate(() => JSON.parse(document.getElementById("scene").textContent).links[0].radius);
      const metres = 0.9 + (t > 0 ? (await page.evaluate(() => -window.trammel.state().poses[9])) - 1 : 0);
      const aside = (radius * long) / metres;
      let [edges, on] = [0, false];
      for (let s = 0.1; s < 0.9; s += 0.5 / long) {
        const [r, , blue] = at(a[0] + s * (b[0] - a[0]) + aside, a[1] + s * (b[1] - a[1]));
        const wire = r - blue > 30; // brass before grey
        if (wire && !on) edges++;
        on = wire;
      }
      return { edges, long };
    };
    const [short, stretched] = [await turnsAt(0), await turnsAt(0.6)];
    assert.ok(stretched.long > 1.2 * short.long, `from ${short.long} to ${stretched.long} pixels`);
    assert.ok(short.edges >= 8, `${short.edges} turns`);
    assert.ok(Math.abs(short.edges - stretched.edges) <= 1, `${short.edges} turns, then ${stretched.edges}`);
    await page.close();
  });

  test("lets a slack rope hang, and draws a taut one straight", async () => {
    const mass = (name, position) => ({ name, position, shapes: [{ type: "sphere", radius: 0.05, density: 2000 }] });
    const rope = (name, body, at) => ({ name, type: "distance", rope: true, length: 1, bodies: ["ground", body], anchors: [at, [0, 0, 0]] });
    const { page, look, pointOf } = await open("rope", {
      gravity: [0, 0, -9.81],
      bodies: [mass("slack", [0.4, 0, -0.2]), mass("taut", [1.8, 0, -0.6])],
      joints: [rope("r", "slack", [0, 0, 0]), rope("s", "taut", [1, 0, 0])],
    }, 0.1);
    const at = await look(0);
    // how far below the straight line the rope is, as the lowest dark pixel beneath the middle
    const sag = async (body, from) => {
      const [a, b] = [await pointOf(0, from), await pointOf(body)];
      const [x, y] = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
      const dark = (px, py) => at(px, py).reduce((s, v) => s + v) < 480;
      for (let below = 250; below > 12; below--) if ([-1, 0, 1].some((d) => dark(x + d, y + below))) return below;
      return 0;
    };
    assert.ok((await sag(1, [0, 0, 0])) > 30, "it hangs below the line between its ends");
    assert.equal(await sag(2, [1, 0, 0]), 0);
    await page.close();
  });

  test("shades meshes smoothly but for their edges, and draws discs without corners", async () => {
    // a ball of triangles, as a mesh in the model; next to it a disc seen from its side
    const [points, triangles, N] = [[], [], 24];
    for (let i = 0; i <= N; i++) for (let k = 0; k < N; k++) {
      const [a, b] = [(Math.PI * i) / N, (2 * Math.PI * k) / N];
      points.push([0.3 * Math.sin(a) * Math.cos(b), 0.3 * Math.sin(a) * Math.sin(b), 0.3 * Math.cos(a)].map((x) => Number(x.toFixed(9))));
      if (i < N) triangles.push([i * N + k, (i + 1) * N + k, (i + 1) * N + ((k + 1) % N)], [i * N + k, (i + 1) * N + ((k + 1) % N), i * N + ((k + 1) % N)]);
    }
    const ball = { name: "ball", mass: 1, inertia: [1, 1, 1], shapes: [{ type: "mesh", points, triangles, color: "#3060c0" }] };
    const disc = { name: "disc", position: [1, 0, 0], orientation: [Math.SQRT1_2, Math.SQRT1_2, 0, 0], shapes: [{ type: "cylinder", radius: 0.3, length: 0.05, density: 1000, color: "#2f9e44" }] };
    const { page, look, pointOf } = await open("smooth", { gravity: [0, 0, 0], bodies: [ball, disc] });
    const at = await look(0);
    const [x, y] = await pointOf(1);
    const across = Array.from({ length: 61 }, (_, i) => at(x - 30 + i, y).reduce((a, b) => a + b));
    const steps = across.slice(1).map((v, i) => Math.abs(v - across[i]));
    // 24 flat faces would have few shades and leaps between them
    assert.ok(new Set(across).size > 15, `${new Set(across).size} shades`);
    assert.ok(Math.max(...steps) < 12, `a leap of ${Math.max(...steps)} between two pixels`);
    // the rim of the disc: as far from its middle in all directions as a circle is, seen from the front
    const hue = hueOf(at(...(await pointOf(2, [0.1, 0.1, 0.025]))));
    const is = ([px, py]) => apart(hueOf(at(px, py)), hue) < 2 * SAME_HUE;
    for (let k = 0; k < 60; k++) {
      const way = (r) => pointOf(2, [r * Math.cos((Math.PI * k) / 30), r * Math.sin((Math.PI * k) / 30), 0.025]);
      assert.ok(is(await way(0.293)), `a corner is missing at ${6 * k} degrees`);
    }
    await page.close();
  });

  test("puts the ground at height 0, or below the lowest point, never through the machine", async () => {
    const floorOf = (page) => page.evaluate(() => window.trammel.state().floor);
    const stands = await open("stands", { gravity: [0, 0, -9.81], bodies: [{ ...block(0), position: [0, 0, 0.5] }] }, 0.1);
    assert.equal(await floorOf(stands.page), 0);
    await stands.page.close();
    const hangs = await open("hangs", {
      gravity: [0, 0, -9.81],
      bodies: [{ name: "p", rod: { from: [0, 0, 0], to: [1, 0, 0], mass: 1 } }],
      joints: [{ name: "j", type: "hinge", bodies: ["ground", "p"], anchor: [0, 0, 0], axis: [0, 1, 0] }],
    }, 2);
    const height = await floorOf(hangs.page);
    assert.ok(height < -1 && height > -1.2, `the ground is at ${height} m`);
    await hangs.page.close();
  });

  test("scales arrows of forces to the machine, and lets none be longer than it", async () => {
    const file = join(folder, "arrows.mjs");
    const contents = 'export { ArrowScale } from "./arrows"; export { Vector3 } from "three";';
    await esbuild.build({ stdin: { contents, resolveDir: join(import.meta.dirname, "../page"), loader: "ts" }, bundle: true, format: "esm", outfile: file });
    const { ArrowScale, Vector3 } = await import(pathToFileURL(file).href);
    for (const extent of [0.01, 1, 200]) for (const largest of [1e-6, 30, 1e9]) {
      const scale = new ArrowScale(extent);
      const lengthOf = (force) => scale.apply(new Vector3(0, force, 0)).length();
      scale.update(largest, 1);
      const usual = lengthOf(largest) / extent;
      assert.ok(usual > 0.05 && usual < 0.7, `the largest force has ${usual} of the extent`);
      assert.ok(Math.abs(lengthOf(largest / 2) / lengthOf(largest) - 0.5) < 1e-9, "twice the force, twice the length");
      assert.ok(lengthOf(1e4 * largest) <= 0.9 * extent * (1 + 1e-9), "a blow is cut off");
    }
  });

  test("marks servos and motors at their axis, and joints by pins", async () => {
    const arm = { name: "arm", rod: { from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 0.03 } };
    const hinge = { name: "j", type: "hinge", bodies: ["ground", "arm"], anchor: [0, 0, 0], axis: [0, 1, 0] };
    const servo = { name: "s", type: "servo", joint: "j", target: 0, kp: 200, kd: 20 };
    const { page } = await open("servo", { gravity: [0, 0, -9.81], bodies: [arm], joints: [hinge], forces: [servo] }, 0.2);
    const roles = await page.evaluate(() => JSON.parse(document.getElementById("scene").textContent).bodies[0].parts.map((p) => [p.role, p.type]));
    assert.deepEqual(roles.sort(), [["motor", "cylinder"], ["pin", "cylinder"]]);
    await page.close();
  });
});
