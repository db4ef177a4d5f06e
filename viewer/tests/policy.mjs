// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The content security policy of a page that is open: its own script runs, another one does not, and nothing is loaded from elsewhere.

import assert from "node:assert/strict";

export async function assertPolicy(page) {
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");
  assert.match(policy, /^default-src 'none'; script-src '(sha256-|self')/);
  assert.doesNotMatch(policy, /script-src[^;]*unsafe-inline/);
  const tried = await page.evaluate(async () => {
    const refused = [];
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => refused.push(effectiveDirective));
    const script = document.createElement("script");
    script.textContent = "window.hacked = 1";
    document.body.append(script);
    const frame = document.createElement("iframe");
    frame.src = "https://example.com/";
    document.body.append(frame);
    const loaded = await fetch("https://example.com/").then(() => true, () => false);
    while (refused.length < 3) await new Promise((done) => setTimeout(done, 10));
    script.remove();
    frame.remove();
    return { hacked: window.hacked ?? null, loaded, refused: refused.sort() };
  });
  assert.deepEqual(tried, { hacked: null, loaded: false, refused: ["connect-src", "frame-src", "script-src-elem"] });
}
