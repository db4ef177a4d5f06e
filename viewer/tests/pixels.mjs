// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The colours of a screenshot. Only what browsers write: PNG with 8 bits, RGB or RGBA, not interlaced.

import { inflateSync } from "node:zlib";

const HEAD = 8; // bytes before the first chunk

/** Bytes r, g, b of each pixel, row by row. */
export function pixelsOf(png) {
  const parts = [];
  let [width, height, channels] = [0, 0, 0];
  for (let at = HEAD; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (type === "IHDR") {
      [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
      channels = { 2: 3, 6: 4 }[data[9]];
      if (data[8] !== 8 || channels === undefined || data[12] !== 0) throw new Error("this kind of PNG is not read");
    }
    if (type === "IDAT") parts.push(data);
    at += 12 + length;
  }
  return withoutFilters(inflateSync(Buffer.concat(parts)), width, height, channels);
}

/** Each row says how its bytes were predicted from those to the left and above (PNG 1.2, section 6). */
function withoutFilters(rows, width, height, channels) {
  const stride = width * channels;
  const out = new Uint8Array(3 * width * height);
  let above = new Uint8Array(stride);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (stride + 1)];
    const row = Uint8Array.from(rows.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    for (let i = 0; i < stride; i++) {
      const [a, c] = i < channels ? [0, 0] : [row[i - channels], above[i - channels]];
      row[i] += predict(filter, a, above[i], c);
    }
    for (let x = 0; x < width; x++) for (let k = 0; k < 3; k++) out[3 * (y * width + x) + k] = row[x * channels + k];
    above = row;
  }
  return out;
}

function predict(filter, a, b, c) {
  if (filter === 0) return 0;
  if (filter === 1) return a;
  if (filter === 2) return b;
  if (filter === 3) return (a + b) >> 1;
  const p = a + b - c;
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/** Per thousand of the bytes, by more than what noise makes. */
export function difference(a, b) {
  if (a.length !== b.length) return 1000;
  let differ = 0;
  for (let i = 0; i < a.length; i++) if (Math.abs(a[i] - b[i]) > 12) differ++;
  return (1000 * differ) / a.length;
}

export function brightness(bytes) {
  return bytes.reduce((sum, v) => sum + v, 0) / bytes.length;
}
