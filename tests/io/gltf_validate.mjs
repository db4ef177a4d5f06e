// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// node gltf_validate.mjs VIEWER FILE.glb...: the Khronos validator (viewer/node_modules) over each file. Exit status 0:
// none has anything to say about any of them, not even a hint; 1: it has, and each is printed; 2: there is no file.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [viewer, ...files] = process.argv.slice(2);
const validator = createRequire(resolve(viewer, "package.json"))("gltf-validator");

let found = 0;
for (const file of files) {
  const bytes = new Uint8Array(readFileSync(file));
  const report = await validator.validateBytes(bytes, { uri: file, maxIssues: 20 });
  const { numErrors, numWarnings, numInfos, numHints, messages } = report.issues;
  found += numErrors + numWarnings + numInfos + numHints;
  for (const m of messages) console.log(`${file}: ${m.code}: ${m.message} (${m.pointer ?? m.offset ?? ""})`);
}
console.log(`gltf-validator ${validator.version()}: ${files.length} files, ${found} issues`);
process.exit(files.length === 0 ? 2 : found > 0 ? 1 : 0);
