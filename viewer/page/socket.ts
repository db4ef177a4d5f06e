// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The connection to the program, which is tried again a few times where it broke without a word.

/** ms before each further attempt. */
const WAITS = [300, 700, 1500, 3000, 6000];
/** Closed like this the program has spoken: protocol, kind of data, policy, size. 1000 and 1001 are its end. */
const SPOKEN = new Set([1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010]);
const REASONS: Record<number, string> = {
  1001: "the program has ended",
  1006: "the program does not answer",
};

export interface SocketEvents {
  opened(): void;
  text(message: string): void;
  binary(bytes: ArrayBuffer): void;
  /** again: it is tried again. */
  ended(reason: string, again: boolean): void;
}

/** What a page sends its messages by. */
export interface Connection {
  readonly open: boolean;
  send(text: string): void;
  sendForSure(text: string): boolean;
}

export class Socket implements Connection {
  private socket: WebSocket | null = null;
  private attempts = 0;
  private over = false; // the connection ended for good
  private kept = ""; // a message that waits for the connection; empty: none

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

  private connect(): void {
    const socket = new WebSocket(this.address, "trammel");
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => {
      this.events.opened();
      if (this.kept !== "") socket.send(this.kept);
      this.kept = "";
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
