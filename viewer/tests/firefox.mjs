// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// firefox.mjs REPORT.html [PICTURE.png]: opens a report from disk in Firefox and prints what is seen. By hand, since Firefox
// is not needed for anything else: it wants firefox-esr, xvfb and Mesa's drivers (apt-get install firefox-esr xvfb
// libegl1 libgl1-mesa-dri). A headless Firefox has no WebGL, so it gets a screen that nobody sees. It is driven by the
// Marionette protocol: messages LENGTH:[0, id, command, parameters] over TCP.

import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const PORT = 2829;
const PREFERENCES = { "marionette.port": PORT, "webgl.force-enabled": true, "gfx.webrender.software": true, "datareporting.policy.dataSubmissionEnabled": false };
/** s: how long it may take to start, and what is drawn to come to rest. */
const START = 60;
const REST = 3;

const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

class Marionette {
  static async connect() {
    for (let tries = 0; tries < 2 * START; tries++) {
      const socket = connect(PORT, "127.0.0.1");
      const open = await new Promise((done) => socket.once("connect", () => done(true)).once("error", () => done(false)));
      if (open) return new Marionette(socket);
      await pause(0.5);
    }
    throw new Error(`Firefox did not start within ${START} s`);
  }

  constructor(socket) {
    this.socket = socket;
    this.waiting = new Map();
    this.count = 0;
    let text = Buffer.alloc(0);
    socket.on("data", (data) => {
      text = Buffer.concat([text, data]);
      for (let colon = text.indexOf(":"); colon > 0; colon = text.indexOf(":")) {
        const end = colon + 1 + Number(text.subarray(0, colon));
        if (text.length < end) return;
        this.hear(JSON.parse(text.subarray(colon + 1, end)));
        text = text.subarray(end);
      }
    });
  }

  /** The greeting is an object, an answer [1, id, error, result]. */
  hear(message) {
    if (!Array.isArray(message)) return;
    const [, id, error, result] = message;
    const { done, fail } = this.waiting.get(id);
    if (error !== null) fail(new Error(error.message));
    else done(result);
  }

  send(command, parameters = {}) {
    const id = ++this.count;
    const text = JSON.stringify([0, id, command, parameters]);
    this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    return new Promise((done, fail) => this.waiting.set(id, { done, fail }));
  }

  async run(script) {
    return (await this.send("WebDriver:ExecuteScript", { script, args: [], newSandbox: false, sandbox: null })).value;
  }
}

async function look(file, picture) {
  const firefox = await Marionette.connect();
  const { capabilities } = await firefox.send("WebDriver:NewSession", {});
  console.log(`${capabilities.browserName} ${capabilities.browserVersion}`);
  await firefox.send("WebDriver:SetWindowRect", { width: 1280, height: 800 });
  await firefox.send("WebDriver:Navigate", { url: `${pathToFileURL(file).href}#t=2` });
  await pause(REST);
  const seen = await firefox.run(`
    const { theme, time, rests, without } = window.trammel.state();
    const gl = document.createElement("canvas").getContext("webgl2");
    const missing = document.querySelector("#stage .missing")?.textContent ?? null;
    return { title: document.title, drawnBy: gl ? gl.getParameter(gl.RENDERER) : "no WebGL", missing, theme, time, rests, without, panels: document.querySelectorAll(".panel").length };`);
  for (const [name, value] of Object.entries(seen)) console.log(`${name}: ${value}`);
  const rate = await firefox.send("WebDriver:ExecuteAsyncScript", {
    script: `
      const done = arguments[0];
      document.getElementById("play").click();
      let frames = 0;
      const start = performance.now();
      const tick = (now) => (frames++, now - start > 3000 ? done((1000 * frames) / (now - start)) : requestAnimationFrame(tick));
      requestAnimationFrame(tick);`,
    args: [],
  });
  console.log(`frames per second while it plays: ${rate.value.toFixed(0)}`);
  const shot = await firefox.send("WebDriver:TakeScreenshot", { full: false });
  if (picture) await writeFile(picture, Buffer.from(shot.value, "base64"));
}

const [file, picture] = process.argv.slice(2);
if (file === undefined) throw new Error("usage: firefox.mjs REPORT.html [PICTURE.png]");
const profile = await mkdtemp(join(tmpdir(), "trammel-firefox-"));
await writeFile(join(profile, "user.js"), Object.entries(PREFERENCES).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`).join("\n"));
const screen = ["-a", "-s", "-screen 0 1400x900x24", "firefox-esr", "--marionette", "--no-remote", "--profile", profile];
const child = spawn("xvfb-run", screen, { env: { ...process.env, LIBGL_ALWAYS_SOFTWARE: "1" }, stdio: "ignore", detached: true });
try {
  await look(resolve(file), picture);
} finally {
  process.kill(-child.pid); // the screen and the browser
  await pause(1);
  await rm(profile, { recursive: true, force: true });
}
process.exit(0);
