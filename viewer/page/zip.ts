// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Writes files to a ZIP without compression (PKWARE APPNOTE 6.3, sections 4.3 and 4.4), for pictures, which are compressed already.

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

function crcOf(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (const b of bytes) c = TABLE[(c ^ b) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** Packs numbers of 2 or 4 bytes, little-endian. */
function pack(...numbers: [bytes: 2 | 4, value: number][]): Uint8Array<ArrayBuffer> {
  const out = new DataView(new ArrayBuffer(numbers.reduce((n, [bytes]) => n + bytes, 0)));
  let at = 0;
  for (const [bytes, value] of numbers) {
    if (bytes === 2) out.setUint16(at, value, true);
    else out.setUint32(at, value, true);
    at += bytes;
  }
  return new Uint8Array(out.buffer);
}

export class Zip {
  private readonly parts: BlobPart[] = [];
  private readonly directory: BlobPart[] = [];
  private directoryBytes = 0;
  private offset = 0;
  count = 0;

  add(name: string, bytes: Uint8Array<ArrayBuffer>): void {
    const text = new TextEncoder().encode(name);
    const UTF8 = 0x800;
    // version, flags, method, time, date (1980-01-01), crc, size twice, length of the name, of extras
    const common: [2 | 4, number][] = [[2, 20], [2, UTF8], [2, 0], [2, 0], [2, 0x21], [4, crcOf(bytes)], [4, bytes.length], [4, bytes.length], [2, text.length], [2, 0]];
    const head = pack([4, 0x04034b50], ...common);
    this.parts.push(head, text, bytes);
    const entry = pack([4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, this.offset]);
    this.directory.push(entry, text);
    this.directoryBytes += entry.length + text.length;
    this.offset += head.length + text.length + bytes.length;
    this.count++;
  }

  finish(): Blob {
    const end = pack([4, 0x06054b50], [2, 0], [2, 0], [2, this.count], [2, this.count], [4, this.directoryBytes], [4, this.offset], [2, 0]);
    return new Blob([...this.parts, ...this.directory, end], { type: "application/zip" });
  }
}
