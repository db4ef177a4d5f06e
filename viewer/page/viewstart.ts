// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Starts the live page of `trammel view`, which communicates with the program that served it.

import { startShell } from "./shell";
import { Socket } from "./socket";
import { Page } from "./view";

const address = new URL("socket", location.href);
address.protocol = address.protocol === "https:" ? "wss:" : "ws:";

startShell();
const page = new Page((events) => new Socket(address.href, events));
window.trammel = { state: () => page.state(), pointOf: (body, point) => page.pointOf(body, point) };
page.start();
