// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The site of `make docs` in a browser: its content security policy refuses other scripts and nothing that the pages need, and the search
// finds something. Usage: node site.mjs SITE.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { once } from "node:events";
import { extname, join } from "node:path";
import { chromium } from "playwright-core";
import { assertPolicy } from "./policy.mjs";

const site = process.argv[2];
const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml" };
/** ms: longer than anything takes on the busiest machine. */
const NEVER = 180_000;

const server = createServer(async ({ url }, answer) => {
  const { pathname } = new URL(url, "http://site");
  const file = await readFile(join(site, decodeURIComponent(pathname))).catch(() => null);
  answer.writeHead(file === null ? 404 : 200, { "content-type": TYPES[extname(pathname)] ?? "application/octet-stream" });
  answer.end(file ?? "");
}).listen(0, "127.0.0.1");
await once(server, "listening");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  const address = `http://127.0.0.1:${server.address().port}`;
  const page = await browser.newPage();
  const errors = [];
  page.setDefaultTimeout(NEVER);
  page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
  page.on("pageerror", (e) => errors.push(e.message));
  for (const path of ["api/sim.html", "minimal.html", "index.html"]) {
    await page.goto(`${address}/${path}`);
    assert.match(await page.title(), /Trammel/);
  }
  await page.locator(".md-search__input").focus();
  await page.locator(".md-search__input").fill("baumgarte");
  await page.locator(".md-search-result__item").first().waitFor({ state: "attached" });
  assert.deepEqual(errors, []);
  await assertPolicy(page);
  console.log("site: good in a browser");
} finally {
  await browser.close();
  server.close();
}
