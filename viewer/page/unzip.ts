// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Files out of a ZIP (PKWARE APPNOTE 6.3, sections 4.3 and 4.4), stored or deflated. The directory at its end gives their places; the
// browser inflates. A file that exceeds the limit is refused while it is inflated, so that a small ZIP cannot fill the memory.

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const LONGEST_COMMENT = 0xffff;

interface Entry {
  name: string;
  method: number; // 0: stored, 8: deflated
  packed: number; // bytes in the ZIP
  size: number; // bytes of the file, according to the directory
  at: number; // offset of its header
  encrypted: boolean;
}

const damaged = (): Error => new Error("the ZIP is damaged");

/** Returns the offset of the record at the end. */
function endOf(view: DataView): number {
  const first = Math.max(0, view.byteLength - END_BYTES - LONGEST_COMMENT);
  for (let at = view.byteLength - END_BYTES; at >= first; at--) if (view.getUint32(at, true) === END) return at;
  throw new Error("it is not a ZIP");
}

function entriesOf(view: DataView): Entry[] {
  const end = endOf(view);
  const count = view.getUint16(end + 10, true);
  const entries: Entry[] = [];
  for (let i = 0, at = view.getUint32(end + 16, true); i < count; i++) {
    if (at + ENTRY_BYTES > end || view.getUint32(at, true) !== ENTRY) throw damaged();
    const [name, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    if (at + ENTRY_BYTES + name > end) throw damaged();
    entries.push({
      name: new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + at + ENTRY_BYTES, name)),
      method: view.getUint16(at + 10, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true),
      encrypted: (view.getUint16(at + 8, true) & 1) === 1,
    });
    at += ENTRY_BYTES + name + extra + comment;
  }
  return entries;
}

/** Returns the packed bytes of an entry. */
function packedBytes(view: DataView, entry: Entry): Uint8Array<ArrayBuffer> {
  if (entry.at + LOCAL_BYTES > view.byteLength || view.getUint32(entry.at, true) !== LOCAL) throw damaged();
  const start = entry.at + LOCAL_BYTES + view.getUint16(entry.at + 26, true) + view.getUint16(entry.at + 28, true);
  if (start + entry.packed > view.byteLength) throw damaged();
  return new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset + start, entry.packed);
}

async function inflate(bytes: Uint8Array<ArrayBuffer>, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new Error("the files in the ZIP are larger than it says");
    }
    pieces.push(value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** Returns all files of a ZIP with at most this many bytes together, without folders. */
export async function unzip(bytes: Uint8Array<ArrayBuffer>, most: number): Promise<File[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = entriesOf(view).filter(({ name }) => !name.endsWith("/"));
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  if (total > most) throw new Error(`the files in the ZIP have ${Math.round(total / 1048576)} MiB; at most ${Math.round(most / 1048576)} are taken`);
  const files: File[] = [];
  for (const entry of entries) {
    if (entry.encrypted || (entry.method !== 0 && entry.method !== 8)) throw new Error(`${entry.name} in the ZIP is encrypted, or packed in an unknown way`);
    const packed = packedBytes(view, entry);
    files.push(new File([entry.method === 8 ? await inflate(packed, entry.size) : packed], entry.name));
  }
  return files;
}

/** Returns the files, with each ZIP replaced by its contents. The name of a file is its path. */
export async function unpacked<T extends { path: string; file: File }>(all: T[], most: number): Promise<{ path: string; file: File }[]> {
  const out: { path: string; file: File }[] = [];
  for (const one of all) {
    if (!one.path.toLowerCase().endsWith(".zip")) out.push(one);
    else for (const file of await unzip(new Uint8Array(await one.file.arrayBuffer()), most)) out.push({ path: file.name, file });
  }
  return out;
}
