// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The part of WASI that the module needs (wasi_snapshot_preview1): files in memory that can be read, a clock, and output to the console. There is
// no network, no real file and no environment.

const OK = 0, NOT_THERE = 52, BAD_FILE = 8, INVALID = 28, NO_ENTRY = 44;
const FOLDER = 3, REGULAR = 4;
const ROOT = 3; // the descriptor of "/"

interface OpenFile {
  bytes: Uint8Array;
  at: number;
}

/** Simplifies a path: "a/./b/../c" becomes "a/c". ".." at the root is ignored. */
export function cleanPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

export class Files {
  private readonly files = new Map<string, Uint8Array>();
  private readonly open = new Map<number, OpenFile>();
  private line = "";

  /** memory: returns the memory of the module, after it was created. */
  constructor(private readonly memory: () => WebAssembly.Memory) {}

  set(path: string, content: string | Uint8Array): void {
    this.files.set(cleanPath(path), typeof content === "string" ? new TextEncoder().encode(content) : content);
  }

  clear(): void {
    this.files.clear();
  }

  /** Returns the functions. Others are refused, as by a system without them. */
  imports(): Record<string, (...args: never[]) => number | void> {
    const known: Record<string, (...args: never[]) => number | void> = {
      environ_get: () => OK,
      environ_sizes_get: (count: number, size: number) => this.put32(count, 0) ?? this.put32(size, 0) ?? OK,
      clock_time_get: (_id: number, _precision: bigint, to: number) => {
        this.view().setBigUint64(to, BigInt(Math.round(performance.now() * 1e6)), true);
        return OK;
      },
      fd_close: (fd: number) => (this.open.delete(fd) ? OK : BAD_FILE),
      fd_fdstat_get: (fd: number, to: number) => this.describe(fd, to),
      fd_fdstat_set_flags: () => OK,
      fd_filestat_get: (fd: number, to: number) => this.describeFile(this.open.get(fd)?.bytes, fd === ROOT, to),
      fd_prestat_get: (fd: number, to: number) => (fd === ROOT ? (this.put32(to, 0) ?? this.put32(to + 4, 1) ?? OK) : BAD_FILE),
      fd_prestat_dir_name: (fd: number, to: number) => {
        if (fd !== ROOT) return BAD_FILE;
        this.view().setUint8(to, "/".charCodeAt(0));
        return OK;
      },
      fd_read: (fd: number, pieces: number, count: number, done: number) => this.read(fd, pieces, count, done),
      fd_seek: (fd: number, offset: bigint, from: number, to: number) => this.seek(fd, Number(offset), from, to),
      fd_write: (fd: number, pieces: number, count: number, done: number) => this.write(fd, pieces, count, done),
      path_filestat_get: (_fd: number, _flags: number, path: number, length: number, to: number) => this.stat(this.text(path, length), to),
      path_open: (_fd: number, _look: number, path: number, length: number, how: number, _a: bigint, _b: bigint, _flags: number, to: number) =>
        this.openFile(this.text(path, length), how, to),
      proc_exit: (code: number) => {
        throw new Error(`the module ended with code ${code}`);
      },
    };
    return new Proxy(known, { get: (all, name) => all[String(name)] ?? (() => NOT_THERE) });
  }

  private view(): DataView {
    return new DataView(this.memory().buffer);
  }

  private text(at: number, length: number): string {
    return cleanPath(new TextDecoder().decode(new Uint8Array(this.memory().buffer, at, length)));
  }

  private put32(to: number, value: number): undefined {
    this.view().setUint32(to, value, true);
    return undefined;
  }

  private pieces(at: number, count: number): Uint8Array[] {
    const view = this.view();
    return Array.from({ length: count }, (_, i) => new Uint8Array(view.buffer, view.getUint32(at + 8 * i, true), view.getUint32(at + 8 * i + 4, true)));
  }

  private describe(fd: number, to: number): number {
    if (fd > ROOT && !this.open.has(fd)) return BAD_FILE;
    const view = this.view();
    for (let i = 0; i < 24; i += 8) view.setBigUint64(to + i, i === 0 ? 0n : ~0n & 0xffffffffffffffffn, true);
    view.setUint8(to, fd === ROOT ? FOLDER : fd < ROOT ? 2 : REGULAR);
    return OK;
  }

  private read(fd: number, pieces: number, count: number, done: number): number {
    const file = this.open.get(fd);
    if (file === undefined) return BAD_FILE;
    let total = 0;
    for (const piece of this.pieces(pieces, count)) {
      const part = file.bytes.subarray(file.at, file.at + piece.length);
      piece.set(part);
      file.at += part.length;
      total += part.length;
    }
    this.put32(done, total);
    return OK;
  }

  private seek(fd: number, offset: number, from: number, to: number): number {
    const file = this.open.get(fd);
    if (file === undefined) return BAD_FILE;
    const at = offset + (from === 0 ? 0 : from === 1 ? file.at : file.bytes.length);
    if (at < 0) return INVALID;
    file.at = at;
    this.view().setBigUint64(to, BigInt(at), true);
    return OK;
  }

  /** Writes standard output and error to the console, line by line. */
  private write(fd: number, pieces: number, count: number, done: number): number {
    if (fd !== 1 && fd !== 2) return BAD_FILE;
    let total = 0;
    for (const piece of this.pieces(pieces, count)) {
      total += piece.length;
      this.line += new TextDecoder().decode(piece.slice());
    }
    const lines = this.line.split("\n");
    this.line = lines.pop() ?? "";
    for (const line of lines) console.debug(line);
    this.put32(done, total);
    return OK;
  }

  private isFolder(path: string): boolean {
    return path === "" || [...this.files.keys()].some((name) => name.startsWith(`${path}/`));
  }

  private stat(path: string, to: number): number {
    return this.describeFile(this.files.get(path), this.isFolder(path), to);
  }

  private describeFile(bytes: Uint8Array | undefined, isFolder: boolean, to: number): number {
    if (bytes === undefined && !isFolder) return NO_ENTRY;
    const view = this.view();
    for (let i = 0; i < 64; i += 8) view.setBigUint64(to + i, 0n, true);
    view.setUint8(to + 16, bytes === undefined ? FOLDER : REGULAR);
    view.setBigUint64(to + 32, BigInt(bytes?.length ?? 0), true);
    return OK;
  }

  /** Opens a file for reading. how: flags; a request to create a file is refused. */
  private openFile(path: string, how: number, to: number): number {
    const bytes = this.files.get(path);
    if (bytes === undefined || (how & 1) !== 0) return NO_ENTRY;
    let fd = ROOT + 1;
    while (this.open.has(fd)) fd++;
    this.open.set(fd, { bytes, at: 0 });
    this.put32(to, fd);
    return OK;
  }
}
