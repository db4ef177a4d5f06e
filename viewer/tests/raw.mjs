// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The program, and a WebSocket to it that is no browser's: it can send what a browser would not.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { createInterface } from "node:readline";

export const TEXT = 1;
export const BINARY = 2;
export const CLOSE = 8;

/** Starts trammel-view; its address comes in its first line. */
export async function startProgram(program, ...words) {
  const child = spawn(program, ["view", "--no-open", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const gone = ended.then(([code]) => Promise.reject(new Error(`the program ended with exit code ${code}`)));
  const [line] = await Promise.race([once(createInterface(child.stdout), "line"), gone]);
  gone.catch(() => {});
  return { child, ended, address: new URL(line.trim()) };
}

/** Asks for the change of protocol: { socket } or { status, body }. */
export function upgrade(address, path, headers = {}) {
  const asked = request({
    host: address.hostname,
    port: address.port,
    path,
    headers: {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": 13,
      "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
      "Sec-WebSocket-Protocol": "trammel",
      ...headers,
    },
  });
  return new Promise((done, failed) => {
    asked.on("upgrade", (_, socket, first) => done({ socket, first }));
    asked.on("response", async (answer) => {
      let body = "";
      for await (const piece of answer) body += piece;
      done({ status: answer.statusCode, body });
    });
    asked.on("error", failed);
    asked.end();
  });
}

/** One frame of a message, as a client's is masked. */
export function frameOf(bytes, opcode = TEXT, final = true) {
  const body = Buffer.from(bytes);
  const head = Buffer.alloc(body.length < 126 ? 2 : body.length < 65536 ? 4 : 10);
  head[0] = (final ? 0x80 : 0) | opcode;
  head[1] = 0x80 | (body.length < 126 ? body.length : body.length < 65536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(body.length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(body.length), 2);
  const mask = randomBytes(4);
  for (let i = 0; i < body.length; i++) body[i] ^= mask[i & 3];
  return Buffer.concat([head, mask, body]);
}

/** A connection that reads whole messages: onmessage(opcode, bytes); closed: a promise of { code, reason }. */
export class Raw {
  onmessage = () => {};
  #bytes;

  static async open(address) {
    const { socket, first, status } = await upgrade(address, `${address.pathname}socket`, { Origin: address.origin });
    if (socket === undefined) throw new Error(`refused with ${status}`);
    return new Raw(socket, first);
  }

  constructor(socket, first) {
    this.socket = socket;
    this.#bytes = Buffer.from(first);
    this.closed = new Promise((done) => {
      this.said = done;
      socket.on("error", () => done({ code: 0, reason: "" }));
      socket.on("close", () => done({ code: 0, reason: "" })); // unless a reason came before
    });
    socket.on("data", (data) => this.#take(data));
  }

  send(bytes, opcode = TEXT, final = true) {
    this.sendRaw(frameOf(bytes, opcode, final));
  }

  sendRaw(bytes) {
    if (!this.socket.destroyed) this.socket.write(bytes, () => {});
  }

  end() {
    this.socket.destroy();
  }

  #take(data) {
    this.#bytes = Buffer.concat([this.#bytes, data]);
    for (;;) {
      const bytes = this.#bytes;
      if (bytes.length < 2) return;
      const short = bytes[1] & 127;
      const head = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (bytes.length < head) return;
      const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
      if (bytes.length < head + length) return;
      const message = bytes.subarray(head, head + length);
      this.#bytes = bytes.subarray(head + length);
      const opcode = bytes[0] & 15;
      if (opcode === CLOSE) this.said({ code: length > 1 ? message.readUInt16BE(0) : 0, reason: String(message.subarray(2)) });
      else this.onmessage(opcode, message);
    }
  }
}
