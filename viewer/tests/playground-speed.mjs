// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// How long the playground takes from the request to the first motion, in headless Chromium: playground-speed.mjs (after make playground).

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { chromium } from "playwright-core";

const folder = join(import.meta.dirname, "../../out/playground");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json" };
const ROUNDS = 5;

const server = createServer(async ({ url }, response) => {
  const path = new URL(url, "http://x").pathname;
  const file = path === "/" ? "index.html" : path.slice(1);
  response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain" });
  response.end(await readFile(join(folder, file)).catch(() => ""));
}).listen(0, "127.0.0.1");
await new Promise((done) => server.once("listening", done));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--enable-unsafe-swiftshader"] });
const times = [];
for (let i = 0; i < ROUNDS; i++) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`, { waitUntil: "commit" });
  times.push(await page.evaluate(async () => {
    while (!(window.trammel?.state().time > 0 && window.trammel.state().drawn > 0)) await new Promise((done) => setTimeout(done, 5));
    return performance.now(); // since the request
  }));
  await context.close();
}
console.log(`load to first motion: ${times.map((t) => `${Math.round(t)}`).join(", ")} ms; the best ${Math.round(Math.min(...times))} ms`);
await browser.close();
server.close();
