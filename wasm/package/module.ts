// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The module: compiled code, its memory and its files, and calls with texts (wasm/exports.h).

import { Files } from "./files.js";

/** Where the code comes from: an address, its bytes, or a module that is compiled already. */
export type Source = string | URL | BufferSource | Response | WebAssembly.Module;

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  take_memory(bytes: number): number;
  give_memory(at: number): void;
  answer_text(): number;
  answer_length(): number;
  version(): void;
  schema(): void;
  run_open(path: number, options: number): number;
  run_close(run: number): void;
  run_advance(run: number, until: number): number;
  run_time(run: number): number;
  run_poses(run: number): number;
  run_values(run: number): number;
  run_report(run: number): void;
  session_open(path: number, playing: number, speed: number): number;
  session_close(): void;
  session_ask(message: number): number;
  session_turn(): number;
  session_take(frames: boolean): number;
}

async function compile(source: Source): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source === "string" || source instanceof URL) {
    const address = new URL(source, import.meta.url);
    if (address.protocol === "file:") {
      const { readFile } = await import(/* @vite-ignore */ "node:fs/promises");
      return WebAssembly.compile(await readFile(address));
    }
    source = await fetch(address);
  }
  if (typeof Response !== "undefined" && source instanceof Response) {
    if (!source.ok) throw new Error(`trammel.wasm cannot be loaded: ${source.status} ${source.statusText}`);
    return WebAssembly.compile(await source.arrayBuffer());
  }
  return WebAssembly.compile(source as BufferSource);
}

export class Module {
  readonly files: Files;
  private broken = "";

  private constructor(
    readonly exports: Exports,
    files: Files,
  ) {
    this.files = files;
  }

  static async load(source: Source): Promise<Module> {
    let memory: WebAssembly.Memory | null = null;
    const files = new Files(() => memory!);
    const instance = await WebAssembly.instantiate(await compile(source), { wasi_snapshot_preview1: files.imports() as WebAssembly.ModuleImports });
    const exports = instance.exports as unknown as Exports;
    memory = exports.memory;
    exports._initialize();
    return new Module(exports, files);
  }

  /** Calls the code. After a trap (out of memory, or a bug) the module must not be used any more. */
  call<T>(act: (exports: Exports) => T): T {
    if (this.broken !== "") throw new Error(`the module broke before: ${this.broken}; load it again`);
    try {
      return act(this.exports);
    } catch (error) {
      this.broken = (error as Error).message;
      throw new Error(`the module broke: ${this.broken}`, { cause: error });
    }
  }

  /** Does the same with texts, which exist during the call. */
  with<T>(texts: string[], act: (exports: Exports, ...at: number[]) => T): T {
    return this.call((exports) => {
      const places = texts.map((text) => {
        const bytes = new TextEncoder().encode(`${text}\0`);
        const at = exports.take_memory(bytes.length);
        if (at === 0) throw new Error("out of memory");
        new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
        return at;
      });
      const result = act(exports, ...places);
      for (const at of places) exports.give_memory(at);
      return result;
    });
  }

  /** Returns the answer of the last call. */
  answer(): Uint8Array {
    return this.call(({ memory, answer_text, answer_length }) => new Uint8Array(memory.buffer, answer_text(), answer_length()).slice());
  }

  answerText(): string {
    return new TextDecoder().decode(this.answer());
  }

  numbers(at: number, count: number): Float64Array {
    return new Float64Array(this.exports.memory.buffer, at, count).slice();
  }
}
