// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// build.mjs MODULE FOLDER VERSION: makes the package for JavaScript in a folder, from the compiled module: code, types, licence, description.

import { execFileSync } from "node:child_process";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const [module, folder, version] = process.argv.slice(2);
const require = createRequire(join(root, "viewer/package.json"));
const tsc = join(dirname(require.resolve("typescript/package.json")), "bin/tsc");

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
execFileSync(process.execPath, [tsc, "-p", join(here, "package"), "--outDir", folder], { stdio: "inherit" });
await copyFile(module, join(folder, "trammel.wasm"));
await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
await writeFile(join(folder, "README.md"), await readFile(join(root, "docs/wasm.md"), "utf8"));
const description = {
  name: "trammel",
  version,
  description: "Rigid multibody dynamics with joints that do not open",
  license: "MIT",
  type: "module",
  main: "./index.js",
  types: "./index.d.ts",
  exports: { ".": { types: "./index.d.ts", default: "./index.js" }, "./trammel.wasm": "./trammel.wasm" },
  files: ["*.js", "*.d.ts", "trammel.wasm"],
  engines: { node: ">=18" },
};
await writeFile(join(folder, "package.json"), `${JSON.stringify(description, null, 2)}\n`);
