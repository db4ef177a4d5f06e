// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Files of robots that pages send to trammel-view, as no browser would: hostile names, too many, too large, half sent, in a flood. They are
// refused in a sentence, memory stays bounded, and nothing of the disk is read. TRAMMEL_VIEW=PROGRAM EXAMPLES=FOLDER.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { BINARY, Raw, frameOf, startProgram } from "./raw.mjs";

const program = process.env.TRAMMEL_VIEW;
const MIB = 1 << 20;
const OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
const robot = (name, mesh) => `<robot name="${name}"><link name="${name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><mesh filename="${mesh}"/></geometry></visual></link></robot>`;

/** A connection that remembers what it is told, until somebody wants it. */
class Page {
  #told = [];
  #wants = [];

  static async open(address) {
    return new Page(await Raw.open(address));
  }

  constructor(raw) {
    this.raw = raw;
    raw.onmessage = (opcode, bytes) => {
      if (opcode === BINARY) return raw.send(`seen ${bytes.readUInt32LE(4)}`);
      const message = JSON.parse(String(bytes));
      const want = this.#wants.find((w) => w.fits(message));
      if (want === undefined) return void this.#told.push(message);
      this.#wants = this.#wants.filter((w) => w !== want);
      want.done(message);
    };
  }

  /** The next message for which this holds. */
  next(fits) {
    const at = this.#told.findIndex(fits);
    if (at >= 0) return Promise.resolve(this.#told.splice(at, 1)[0]);
    return new Promise((done) => this.#wants.push({ fits, done }));
  }

  trouble = async () => (await this.next((m) => m.kind === "trouble")).sentence;
  bodies = async (name) => (await this.next((m) => m.kind === "scene" && m.scene.bodies.some((b) => b.name === name))).scene.bodies;
  said = (text) => this.#told.filter((m) => m.kind === "trouble" && m.sentence.includes(text)).length;
  file = (name, bytes) => this.raw.send(Buffer.concat([Buffer.from(`file ${name}\n`), Buffer.from(bytes)]), BINARY);
  send = (text) => this.raw.send(text);

  /** Returns when the program has read all that was sent before. */
  async settle() {
    this.send("set no-such-option 1");
    await this.next((m) => m.kind === "trouble" && m.sentence.includes("no-such-option"));
  }
}

const triangles = (bodies) => bodies.flatMap((b) => b.parts).reduce((sum, part) => sum + (part.type === "mesh" ? part.faces.length / 3 : 0), 0);

describe("files that pages send", { skip: !program && "TRAMMEL_VIEW names no program" }, () => {
  let started;
  let page;
  const memory = async () => Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${started.child.pid}/status`, "utf8"))[1]) / 1024; // MiB
  const open = () => Page.open(started.address);

  before(async () => {
    started = await startProgram(program, join(process.env.EXAMPLES, "pendulum.json"), "--paused");
    page = await open();
  });
  after(() => started?.child.kill("SIGKILL"));

  test("a model and its mesh, in pieces of any size, are loaded and keep their files for another value of a constant", async () => {
    page.send("drop");
    for (const letter of OBJ) page.file("robot/meshes/a.obj", letter);
    page.file("robot/r.json", '{ "trammel": 1, "constants": { "h": 1 }, "bodies": [ { "name": "cup", "fixed": true, "position": ["h", 0, 0],');
    page.file("robot/r.json", ' "shapes": [ { "type": "mesh", "file": "meshes/a.obj" } ] } ] }');
    page.send("load robot/r.json");
    assert.equal(triangles(await page.bodies("cup")), 4);
    page.send("constant h 2");
    assert.equal(triangles(await page.bodies("cup")), 4);
  });

  test("names that lead elsewhere are refused in one sentence, and the rest of the drop is ignored", async () => {
    for (const name of ["../a.obj", "/etc/a.obj", "a/../../b.obj", "a//b.obj", "a/", "./a.obj", "..", "a\\b.obj", "C:\\a.obj"]) {
      page.send("drop");
      page.file(name, OBJ);
      for (let i = 0; i < 20; i++) page.file(`more/${i}.obj`, OBJ);
      page.file("r.urdf", robot("evil", "a.obj"));
      page.send("load r.urdf");
      assert.match(await page.trouble(), /not the relative path of a file/, name);
      await page.settle();
      assert.equal(page.said("not taken"), 0, "one sentence is enough");
    }
  });

  test("files of the disk are not read, whatever a model names", async () => {
    for (const mesh of ["/etc/passwd", "file:///etc/passwd", "package://etc/passwd", "../../../../../../etc/hostname", "/dev/zero", "/proc/self/environ"]) {
      page.send("drop");
      page.file("r.urdf", robot("reader", mesh));
      page.file("x.obj", OBJ);
      page.send("load r.urdf");
      assert.equal(triangles(await page.bodies("reader")), 0);
      const sentence = await page.trouble();
      assert.match(sentence, /left out: it is not among the files/, mesh);
      assert.doesNotMatch(sentence, /root:|PATH=/);
    }
    for (const text of ['{ "trammel": 1, "include": [ { "file": "/etc/passwd" } ] }', '<mujoco><include file="/etc/passwd"/><worldbody/></mujoco>']) {
      page.send("drop");
      page.file("m.json", text);
      page.file("x.obj", OBJ);
      page.send("load m.json");
      const sentence = await page.trouble();
      assert.doesNotMatch(sentence, /root:/);
    }
  });

  test("what is not of the protocol ends the connection with a reason", async () => {
    const wrong = async (act, code, reason) => {
      const other = await open();
      act(other);
      const end = await other.raw.closed;
      assert.equal(end.code, code);
      assert.match(end.reason, reason);
    };
    await wrong((p) => p.file("a.obj", OBJ), 1002, /after drop/);
    await wrong((p) => p.send("load a.urdf"), 1002, /after drop/);
    await wrong((p) => p.send(`file a.obj\n${OBJ}`), 1003, /binary/);
    await wrong((p) => p.raw.send("play", BINARY), 1003, /text/);
    await wrong((p) => p.raw.send(Buffer.from("file a.obj"), BINARY), 1003, /text/);
    await wrong((p) => p.file("x".repeat(500), OBJ), 1003, /text/);
    await wrong((p) => (p.send("drop"), p.file("a.obj", Buffer.alloc(4 * MIB))), 1009, /4 MiB/);
    await wrong((p) => (p.send("drop"), p.send("load r.urdf"), p.file("a.obj", OBJ)), 1002, /after drop/);
  });

  test("a model that was not sent, or is too large, is refused; another drop restarts", async () => {
    page.send("drop");
    page.file("a.obj", OBJ);
    page.send("load r.urdf");
    assert.match(await page.trouble(), /no file of the name r\.urdf/);
    page.send("drop");
    for (let i = 0; i < 5; i++) page.file("r.urdf", Buffer.alloc(MIB, " "));
    page.send("load r.urdf");
    assert.match(await page.trouble(), /too large/);
    page.send("drop");
    page.file("old.urdf", robot("old", "a.obj"));
    page.send("drop"); // in the middle of the first
    page.file("r.urdf", robot("new", "a.obj"));
    page.file("a.obj", OBJ);
    page.send("load old.urdf");
    assert.match(await page.trouble(), /no file of the name old\.urdf/);
  });

  test("too many files and too many bytes are refused, and what pages leave half sent is freed", async () => {
    const before = await memory();
    page.send("drop");
    for (let i = 0; i < 2001; i++) page.file(`${i}.obj`, "");
    assert.match(await page.trouble(), /more than 2000/);
    const fill = async (p, name, most) => {
      const piece = frameOf(Buffer.concat([Buffer.from(`file ${name}\n`), Buffer.alloc(4 * MIB - 100)]), BINARY);
      for (let sent = 0; sent < most * MIB; sent += piece.length) {
        p.raw.sendRaw(piece);
        if (p.raw.socket.writableNeedDrain) await new Promise((done) => p.raw.socket.once("drain", done));
      }
    };
    page.send("drop");
    await fill(page, "large.stl", 104);
    assert.match(await page.trouble(), /each may have at most 100 MiB/);
    page.send("drop");
    await fill(page, "1.stl", 92);
    await fill(page, "2.stl", 92);
    await fill(page, "3.stl", 30);
    assert.match(await page.trouble(), /together they may have at most 200 MiB/);
    // all pages together: three that hold 150 MiB each would have more
    const pages = [await open(), await open(), await open()];
    for (const p of pages) {
      p.send("drop");
      await fill(p, "1.stl", 75);
      await fill(p, "2.stl", 75);
      if (p !== pages[2]) await p.settle();
    }
    assert.match(await pages[2].trouble(), /other pages are sending files/);
    const MOST = 400 + 100; // MiB: what all hold, and messages on their way
    if (!process.env.SANITIZED) assert.ok((await memory()) - before < MOST, `${(await memory()) - before} MiB more`);
    for (const p of pages) p.raw.end();
    const LEFT = 50; // MiB, of the allocator's own
    while (!process.env.SANITIZED && (await memory()) - before > LEFT) await new Promise((done) => setTimeout(done, 20));
    page.send("drop");
    page.file("r.urdf", robot("after", "a.obj"));
    page.file("a.obj", OBJ);
    page.send("load r.urdf");
    assert.equal(triangles(await page.bodies("after")), 4);
  });

  test("a flood of drops, whole, half and wrong, leaves memory as it was", async () => {
    const other = await open();
    const flood = async () => {
      for (let i = 0; i < 300; i++) {
        other.send("drop");
        other.file("a.obj", OBJ);
        if (i % 3 === 0) other.file("../x", OBJ);
        other.file("r.urdf", i % 5 === 0 ? "<robot" : robot("flood", "a.obj"));
        if (i % 2 === 0) other.send("load r.urdf");
      }
      await other.settle();
    };
    for (let i = 0; i < 2; i++) await flood();
    const before = await memory();
    for (let i = 0; i < 5; i++) await flood();
    const more = (await memory()) - before;
    console.log(`1500 drops: ${more.toFixed(1)} MiB more`);
    if (!process.env.SANITIZED) assert.ok(more < 8, `${more} MiB more`);
    other.raw.end();
  });

  test("nothing was written to the disk, and an interrupt in the middle of a drop ends it", async () => {
    assert.deepEqual((await readdir(tmpdir())).filter((name) => name.startsWith("trammel-view")), []);
    page.send("drop");
    page.file("a.obj", OBJ);
    page.send("load none.urdf");
    page.send("drop");
    page.file("a.obj", OBJ);
    started.child.kill("SIGINT");
    assert.deepEqual(await started.ended, [0, null]);
  });
});
