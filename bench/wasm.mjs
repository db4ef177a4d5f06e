// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// WebAssembly against the native program: bench/wasm.mjs (after make build and make wasm). Time of the steps of the same runs, the best of several
// by turns, and what the package weighs.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { Trammel } from "../build-wasm/package/index.js";

const root = join(import.meta.dirname, "..");
const ROUNDS = 5;
const RUNS = [
  { name: "8-Loop, order 8", file: "eight-loop.json", options: { order: 8 }, time: 10 },
  { name: "8-Loop, order 2", file: "eight-loop.json", options: {}, time: 10 },
  { name: "dominoes", file: "dominoes.json", options: {}, time: 1 },
];

/** s that the steps took, by the report. */
function native({ file, options, time }) {
  const words = ["run", join(root, "examples", file), "--time", String(time), "--json", ...Object.entries(options).flatMap(([k, v]) => [`--${k}`, String(v)])];
  const run = spawnSync(join(root, "build/trammel"), words, { encoding: "utf8", env: { ...process.env, OMP_NUM_THREADS: "1" } });
  return JSON.parse(run.stdout).wall_s;
}

function wasm(trammel, { file, options, time }) {
  const sim = trammel.load(readFileSync(join(root, "examples", file), "utf8"), { name: file, ...options });
  sim.advance(time);
  const { wall_s } = sim.report();
  sim.close();
  return wall_s;
}

const code = readFileSync(join(root, "build-wasm/package/trammel.wasm"));
console.log(`module: ${code.length} bytes, ${gzipSync(code, { level: 9 }).length} by gzip, ${brotliCompressSync(code).length} by brotli`);
const begun = performance.now();
const trammel = await Trammel.create();
trammel.load(readFileSync(join(root, "examples/eight-loop.json"), "utf8")).step();
console.log(`load to the first step: ${Math.round(performance.now() - begun)} ms`);
for (const run of RUNS) {
  const times = [[], []];
  for (let i = 0; i < ROUNDS; i++) {
    times[0].push(native(run));
    times[1].push(wasm(trammel, run));
  }
  const [a, b] = times.map((t) => Math.min(...t));
  console.log(`${run.name.padEnd(16)} native ${a.toFixed(3)} s, WebAssembly ${b.toFixed(3)} s, ratio ${(b / a).toFixed(2)}`);
}
