// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The package as its users get it: packed by npm, unpacked elsewhere, and called from Node, from a worker, and as the examples of docs/wasm.md do.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "trammel-package-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Installs what `npm pack` makes, as npm would, without a registry. */
function install() {
  const [packed] = JSON.parse(execFileSync("npm", ["pack", "--json", "--pack-destination", folder], { cwd: join(root, "build-wasm/package"), encoding: "utf8" }));
  const place = join(folder, "node_modules/trammel");
  mkdirSync(place, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, packed.filename), "-C", place, "--strip-components=1"]);
  return place;
}
const place = install();
const { ModelError, Session, Trammel } = await import(pathToFileURL(join(place, "index.js")).href);
const trammel = await Trammel.create();
const example = (name) => readFileSync(join(root, "examples", name), "utf8");
const PENDULUM = `{ "trammel": 1, "constants": { "m": 1 }, "gravity": [0, 0, -9.81],
  "bodies": [{ "name": "bob", "mass": "m", "inertia": [0.1, 0.1, 0.1], "position": [1, 0, 0] }],
  "joints": [{ "name": "pivot", "type": "hinge", "bodies": ["ground", "bob"], "anchor": [0, 0, 0], "axis": [0, 1, 0] }] }`;

test("the module has at most 0.8 MB compressed", () => {
  const size = gzipSync(readFileSync(join(place, "trammel.wasm")), { level: 9 }).length;
  assert.ok(size < 800_000, `${size} bytes`);
});

test("a simulation gives the native program's numbers to the last bit", () => {
  const sim = trammel.load(example("four-bar.json"), { name: "four-bar.json" });
  assert.ok(sim.advance(0.5));
  const native = process.env.TRAMMEL ?? join(root, "build/trammel");
  const csv = execFileSync(native, ["run", join(root, "examples/four-bar.json"), "--time", "0.5", "--out", "-"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const rows = csv.trim().split("\n").filter((line) => !line.startsWith("#"));
  const [names, last] = [rows[0].split(","), rows.at(-1).split(",").map(Number)];
  for (const [i, name] of names.entries()) {
    const column = sim.columns.findIndex((c) => c.name === name.replace(/ \[.*\]$/, ""));
    if (column >= 0) assert.equal(sim.values()[column], last[i], name);
  }
  assert.ok(names.length > 10);
  sim.close();
});

test("poses, columns, constants, time, report and verdict", () => {
  const sim = trammel.load(PENDULUM, { set: { m: 2 }, columns: "t,bob.x,E_kin", step: 0.001 });
  assert.deepEqual(sim.bodies, ["ground", "bob"]);
  assert.deepEqual(sim.columns.map((c) => c.name), ["t", "bob.x", "E_kin"]);
  assert.deepEqual(sim.pose("bob").position, [1, 0, 0]);
  assert.ok(sim.step());
  assert.equal(sim.time, 0.001);
  assert.ok(sim.advance(0.2));
  assert.equal(sim.values()[0], 0.2);
  assert.equal(sim.value("bob.x"), sim.pose("bob").position[0]);
  assert.ok(sim.value("E_kin") > 0 && sim.pose("bob").position[2] < 0);
  assert.equal(sim.report().status, "ok");
  assert.equal(sim.verdict, "good");
  assert.throws(() => sim.pose("nobody"), RangeError);
  assert.throws(() => sim.advance(NaN), RangeError);
  sim.close();
  assert.throws(() => sim.step(), /closed/);
});

test("all errors of a model come with line, column and element", () => {
  const text = `{ "trammel": 1,\n  "bodies": [\n    { "name": "a", "mas": 1 },\n    { "name": "b", "mass": -1 } ] }`;
  const messages = trammel.check(text, { name: "bad.json" });
  const typo = messages.find((m) => m.text.includes('"mas"'));
  assert.deepEqual([typo.severity, typo.file, typo.line, typo.column, typo.element], ["error", "bad.json", 3, 20, "body 'a'"]);
  assert.throws(() => trammel.load(text), (error) => error instanceof ModelError && error.messages.length >= 1 && /model.json:3:20/.test(error.message));
  assert.deepEqual(trammel.check(PENDULUM).filter((m) => m.severity === "error"), []);
  assert.throws(() => trammel.load(PENDULUM, { method: "no such" }), ModelError);
  assert.throws(() => trammel.load(PENDULUM, { columns: "nothing.*" }), ModelError);
  assert.throws(() => trammel.load("\0"), ModelError);
});

test("robots with files next to them are read", () => {
  const cube = `solid c\n${[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]
    .map((f) => `facet normal 0 0 0\nouter loop\n${f.map((i) => `vertex ${[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]][i].join(" ")}`).join("\n")}\nendloop\nendfacet`)
    .join("\n")}\nendsolid c\n`;
  const urdf = `<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><mesh filename="meshes/arm.stl"/></geometry></collision></link>
    <joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>`;
  const sim = trammel.load(urdf, { name: "robots/r.urdf", files: { "robots/meshes/arm.stl": cube } });
  assert.ok(sim.bodies.some((name) => name.includes("arm")) && sim.advance(0.1));
  assert.ok(!sim.messages.some((m) => m.text.includes("arm.stl")));
  sim.close();
  assert.ok(trammel.check(urdf, { name: "robots/r.urdf" }).some((m) => m.text.includes("arm.stl")));
});

test("a time in the past is reached already", () => {
  const sim = trammel.load(PENDULUM, { step: 1e-3 });
  assert.ok(sim.advance(0.01));
  assert.ok(sim.advance(0.005));
  assert.equal(sim.time, 0.01);
  sim.close();
});

test("a thousand models leave no memory behind", () => {
  const load = () => trammel.load(PENDULUM).close();
  for (let i = 0; i < 100; i++) load();
  const before = trammel.module.exports.memory.buffer.byteLength;
  for (let i = 0; i < 1000; i++) load();
  assert.equal(trammel.module.exports.memory.buffer.byteLength, before);
});

test("a session speaks the protocol of the live page", () => {
  const session = new Session(trammel);
  assert.match(session.open("bad.json", "{", {}, false, 1), /bad.json:1/);
  assert.equal(session.open("p.json", PENDULUM, {}, false, 1), "");
  const drain = () => {
    const sheets = [];
    session.turn();
    for (let sheet; (sheet = session.take()) !== null; ) sheets.push(sheet);
    return sheets;
  };
  const kinds = drain().map((s) => (s.kind === "text" ? JSON.parse(s.text).kind : s.kind));
  assert.deepEqual(kinds, ["scene", "status", "frame"]);
  assert.equal(session.ask("step"), "");
  const frame = drain().find((s) => s.kind === "frame");
  assert.equal(new DataView(frame.bytes).getFloat64(24, true), 0.01);
  assert.notEqual(session.ask("nonsense"), "");
  assert.equal(session.ask("set method nonsense"), "");
  assert.ok(drain().some((s) => s.kind === "trouble" && s.sentence.includes("nonsense")));
  session.close();
});

test("it works in a worker", async () => {
  const code = `import { Trammel } from ${JSON.stringify(pathToFileURL(join(place, "index.js")).href)};
    import { parentPort } from "node:worker_threads";
    const sim = (await Trammel.create()).load(${JSON.stringify(PENDULUM)});
    parentPort.postMessage([sim.advance(0.1), sim.time]);`;
  const file = join(folder, "worker.mjs");
  writeFileSync(file, code);
  const answer = await new Promise((resolve, reject) => new Worker(file).on("message", resolve).on("error", reject));
  assert.deepEqual(answer, [true, 0.1]);
});

test("the examples of docs/wasm.md print what the page says", () => {
  const blocks = [...readFileSync(join(root, "docs/wasm.md"), "utf8").matchAll(/```(js|text)\n([\s\S]*?)```/g)].map(([, kind, text]) => ({ kind, text }));
  let count = 0;
  for (const [i, block] of blocks.entries()) {
    if (block.kind !== "js" || blocks[i + 1]?.kind !== "text") continue;
    const file = join(folder, `example${i}.mjs`);
    writeFileSync(file, block.text);
    const run = spawnSync(process.execPath, [file], { cwd: folder, encoding: "utf8" });
    assert.equal(run.status, 0, run.stderr);
    assert.equal(run.stdout, blocks[i + 1].text);
    count++;
  }
  assert.ok(count > 0 && statSync(join(place, "README.md")).size > 0);
});
