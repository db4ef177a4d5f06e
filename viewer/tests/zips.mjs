// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// ZIPs for tests, also wrong ones.

import { deflateRawSync } from "node:zlib";

/** A ZIP of [name, bytes, how] with how "stored" or "deflated"; said: the size that the list gives instead of the true one. */
export function zipOf(entries, said) {
  const parts = [], list = [];
  let at = 0;
  for (const [name, bytes, how] of entries) {
    const packed = how === "deflated" ? deflateRawSync(bytes) : bytes, text = Buffer.from(name);
    const local = Buffer.alloc(30), entry = Buffer.alloc(46);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(how === "deflated" ? 8 : 0, 8);
    local.writeUInt16LE(text.length, 26);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(how === "encrypted" ? 1 : 0, 8);
    entry.writeUInt16LE(how === "deflated" ? 8 : 0, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(said ?? bytes.length, 24);
    entry.writeUInt16LE(text.length, 28);
    entry.writeUInt32LE(at, 42);
    parts.push(local, text, packed);
    list.push(entry, text);
    at += local.length + text.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...list, end]);
}
