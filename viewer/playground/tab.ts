// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The connection of the live page to a simulation in this tab, instead of a socket. Its worker can be terminated at any time.

import type { Message } from "../../wasm/package/index";
import type { Connection, SocketEvents } from "../page/socket";
import type { Files, FromWorker, ToWorker } from "./messages";

export interface Model {
  name: string;
  text: string;
  files: Files;
}

export interface TabEvents {
  ready(schema: object, version: string): void;
  /** The result of checking the last model. why: reason why it cannot be simulated; empty: it can. */
  checked(messages: Message[], why: string): void;
  /** The page requests the model again. */
  reload(): void;
}

export class Tab implements Connection {
  private worker: Worker | null = null;
  private ready = false;
  private id = 0;
  private next: ToWorker | null = null; // message that waits until the worker is ready
  private socket: SocketEvents | null = null;

  /** Starts the worker, which loads its code while the page is being built. */
  constructor(private readonly events: TabEvents) {
    this.begin();
  }

  /** Connects the page. */
  connect(socket: SocketEvents): this {
    this.socket = socket;
    return this;
  }

  get open(): boolean {
    return this.ready;
  }

  send(text: string): void {
    if (text === "reload") this.events.reload();
    else if (this.ready) this.post({ kind: "ask", text });
  }

  sendForSure(text: string): boolean {
    this.send(text);
    return this.ready;
  }

  /** Returns false, because the playground receives files by its own drops. */
  sendFiles(): boolean {
    return false;
  }

  load({ name, text, files }: Model, playing: boolean): void {
    const message: ToWorker = { kind: "load", id: ++this.id, name, text, files, playing };
    if (this.worker === null) this.begin();
    if (this.ready) this.post(message);
    else this.next = message;
  }

  /** Ends the simulation, even within a step. */
  stop(): void {
    this.worker?.terminate();
    this.worker = null;
    this.ready = false;
    this.next = null;
    this.socket?.ended("it was stopped", false);
  }

  private begin(): void {
    const worker = new Worker(new URL("worker.js", location.href), { type: "module" });
    this.worker = worker;
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => worker === this.worker && this.take(data));
    worker.addEventListener("error", (e) => worker === this.worker && this.broke(e.message || "it could not be loaded"));
  }

  private post(message: ToWorker): void {
    this.worker?.postMessage(message);
  }

  private take(message: FromWorker): void {
    if (message.kind === "text") this.socket?.text(message.text);
    else if (message.kind === "frame") this.socket?.binary(message.bytes);
    else if (message.kind === "broken") this.broke(message.why);
    else if (message.kind === "checked") {
      if (message.id === this.id) this.events.checked(message.messages, message.why);
    } else {
      this.ready = true;
      this.socket?.opened();
      this.events.ready(message.schema, message.version);
      if (this.next !== null) this.post(this.next);
      this.next = null;
    }
  }

  private broke(why: string): void {
    this.stop();
    this.socket?.ended(why, false);
  }
}
