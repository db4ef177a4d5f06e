// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// A report from made-up data, written as the program writes it (../DATA.md): a slider crank, a pendulum of a drawn
// skeleton, a ball that rolls, and a tetrahedron on a plate that turns.

import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const template = process.env.TRAMMEL_PAGE ?? join(dirname(fileURLToPath(import.meta.url)), "../../build/page/report.html");
const NO_TURN = [1, 0, 0, 0];

const about = (axis, angle) => [Math.cos(angle / 2), ...axis.map((a) => a * Math.sin(angle / 2))];
export const base64 = (numbers) => Buffer.from(Float32Array.from(numbers).buffer).toString("base64");
const json = (value) => JSON.stringify(value).replaceAll("</", "<\\/");

/** A rod along the body's x axis, from its middle. */
const rod = (length, radius, drawn) => ({ type: "cylinder", radius, length, p: [0, 0, 0], q: about([0, 1, 0], Math.PI / 2), ...(drawn ? { drawn } : {}) });

function machine() {
  const tetrahedron = { vertices: [0, 0, 0.3, 0.28, 0, -0.1, -0.14, 0.24, -0.1, -0.14, -0.24, -0.1], faces: [0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2] };
  const body = (name, kind, mass, ...parts) => ({ name, kind, mass, parts });
  return {
    trammel: "0.1.0",
    name: "Bench of parts",
    up: [0, 0, 1],
    gravity: [0, 0, -9.81],
    centre: [0.6, 0, 0.8],
    extent: 2.2,
    bodies: [
      body("ground", "ground", 0, { type: "plane", p: [0, 0, 0], q: NO_TURN }, { type: "box", size: [2.4, 0.24, 0.08], p: [1.5, 0, 0.56], q: NO_TURN }),
      body("crank", "rigid", 1, { type: "cylinder", radius: 0.4, length: 0.1, p: [0, 0, 0], q: about([1, 0, 0], Math.PI / 2) }),
      body("conrod", "rigid", 1, rod(1.4, 0.035)),
      body("slider", "rigid", 2, { type: "box", size: [0.36, 0.28, 0.24], p: [0, 0, 0], q: NO_TURN }),
      body("pendulum", "rigid", 1, rod(0.8, 0.015, true), { type: "sphere", radius: 0.05, p: [0.4, 0, 0], q: NO_TURN, drawn: true }),
      body("ball", "rigid", 3, { type: "sphere", radius: 0.2, p: [0, 0, 0], q: NO_TURN }),
      body("plate", "moving", 0, { type: "cylinder", radius: 0.45, length: 0.06, p: [0, 0, 0], q: NO_TURN }, { type: "mesh", ...tetrahedron, p: [0, 0, 0.13], q: NO_TURN }),
      body("pill", "rigid", 0.4, { type: "capsule", radius: 0.08, length: 0.3, p: [0, 0, 0], q: NO_TURN }),
    ],
    joints: [
      { name: "main bearing", type: "hinge", bodies: [0, 1], anchors: [[0, 0, 0.7], [0, 0, 0]], at: 0, axis: [0, 1, 0], changes: [] },
      { name: "crank pin", type: "hinge", bodies: [1, 2], anchors: [[0.35, 0, 0], [-0.7, 0, 0]], at: 0, axis: [0, 1, 0], changes: [] },
      { name: "piston pin", type: "hinge", bodies: [2, 3], anchors: [[0.7, 0, 0], [0, 0, 0]], at: 0, axis: [0, 1, 0], changes: [] },
      { name: "rail", type: "slider", bodies: [0, 3], anchors: [[1.7, 0, 0.7], [0, 0, 0]], at: 0, axis: [1, 0, 0], changes: [] },
      { name: "hook", type: "ball", bodies: [0, 4], anchors: [[0.6, -0.7, 1.5], [-0.4, 0, 0]], at: 0, axis: null, changes: [] },
    ],
  };
}

/** Poses at t, the ground first. */
function posesAt(t) {
  const turn = 2 * t;
  const [r, l] = [0.35, 1.4];
  const tilt = Math.asin((-r * Math.sin(turn)) / l);
  const x = r * Math.cos(turn) + l * Math.cos(tilt);
  const swing = Math.PI / 2 + 0.9 * Math.cos(3.2 * t);
  const along = 1.2 * Math.sin(0.9 * t);
  return [
    [0, 0, 0, ...NO_TURN],
    [0, 0, 0.7, ...about([0, 1, 0], -turn)],
    [(r * Math.cos(turn) + x) / 2, 0, 0.7 + (r * Math.sin(turn)) / 2, ...about([0, 1, 0], -tilt)],
    [x, 0, 0.7, ...NO_TURN],
    [0.6 + 0.4 * Math.cos(swing), -0.7, 1.5 - 0.4 * Math.sin(swing), ...about([0, 1, 0], swing)],
    [0.8 + along, -1.1, 0.2, ...about([0, 1, 0], along / 0.2)],
    [-1, -0.8, 0.03, ...about([0, 0, 1], 0.7 * t)],
    [2.2, -0.8, 0.5 + 0.3 * Math.abs(Math.sin(3 * t)), ...about([0.6, 0.8, 0], 2.5 * t)],
  ];
}

function curves(times, poses) {
  const one = (name, unit, group, log, at) => ({ name, unit, group, log, values: base64(times.map(at)) });
  const wave = (t) => Math.cos(3.2 * t);
  return [
    one("kinetic", "J", "energy", false, (t) => 12 + 9 * Math.sin(3.2 * t) ** 2),
    one("potential", "J", "energy", false, (t) => 30 - 9 * Math.sin(3.2 * t) ** 2),
    one("total", "J", "energy", false, () => 42),
    one("energy error", "J", "energy", true, (t) => 1e-6 * t * (0.2 + Math.abs(wave(t)))),
    ...["main bearing", "crank pin", "piston pin"].map((j, k) => one(j, "m", "gap", true, (t) => 10 ** (-10.5 - k + 0.6 * Math.sin(7 * t + k)))),
    ...["x", "z"].map((c, k) => one(`slider.${c}`, "m", "coordinate", false, (_, i) => poses[i][3][2 * k])),
    ...["x", "y", "z"].map((c, k) => one(`ball.${c}`, "m", "coordinate", false, (_, i) => poses[i][5][k])),
    ...["x", "y", "z"].map((c, k) => one(`pendulum.${c}`, "m", "coordinate", false, (_, i) => poses[i][4][k])),
    one("main bearing.fx", "N", "reaction", false, (t) => 40 * Math.cos(2 * t) + 6 * Math.cos(6 * t)),
    one("main bearing.fz", "N", "reaction", false, (t) => 20 + 31 * Math.sin(2 * t)),
    one("ball on ground", "N", "contact", false, (t) => 29.43 + (Math.floor(9 * t) % 9 === 0 ? 40 : 0)),
    one("pill on ground", "N", "contact", false, (t) => (Math.abs(Math.sin(3 * t)) < 0.05 ? 90 : NaN)),
  ];
}

export function accuracy(duration) {
  return {
    model: "Bench of parts", method: "impulse", solver: "direct", order: 2, step: 0.0025, time: duration, steps: duration * 400, status: "ok",
    wall_s: 0.031292779895, realtime_factor: 319.56,
    energy: { start: 42.000001, end: 42.0000094, work: 0, max_error: 9.386e-6, mean_error: 2.2e-6, scale: 41, expected_error: 2e-5 },
    works: { input: 0, friction: 0, damping: -0.5, impact: 0, contact: 0 },
    gains: { input: 0, friction: 0, damping: 0, impact: 0, contact: 0 },
    momentum: { linear_error: null, angular_error: null },
    gap: { position: 9.9226e-11, angle: 0, joint: "crank pin" },
    velocity_gap: { value: 3.554e-15, joint: "piston pin" },
    checks: 136260, corrections: 100260, rounds: 8010, newton: 15140, factorisations: 4001, halvings: 0, impacts: 9, contacts: 4000, asleep: 0,
    dropped_rows: ["rail: shift along y", "rail: tilt 1"], scheme: "composition", options: {}, error: null, rejections: 0, evaluations: 0, switches: 0,
    assembly: { position: 0, angle: 0, speed: 0, angular_speed: 0 }, events: [],
    verdict: "good", reasons: ["energy balance 9.4e-06 J of 41 J", "joints closed to 9.9e-11 m, 0 rad"],
  };
}

/** Scene, facts, series and frames, as in DATA.md; change them before writing. */
export function makeUpRun({ duration = 10, rate = 60 } = {}) {
  const times = Array.from({ length: duration * rate + 1 }, (_, i) => i / rate);
  const poses = times.map(posesAt);
  return {
    scene: machine(),
    facts: {
      report: accuracy(duration),
      model: '// a bench of parts; </script> must do no harm\n{\n  "trammel": 1,\n  "name": "Bench of parts",\n  "gravity": [0, 0, -9.81]\n}\n',
      command: "trammel run bench.json --time 10 --report bench.html",
      date: "2026-11-16",
      columns: [],
      every: 1 / rate,
    },
    series: curves(times, poses),
    frames: base64(times.flatMap((t, i) => [t, ...poses[i].flat()])),
  };
}

/** The text of the report of a run: the template with its data line replaced. */
export function reportOf(page, { scene, facts, series, frames }) {
  const blocks = [
    ...Object.entries({ scene, facts, series }).map(([id, value]) => `<script type="application/json" id="${id}">${json(value)}</script>`),
    `<script type="text/plain" id="frames">${frames}</script>`,
  ];
  return page.split("\n").map((line) => (line === "<!--TRAMMEL-DATA-->" ? blocks.join("\n") : line)).join("\n");
}

export async function writeReport(file, run) {
  await writeFile(file, reportOf(await readFile(template, "utf8"), run));
}
