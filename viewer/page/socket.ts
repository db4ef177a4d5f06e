// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The connection to the program, which is retried a few times if it broke without a reason.

import type { Dropped } from "./files";

/** ms before each further attempt. */
const WAITS = [300, 700, 1500, 3000, 6000];
/** Codes with which the program itself closes: protocol, kind of data, policy, size; 1000 and 1001: it ends. */
const SPOKEN = new Set([1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010]);
const REASONS: Record<number, string> = {
  1001: "the program has ended",
  1006: "the program does not answer",
};

export interface SocketEvents {
  opened(): void;
  text(message: string): void;
  binary(bytes: ArrayBuffer): void;
  /** A file to be sent cannot be read. */
  lost(path: string): void;
  /** again: the connection is retried. */
  ended(reason: string, again: boolean): void;
}

/** The connection by which a page sends messages. */
export interface Connection {
  readonly open: boolean;
  send(text: string): void;
  sendForSure(text: string): boolean;
  /** Sends files as soon as there is a connection, and the name of the model to load from them. Returns false if there will be none. */
  sendFiles(model: string, files: Dropped[]): boolean;
}

/** Bytes of a piece of a file, and largest number of bytes waiting in the browser. */
const PIECE = 1 << 20;
const MOST_WAITING = 4 << 20;
/** ms until the number of waiting bytes is checked again. */
const PAUSE = 5;

export class Socket implements Connection {
  private socket: WebSocket | null = null;
  private attempts = 0;
  private over = false; // the connection ended for good
  private kept = ""; // a message that waits for the connection; empty: none
  private drop: { model: string; files: Dropped[] } | null = null; // files that are being sent, or wait for the connection

  constructor(
    private readonly address: string,
    private readonly events: SocketEvents,
  ) {
    this.connect();
  }

  get open(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  send(text: string): void {
    if (this.open) this.socket?.send(text);
  }

  /** Sends this as soon as there is a connection, unless another such message comes before that. Returns false if there will be none. */
  sendForSure(text: string): boolean {
    if (this.over) return false;
    if (this.open) this.socket?.send(text);
    else this.kept = text;
    return true;
  }

  sendFiles(model: string, files: Dropped[]): boolean {
    if (this.over) return false;
    this.drop = { model, files };
    if (this.open) void this.sendDrop();
    return true;
  }

  /** Sends the files of a drop. Ends early if another drop has begun or the connection ended; the next connection then sends all files. */
  private async sendDrop(): Promise<void> {
    const { drop, socket } = this;
    const goesOn = (): boolean => this.drop === drop && socket?.readyState === WebSocket.OPEN;
    if (drop === null || socket === null) return;
    socket.send("drop");
    for (const { path, file } of drop.files) {
      for (let at = 0; at === 0 || at < file.size; at += PIECE) {
        const piece = new Blob([`file ${path}\n`, file.slice(at, at + PIECE)]);
        const bytes = await piece.arrayBuffer().catch(() => null);
        if (bytes === null) return this.loseDrop(drop, path);
        while (goesOn() && socket.bufferedAmount > MOST_WAITING) await new Promise((done) => setTimeout(done, PAUSE));
        if (!goesOn()) return;
        socket.send(bytes);
      }
    }
    socket.send(`load ${drop.model}`);
    this.drop = null;
  }

  /** Ends a drop because a file changed or vanished after it was dropped. */
  private loseDrop(drop: object, path: string): void {
    if (this.drop === drop) this.drop = null;
    this.events.lost(path);
  }

  private connect(): void {
    const socket = new WebSocket(this.address, "trammel");
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => {
      this.events.opened();
      if (this.kept !== "") socket.send(this.kept);
      this.kept = "";
      if (this.drop !== null) void this.sendDrop();
    });
    socket.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
      this.attempts = 0;
      if (typeof data === "string") this.events.text(data);
      else this.events.binary(data);
    });
    socket.addEventListener("close", ({ code, reason }) => this.closed(code, reason));
  }

  private closed(code: number, reason: string): void {
    const again = !SPOKEN.has(code) && this.attempts < WAITS.length;
    this.over = !again;
    const said = reason !== "" ? reason.replace(/\.$/, "") : (REASONS[code] ?? `code ${code}`);
    this.events.ended(said, again);
    if (again) setTimeout(() => this.connect(), WAITS[this.attempts++]);
  }
}
