// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The machines of tests/golden have the same bits in WebAssembly as in native programs: the same program, compiled for WASI and run by Node.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../..");

const PROGRAM = `
import { WASI } from "node:wasi";
import { readFile } from "node:fs/promises";
const [module, examples] = process.argv.slice(1);
const wasi = new WASI({ version: "preview1", args: ["golden"], preopens: { "/examples": examples } });
const instance = await WebAssembly.instantiate(await WebAssembly.compile(await readFile(module)), wasi.getImportObject());
process.exitCode = wasi.start(instance);`;

test("every golden hash equals the native one", () => {
  const module = join(root, "build-wasm/wasm/golden.wasm");
  const run = spawnSync(process.execPath, ["--no-warnings", "--input-type=module", "-e", PROGRAM, module, join(root, "examples")], { encoding: "utf8" });
  const expected = readFileSync(join(root, "tests/golden/hashes.txt"), "utf8");
  assert.equal(run.status, 0, run.stderr);
  assert.ok(expected.split("\n").length > 20);
  assert.equal(run.stdout, expected);
});
