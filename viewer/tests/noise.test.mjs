// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Whatever is sent to trammel-view: it continues, and says why it ended a connection. TRAMMEL_VIEW=PROGRAM EXAMPLES=FOLDER; the
// same noise each time unless SEED says another.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readFile, readdir, readlink } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { BINARY, Raw, TEXT, startProgram, upgrade } from "./raw.mjs";

const program = process.env.TRAMMEL_VIEW;
const MESSAGES = 1000;
const LARGEST = 4 << 20;
/** s of the server's processor time, longer than any answer takes: a busy machine only makes it last longer. A server that waits for ever
 * is ended by the time limit of the test. */
const PATIENCE = 60;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
/** connections at once */
const LANES = 25;

/** Mulberry32: numbers from 0 to 1. */
function randomFrom(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
const random = randomFrom(Number(process.env.SEED ?? 12));
const upTo = (n) => Math.floor(random() * n);
const one = (list) => list[upTo(list.length)];
const noise = (length) => Buffer.from(Array.from({ length }, () => upTo(256)));
const number = () => one(["0", "-1", "1e308", "1e-320", "nan", "inf", "0x10", "", " ", "1e", "--1", "9".repeat(400), "½", "1,5", String(random())]);

const WORDS = ["play", "pause", "step", "reset", "speed", "set", "grab", "pull", "place", "jog", "control", "uncontrol", "rewind", "constant", "release", "want reactions", "seen", "reload", "model", "drop", "load", "file"];
const NAMES = ["method", "solver", "scheme", "impact", "order", "step", "tolerance", "error", "rounds", "erp", "beta", "cut", "", "x".repeat(300)];

/** One message each: [bytes, opcode]. */
const KINDS = [
  () => [noise(upTo(200)), TEXT],
  () => [noise(upTo(2000)), BINARY],
  () => [`${one(WORDS)} ${Array.from({ length: upTo(6) }, number).join(" ")}`, TEXT],
  () => [`set ${one(NAMES)} ${number()}`, TEXT],
  () => [`set method ${one(["lagrange", "minimal", "impulse", "lcp", ":", "a:b:c", "lagrange:x", "\u{1f600}", "%s%n%d"])}`, TEXT],
  () => [`model ${one(["a.json", "../../etc/passwd", "\0", "x".repeat(500)])}\n${one(["{", "[[[[[[", "{}", "null", String(noise(300)), "[".repeat(5000)])}`, TEXT],
  () => [`file ${one(["a.stl", "../a.stl", "/etc/passwd", "", "x".repeat(500)])}\n${String(noise(upTo(300)))}`, one([BINARY, BINARY, TEXT])],
  () => [`load ${one(["a.urdf", "../../etc/passwd", "", "x".repeat(500)])}`, TEXT],
  () => ["x".repeat(upTo(100_000)), TEXT],
  () => [one(WORDS).slice(0, upTo(5)), TEXT],
  () => [JSON.stringify({ kind: one(WORDS), value: number() }), TEXT],
];

describe("trammel-view under noise", { skip: !program && "TRAMMEL_VIEW names no program" }, () => {
  let started;
  let watcher; // a page that behaves, all the time
  let frames = 0;
  let last = ""; // what it was told last

  before(async () => {
    started = await startProgram(program, join(process.env.EXAMPLES, "eight-loop.json"), "--speed", "0.1");
    watcher = await Raw.open(started.address);
    watcher.onmessage = (opcode, bytes) => {
      if (opcode === TEXT) last = String(bytes);
      if (opcode !== BINARY) return;
      frames++;
      watcher.send(`seen ${bytes.readUInt32LE(4)}`);
    };
  });

  after(() => started?.child.kill("SIGKILL"));

  /** A function that says whether the server has used more processor time since now than an answer takes. */
  const patience = () => {
    const used = () => {
      if (started.child.exitCode !== null || started.child.signalCode !== null) return 0; // its end is seen elsewhere
      const [user, system] = readFileSync(`/proc/${started.child.pid}/stat`, "utf8").replace(/.*\) /, "").split(" ").slice(11, 13);
      return (Number(user) + Number(system)) / 100; // USER_HZ of Linux
    };
    const began = used();
    return () => used() - began > PATIENCE;
  };
  /** Waits for what must come. */
  const soon = (promise, what) => {
    let timer;
    const isOver = patience();
    const late = new Promise((_, failed) => {
      timer = setInterval(() => isOver() && failed(new Error(`${what} within ${PATIENCE} s of processor time`)), 500);
    });
    return Promise.race([promise, late]).finally(() => clearInterval(timer));
  };
  const stillShows = async () => {
    const were = frames;
    const isOver = patience();
    watcher.send("reset");
    while (frames < were + 3) {
      assert.ok(!isOver(), `no frames come any more; last it was told ${last.slice(0, 600)}`);
      watcher.send("step"); // noise may have set steps that are hours long
      await pause(10);
    }
  };

  /** One more round of the server, in which it also reads what others sent. */
  const stillAnswers = async () => {
    const other = await soon(Raw.open(started.address), "a connection");
    other.end();
  };

  /** Null when a question that comes after what was sent is answered: a connection that is being ended answers none. */
  let questions = 0;
  const isOpen = (raw) => {
    const question = `question${++questions}`;
    const ask = () => raw.send(`set ${question} 1`);
    const again = setInterval(ask, 300); // where there were more requests than could be obeyed
    const answered = new Promise((done) => {
      raw.onmessage = (opcode, bytes) => opcode === TEXT && String(bytes).includes(question) && done(null);
    });
    ask();
    return Promise.race([answered, raw.closed]).finally(() => clearInterval(again));
  };

  test(`${MESSAGES} random messages: it lives, and says why it closes`, async () => {
    const closed = new Map();
    let left = MESSAGES;
    /** One connection after another; each lasts until a message ends it. */
    const lane = async () => {
      let raw = null;
      while (left-- > 0) {
        raw ??= await soon(Raw.open(started.address), "a connection");
        const message = one(KINDS)();
        raw.send(...message);
        const ending = await soon(isOpen(raw), "an answer or the end");
        if (ending === null) continue;
        const { code, reason } = ending;
        assert.ok([1002, 1003, 1009].includes(code), `closed with ${code} ${reason} at ${String(message[0]).slice(0, 60)}`);
        assert.notEqual(reason, "", `no reason with ${code}`);
        closed.set(code, (closed.get(code) ?? 0) + 1);
        raw.end();
        raw = null;
      }
      raw?.end();
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    assert.equal(started.child.exitCode, null, "the program has ended");
    await stillShows();
    console.log(`${MESSAGES} messages; closed: ${[...closed].map(([code, n]) => `${n} with ${code}`).join(", ")}`);
    assert.ok((closed.get(1002) ?? 0) > 50 && (closed.get(1003) ?? 0) > 10);
  });

  test("a message larger than 4 MiB is refused as such", async () => {
    const raw = await Raw.open(started.address);
    raw.send(Buffer.alloc(LARGEST + 1, "x"));
    const { code, reason } = await soon(raw.closed, "the end");
    assert.equal(code, 1009);
    assert.match(reason, /4 MiB/);
    await stillShows();
  });

  test("a message in pieces is one message", async () => {
    const raw = await Raw.open(started.address);
    const speed = new Promise((done) => {
      raw.onmessage = (opcode, bytes) => {
        if (opcode !== TEXT) return;
        const said = JSON.parse(String(bytes));
        if (said.kind === "status" && said.speed === 0.25) done();
      };
    });
    raw.send("spe", TEXT, false);
    raw.send("ed 0.", 0, false);
    raw.send("25", 0, true);
    await soon(speed, "the speed");
    raw.end();
  });

  test("bytes that are no frames, and connections that end in one, harm nobody", async () => {
    for (let i = 0; i < 30; i++) {
      const raw = await Raw.open(started.address);
      raw.sendRaw(i % 2 === 0 ? noise(1 + upTo(500)) : Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 1, 2, 3, 4, 120]));
      await stillAnswers();
      raw.end();
    }
    for (let i = 0; i < 30; i++) {
      const socket = connect(Number(started.address.port), started.address.hostname);
      socket.on("error", () => {});
      socket.write(noise(upTo(3000)));
      await stillAnswers();
      socket.destroy();
    }
    await stillShows();
  });

  test("requests come faster than they are done: the page is told so, others go on", async () => {
    const raw = await Raw.open(started.address);
    const told = new Promise((done) => {
      raw.onmessage = (opcode, bytes) => {
        const said = opcode === TEXT ? JSON.parse(String(bytes)) : {};
        if (said.kind === "trouble" && said.sentence.includes("cannot process requests this fast")) done(said.sentence);
      };
    });
    for (let i = 0; i < 3000; i++) raw.send("set step 0.001");
    await soon(told, "a sentence");
    raw.end();
    await stillShows();
  });

  test("a page that answers no frames gets two, and two more when another model is loaded", async () => {
    const raw = await Raw.open(started.address);
    let count = 0;
    raw.onmessage = (opcode) => (count += opcode === BINARY ? 1 : 0);
    /** Steps until the page that behaves has had many more frames. */
    const steps = async () => {
      const MORE = 10;
      const were = frames;
      const isOver = patience();
      while ((frames < were + MORE || count < 2) && !isOver()) {
        watcher.send("step");
        await pause(10);
      }
    };
    watcher.send("reset");
    await steps();
    assert.equal(count, 2);
    raw.send('model one.json\n{ "trammel": 1, "bodies": [ { "name": "p", "point": true, "mass": 1 } ] }');
    const isOver = patience();
    while (count < 4 && !isOver()) {
      watcher.send("step");
      await pause(10);
    }
    await steps();
    assert.equal(count, 4);
    raw.end();
  });

  test("a page that has gone leaves nothing behind: others are still told what cannot be done", async () => {
    for (let i = 0; i < 90; i++) {
      const raw = await Raw.open(started.address);
      for (let k = 0; k < 3; k++) raw.send("set order 5");
      raw.end();
    }
    const raw = await Raw.open(started.address);
    const told = new Promise((done) => {
      raw.onmessage = (opcode, bytes) => opcode === TEXT && JSON.parse(String(bytes)).kind === "trouble" && done();
    });
    raw.send("set order 5");
    await soon(told, "a sentence");
    raw.end();
  });

  test("other requests of HTTP are refused, a tunnel's port is not, a wrong name is", async () => {
    const ask = (method, headers, body) =>
      new Promise((done, failed) => {
        const asked = request({ host: started.address.hostname, port: started.address.port, path: started.address.pathname, method, headers });
        asked.on("error", failed);
        asked.on("response", async (answer) => {
          let length = 0;
          for await (const piece of answer) length += piece.length;
          done({ status: answer.statusCode, length });
        });
        asked.end(body);
      });
    assert.equal((await soon(ask("GET", {}), "the page")).status, 200);
    assert.equal((await soon(ask("GET", { host: "localhost:8000" }), "the page")).status, 200);
    assert.equal((await soon(ask("GET", { cookie: "x".repeat(8000) }), "the page")).status, 200);
    assert.equal((await soon(ask("GET", { host: "localhost.example.org" }), "an answer")).status, 403);
    const posted = await soon(ask("POST", { "content-type": "text/plain" }, "play"), "an answer");
    assert.equal(posted.status, 405);
    assert.ok(posted.length < 1000);
    assert.equal((await soon(upgrade(started.address, `${started.address.pathname}socket`, { "Sec-WebSocket-Key": "" }).catch(() => ({})), "an end")).socket, undefined);
    await stillShows();
  });

  test("no more pages than it can serve", async () => {
    const raws = [];
    let refused = null;
    while (refused === null && raws.length < 50) {
      const { socket, first, status, body } = await upgrade(started.address, `${started.address.pathname}socket`);
      if (socket) raws.push(new Raw(socket, first));
      else refused = { status, body };
    }
    assert.equal(refused?.status, 403);
    assert.match(refused.body, /too many pages/);
    for (const raw of raws) raw.end();
    await stillShows();
  });

  /** How much memory the program takes, kB. */
  const memory = async () => Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${started.child.pid}/status`, "utf8"))[1]);
  /** How many sockets the program has open. */
  const connections = async () => {
    const folder = `/proc/${started.child.pid}/fd`;
    const targets = await Promise.all((await readdir(folder)).map((number) => readlink(join(folder, number)).catch(() => "")));
    return targets.filter((target) => target.startsWith("socket:")).length;
  };
  const page = () =>
    new Promise((done, failed) => {
      const asked = request({ host: started.address.hostname, port: started.address.port, path: started.address.pathname, agent: false });
      asked.on("error", failed);
      asked.on("response", (answer) => {
        answer.resume();
        answer.on("end", () => done(answer.statusCode));
      });
      asked.end();
    });

  /** What 500 connections do, which then stay as they are. */
  const GUESTS = {
    "say nothing": () => {},
    "say half of a request": (socket) => socket.write("GET / HTTP/1.1\r\nHost: 127"),
    "keep their connection after an answer": (socket) => socket.write("GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
    "do not read the page": (socket) => {
      socket.pause();
      socket.write(`GET ${started.address.pathname} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    },
  };
  for (const [what, act] of Object.entries(GUESTS)) {
    test(`500 connections that ${what} keep nobody out`, async () => {
      const sockets = [];
      for (let i = 0; i < 500; i++) {
        const socket = connect(Number(started.address.port), started.address.hostname);
        socket.on("error", () => {});
        await new Promise((done) => socket.once("connect", done).once("close", done));
        act(socket);
        sockets.push(socket);
      }
      assert.equal(await soon(page(), "the page"), 200);
      const other = await soon(Raw.open(started.address), "a page's connection");
      // those that are too many are ended at once, not when they have been silent for long: there is room for others
      const ROUNDS = 20; // of the server
      let open = await connections();
      for (let round = 0; open > 130 && round < ROUNDS; round++) {
        await stillAnswers();
        open = await connections();
      }
      assert.ok(open <= 130, `${open} connections are open`);
      other.end();
      for (const socket of sockets) socket.destroy();
    });
  }

  /** Boxes that all overlap, and points that all are linked: work and memory that grow with the square and the cube. */
  const boxes = (n) => `{ "trammel": 1, "bodies": [${Array.from({ length: n }, (_, i) => `{"name":"b${i}","shapes":[{"type":"box","size":[1,1,1],"density":1}]}`).join(",")}] }`;
  const net = (n) => {
    const points = Array.from({ length: n }, (_, i) => `{"name":"b${i}","point":true,"mass":1,"position":[${Math.sin(i)},${Math.cos(7 * i)},${Math.sin(3 * i + 1)}]}`);
    const links = [];
    for (let i = 0; i < n; i++) for (let k = 0; k < i; k++) links.push(`{"name":"j${i}_${k}","type":"distance","bodies":["b${i}","b${k}"]}`);
    return `{ "trammel": 1, "bodies": [${points.join(",")}], "joints": [${links.join(",")}] }`;
  };

  test("a model that was made to take all memory is refused in a sentence", async () => {
    const before = await memory();
    const raw = await Raw.open(started.address);
    const told = new Promise((done) => {
      raw.onmessage = (opcode, bytes) => opcode === TEXT && JSON.parse(String(bytes)).kind === "trouble" && done(JSON.parse(String(bytes)).sentence);
    });
    raw.send(`model boxes.json\n${boxes(3000)}`);
    assert.match(await soon(told, "a sentence"), /pairs of shapes touch or overlap/);
    raw.end();
    const MOST = 100_000; // kB; all pairs of these boxes would take 500 MB
    if (!process.env.SANITIZED) assert.ok((await memory()) - before < MOST, `${(await memory()) - before} kB more`);
    await stillShows();
  });

  /** Floods of 2000 messages; `make soak` sends an hour's worth: 60 per second. */
  const FLOODS = Number(process.env.FLOODS ?? 10);

  test("a flood of messages of every kind leaves memory as it was", async () => {
    const flood = async () => {
      const raw = await soon(Raw.open(started.address), "a connection");
      for (let i = 0; i < 2000; i++) raw.send(one(["play", "pause", "reset", "step", "set order 5", "set step 0.001", "grab 1 0 0 0", "pull 1 1 1", "place 1 0 0 0 1 1 1", "jog 0 0.5", "rewind 0", "release", "reload", "want reactions 1", "model x.json\n{", "seen 1", "drop"]));
      await stillAnswers();
      raw.end();
      await stillShows();
    };
    for (let i = 0; i < 3; i++) await flood(); // what is kept for good is there by now
    const before = await memory();
    for (let i = 0; i < FLOODS; i++) await flood();
    const MOST = 4000; // kB, of the allocator's own
    const more = (await memory()) - before;
    console.log(`${2000 * FLOODS} messages: ${more} kB more`);
    if (!process.env.SANITIZED) assert.ok(more < MOST, `${more} kB more after ${2000 * FLOODS} messages`);
    assert.equal(started.child.exitCode, null);
  });

  test("an interrupt ends it in the middle of a model that takes hours", async () => {
    const other = await startProgram(program, join(process.env.EXAMPLES, "pendulum.json"));
    const raw = await Raw.open(other.address);
    const scene = new Promise((done) => {
      raw.onmessage = (opcode, bytes) => opcode === TEXT && String(bytes).includes("j149_148") && done();
    });
    raw.send(`model net.json\n${net(150)}`);
    raw.send("play");
    await Promise.race([scene, pause(3000)]); // it is at work on it, or will be
    other.child.kill("SIGINT");
    assert.deepEqual(await soon(other.ended, "the exit"), [0, null]);
  });

  test("an interrupt ends it, and pages are told", async () => {
    started.child.kill("SIGINT");
    const { code, reason } = await soon(watcher.closed, "the end");
    assert.equal(code, 1001);
    assert.match(reason, /ended/);
    assert.deepEqual(await soon(started.ended, "the exit"), [0, null]);
  });
});
