// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Diagrams as files: curves as comma-separated values, a drawing in SVG with axes and a legend, and the same as PNG.

import { quoted, shortest } from "./csv";
import { downloadBlob } from "./dom";
import { linearTicks, logTicks } from "./number";
import { linearRange, logRange, valueAt } from "./plot";
import type { Curve, Range } from "./plot";

export interface Picture {
  title: string;
  curves: Curve[];
  log: boolean;
  range: Range; // s
}

const FRAME = { left: 70, top: 34, width: 640, height: 360 };
const AXIS = 62;
const LINE = 18;
const PNG_SCALE = 2;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const round = (v: number): number => Math.round(100 * v) / 100;
const nameOf = ({ name, unit }: Curve): string => `${name ?? ""}${unit ? ` [${unit}]` : ""}`;

/** Returns one row for each time of the first curve; others are interpolated if their times differ. */
export function curvesAsCsv(curves: Curve[]): string {
  const lines = [["t", ...curves.map((c) => quoted(nameOf(c)))].join(",")];
  const [first] = curves;
  for (let i = 0; first !== undefined && i < first.count; i++) {
    const t = first.times[i];
    lines.push([shortest(t), ...curves.map((c) => shortest(c.times === first.times ? c.values[i] : valueAt(c, t)))].join(","));
  }
  return `${lines.join("\n")}\n`;
}

export function drawSvg({ title, curves, log, range }: Picture): string {
  const { left, top, width, height } = FRAME;
  const units = [...new Set(curves.map((c) => c.unit ?? ""))];
  const right = left + width + AXIS * Math.max(units.length - 1, 0);
  const longest = Math.max(0, ...curves.map((c) => nameOf(c).length));
  const size = { width: right + 60 + 7.2 * longest, height: top + Math.max(height, LINE * curves.length) + 48 };
  const scales = units.map((unit) => {
    const own = curves.filter((c) => (c.unit ?? "") === unit);
    return log ? logRange(own) : linearRange(own, range);
  });
  const atX = (t: number): number => round(left + ((t - range.low) / (range.high - range.low || 1)) * width);
  const atY = (v: number, { low, high }: Range): number => round(top + ((high - (log ? Math.log10(Math.abs(v)) : v)) / (high - low)) * height);
  const parts: string[] = [
    `<text x="${left}" y="18" font-size="15" font-weight="600">${escaped(title)}</text>`,
    ...axisAcross(range, atX),
    ...units.flatMap((unit, k) => axisUp(unit, scales[k], k, log)),
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="none" stroke="#888"/>`,
    `<clipPath id="frame"><rect x="${left}" y="${top}" width="${width}" height="${height}"/></clipPath>`,
    ...curves.map((c) => `<path clip-path="url(#frame)" fill="none" stroke="${c.colour}" stroke-width="1.6" stroke-linejoin="round" d="${pathOf(c, scales[units.indexOf(c.unit ?? "")], range, atX, atY)}"/>`),
    ...curves.map((c, i) => {
      const y = top + LINE * (i + 0.5);
      return `<path stroke="${c.colour}" stroke-width="2.4" d="M${right + 16} ${y}h24"/><text x="${right + 46}" y="${y + 4}">${escaped(nameOf(c))}</text>`;
    }),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${round(size.width)}" height="${size.height}" viewBox="0 0 ${round(size.width)} ${size.height}" font-family="system-ui, sans-serif" font-size="12" fill="#333">\n<rect width="100%" height="100%" fill="#fff"/>\n${parts.join("\n")}\n</svg>\n`;
}

function axisAcross(range: Range, atX: (t: number) => number): string[] {
  const { top, height, left, width } = FRAME;
  const lines = linearTicks(range.low, range.high, 8).ticks.map(({ value, label }) => {
    const x = atX(value);
    return `<path stroke="#e3e6e8" d="M${x} ${top}v${height}"/><text x="${x}" y="${top + height + 18}" text-anchor="middle">${escaped(label)}</text>`;
  });
  return [...lines, `<text x="${left + width / 2}" y="${top + height + 38}" text-anchor="middle">t [s]</text>`];
}

/** Returns the lines of an axis: the first on the left, others on the right. */
function axisUp(unit: string, { low, high }: Range, index: number, log: boolean): string[] {
  const { left, top, width, height } = FRAME;
  const { ticks, offset } = (log ? logTicks : linearTicks)(low, high, 9);
  const x = index === 0 ? left - 8 : left + width + AXIS * (index - 1) + 8;
  const anchor = index === 0 ? "end" : "start";
  const lines = ticks.map(({ value, label }) => {
    const y = round(top + ((high - value) / (high - low)) * height);
    const rule = index === 0 ? `<path stroke="#e3e6e8" d="M${left} ${y}h${width}"/>` : "";
    return `${rule}<text x="${x}" y="${y + 4}" text-anchor="${anchor}">${escaped(label)}</text>`;
  });
  const said = [unit, offset].filter((text) => text !== "").join(" ");
  return [...lines, `<text x="${x}" y="${top - 6}" text-anchor="${anchor}">${escaped(said)}</text>`];
}

/** Returns the path of a curve, with the least and the greatest value in each column of one pixel, so that no peak is lost. */
function pathOf(curve: Curve, scale: Range, range: Range, atX: (t: number) => number, atY: (v: number, y: Range) => number): string {
  const { times, values, count } = curve;
  let [path, open] = ["", false];
  for (let i = 0; i < count; ) {
    const column = Math.floor(atX(times[i]));
    let [low, high, last] = [i, i, i];
    while (last + 1 < count && Math.floor(atX(times[last + 1])) === column && Number.isFinite(values[last + 1])) {
      last++;
      if (values[last] < values[low]) low = last;
      if (values[last] > values[high]) high = last;
    }
    if (times[last] >= range.low && times[i] <= range.high && Number.isFinite(values[i])) {
      for (const k of new Set([i, Math.min(low, high), Math.max(low, high), last])) {
        const y = atY(values[k], scale);
        if (!Number.isFinite(y)) continue;
        path += `${open ? "L" : "M"}${atX(times[k])} ${y}`;
        open = true;
      }
    } else open = false;
    i = last + 1;
  }
  return path;
}

/** Offers the SVG, drawn by the browser, for download as PNG. */
export async function downloadPng(name: string, svg: string): Promise<void> {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = PNG_SCALE * image.naturalWidth;
    canvas.height = PNG_SCALE * image.naturalHeight;
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (blob !== null) downloadBlob(name, blob);
  } finally {
    URL.revokeObjectURL(address);
  }
}
