// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The simulation of the playground, in a separate thread, so that the page stays responsive and can end this thread.

import { Session, Trammel } from "../../wasm/package/index";
import type { FromWorker, ToWorker } from "./messages";

const UNSEEN = 2; // largest number of frames that the page has not drawn yet
const post = (message: FromWorker, transfer: Transferable[] = []): void => postMessage(message, { transfer });

const trammel = await Trammel.create(new URL("trammel.wasm", location.href));
const session = new Session(trammel);
let name = ""; // name of the open model
let timer: ReturnType<typeof setTimeout> | undefined;
let unseen = 0;

/** Sends messages to the page; frames only after it has drawn the previous ones. */
function tell(): void {
  for (let sheet = session.take(unseen < UNSEEN); sheet !== null; sheet = session.take(unseen < UNSEEN)) {
    if (sheet.kind === "frame") {
      unseen++;
      post({ kind: "frame", bytes: sheet.bytes }, [sheet.bytes]);
    } else if (sheet.kind === "text") post({ kind: "text", text: sheet.text });
    else post({ kind: "text", text: JSON.stringify({ kind: "trouble", sentence: sheet.sentence }) });
  }
}

/** Makes a turn, sends its messages, and schedules the next turn. */
function turn(): void {
  clearTimeout(timer);
  const due = session.turn();
  tell();
  timer = setTimeout(turn, 1000 * due);
}

/** Loads a model. The same model, after a change, keeps the settings of its simulation. */
function load({ id, name: next, text, files, playing }: Extract<ToWorker, { kind: "load" }>): void {
  const messages = trammel.check(text, { name: next, files });
  const sound = !messages.some((m) => m.severity === "error");
  let why = "";
  if (sound && next === name) {
    session.put(next, text, files);
    session.ask("reload");
    unseen = 0; // frames of the last scene may never be acknowledged
  } else if (sound) {
    why = session.open(next, text, files, playing, 1);
    name = why === "" ? next : "";
    unseen = 0;
  }
  post({ kind: "checked", id, messages, why });
  if (sound) turn();
}

function ask(text: string): void {
  if (text.startsWith("seen ")) {
    unseen = 0; // the page acknowledges only the newest frame of a picture, for all before it
    tell();
    return;
  }
  const why = session.ask(text);
  if (why !== "") post({ kind: "text", text: JSON.stringify({ kind: "trouble", sentence: why }) });
  if (name !== "") turn();
}

addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  try {
    if (data.kind === "load") load(data);
    else ask(data.text);
  } catch (error) {
    post({ kind: "broken", why: (error as Error).message });
  }
});
post({ kind: "ready", schema: trammel.schema(), version: trammel.version });
