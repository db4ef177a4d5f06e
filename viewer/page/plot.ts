// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// One diagram over time: curves on a canvas, and on a second one above it the cursor, which moves more often.

import { make } from "./dom";
import { linearTicks, logTicks } from "./number";
import type { Ticks } from "./number";
import { styleColour } from "./theme";

export interface Curve {
  times: ArrayLike<number>;
  values: Float32Array;
  count: number;
  colour: string;
  dash?: number[]; // pixels on and off; none: a whole line
  ended?: boolean; // there is no value behind its last sample; else that one holds on
}

/** Pixels around the diagram. All diagrams have the same, so that their times lie below each other. */
const LEFT = 54;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 20;
/** A logarithmic axis shows at most so many decades. */
const DECADES = 14;
/** Values that differ by less than this part of their size are one number in float32, and noise. */
const NOISE = 1e-6;
/** Share of the height that stays free above and below. */
const FREE = 0.06;
/** Of curves that grow: so much of its height the axis may leave empty before it is fitted anew. */
const EMPTY = 0.55;

export interface Range {
  low: number;
  high: number;
}

export class Plot {
  readonly element = make("div", { class: "plot" });
  private readonly under = make("canvas");
  private readonly over = make("canvas");
  private curves: Curve[] = [];
  private cursor = 0;
  private y: Range = { low: 0, high: 1 };
  private width = 0;
  private height = 0;

  constructor(
    private readonly log: boolean,
    private readonly t: Range, // what is in it may change
    scrubbed: ((t: number) => void) | null,
  ) {
    this.element.append(this.under, this.over);
    new ResizeObserver(() => this.resize()).observe(this.element);
    if (scrubbed !== null) this.setUpPointer(scrubbed);
  }

  setCurves(curves: Curve[]): void {
    this.curves = curves;
    this.y = this.log ? logRange(curves) : linearRange(curves);
    this.draw();
  }

  /** The same curves, grown: the axis stays as long as they fit it. */
  growCurves(curves: Curve[], cursor: number): void {
    const fitted = this.log ? logRange(curves) : linearRange(curves);
    const { low, high } = this.y;
    const fits = fitted.low >= low && fitted.high <= high && fitted.high - fitted.low >= (1 - EMPTY) * (high - low);
    if (!fits) this.y = fitted;
    this.curves = curves;
    this.cursor = cursor;
    this.draw();
  }

  setCursor(t: number): void {
    this.cursor = t;
    this.drawCursor();
  }

  draw(): void {
    if (this.width === 0) return;
    const c = clear(this.under, this.width, this.height);
    this.drawAxes(c);
    c.save();
    c.beginPath();
    c.rect(LEFT, TOP - 2, this.width - LEFT - RIGHT, this.height - TOP - BOTTOM + 4);
    c.clip();
    c.lineWidth = 1.5;
    c.lineJoin = "round";
    c.lineCap = "round";
    for (const curve of this.curves) this.drawCurve(c, curve);
    c.restore();
    if (this.log && this.curves.length > 0 && this.curves.every(isZero)) this.drawNote(c, "zero throughout");
    this.drawCursor();
  }

  /** The moment that is so many pixels from the left. */
  timeAt(x: number): number {
    const s = (x - LEFT) / Math.max(this.width - LEFT - RIGHT, 1);
    return this.t.low + Math.min(Math.max(s, 0), 1) * (this.t.high - this.t.low);
  }

  private atX(t: number): number {
    const span = this.t.high - this.t.low || 1;
    return LEFT + ((t - this.t.low) / span) * (this.width - LEFT - RIGHT);
  }

  /** Where a value stands; NaN: nowhere. */
  private atY(value: number): number {
    const v = this.log ? Math.max(Math.log10(Math.abs(value)), this.y.low - 1) : value;
    return TOP + ((this.y.high - v) / (this.y.high - this.y.low)) * (this.height - TOP - BOTTOM);
  }

  private drawAxes(c: CanvasRenderingContext2D): void {
    const room = this.height - TOP - BOTTOM;
    const vertical: Ticks = (this.log ? logTicks : linearTicks)(this.y.low, this.y.high, room / 28);
    const across = linearTicks(this.t.low, this.t.high, (this.width - LEFT - RIGHT) / 70);
    c.font = "11px system-ui, sans-serif";
    c.lineWidth = 1;
    c.strokeStyle = styleColour("--rule");
    c.fillStyle = styleColour("--quiet");

    c.textAlign = "right";
    c.textBaseline = "middle";
    for (const { value, label } of vertical.ticks) {
      const y = Math.round(TOP + ((this.y.high - value) / (this.y.high - this.y.low)) * room) + 0.5;
      if (label !== "") strokeLine(c, LEFT, y, this.width - RIGHT, y);
      c.fillText(label, LEFT - 7, y);
    }
    c.textAlign = "center";
    c.textBaseline = "top";
    for (const { value, label } of across.ticks) {
      const x = Math.round(this.atX(value)) + 0.5;
      strokeLine(c, x, TOP, x, TOP + room + 4);
      // the last one carries the unit of all
      const unit = value === across.ticks[across.ticks.length - 1].value ? " s" : "";
      c.textAlign = x > this.width - RIGHT - 14 ? "right" : "center";
      c.fillText(label + unit, c.textAlign === "right" ? this.width - 2 : x, TOP + room + 6);
    }
    if (vertical.offset !== "") {
      c.textAlign = "left";
      c.fillText(vertical.offset, LEFT + 4, TOP - 9);
    }
  }

  /** Of all values in one column of pixels the first, the least, the greatest and the last are drawn: no peak is lost. */
  private drawCurve(c: CanvasRenderingContext2D, { times, values, count, colour, dash }: Curve): void {
    c.strokeStyle = colour;
    c.setLineDash(dash ?? []);
    c.beginPath();
    let open = false;
    let i = 0;
    while (i < count) {
      const x = this.atX(times[i]);
      const column = Math.floor(x);
      let [low, high, last] = [i, i, i];
      while (last + 1 < count && Math.floor(this.atX(times[last + 1])) === column && !Number.isNaN(values[last + 1])) {
        last++;
        if (values[last] < values[low]) low = last;
        if (values[last] > values[high]) high = last;
      }
      if (Number.isNaN(values[i])) {
        open = false;
      } else {
        for (const k of new Set([i, Math.min(low, high), Math.max(low, high), last])) {
          const [px, py] = [this.atX(times[k]), this.atY(values[k])];
          if (!open) c.moveTo(px - 0.01, py); // one alone is a dot
          c.lineTo(px, py);
          open = true;
        }
      }
      i = last + 1;
    }
    c.stroke();
  }

  private drawNote(c: CanvasRenderingContext2D, note: string): void {
    c.fillStyle = styleColour("--quiet");
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.fillText(note, (LEFT + this.width - RIGHT) / 2, (TOP + this.height - BOTTOM) / 2);
  }

  private drawCursor(): void {
    if (this.width === 0) return;
    const c = clear(this.over, this.width, this.height);
    const x = this.atX(this.cursor);
    c.strokeStyle = styleColour("--accent");
    c.lineWidth = 1;
    strokeLine(c, x, TOP - 2, x, this.height - BOTTOM);
    c.lineWidth = 2;
    c.strokeStyle = styleColour("--panel");
    for (const curve of this.curves) {
      const y = this.atY(valueAt(curve, this.cursor));
      if (!(y >= TOP - 3 && y <= this.height - BOTTOM + 3)) continue;
      c.fillStyle = curve.colour;
      c.beginPath();
      c.arc(x, y, 4, 0, 2 * Math.PI);
      c.fill();
      c.stroke();
    }
  }

  private resize(): void {
    this.width = this.element.clientWidth;
    this.height = this.element.clientHeight;
    for (const canvas of [this.under, this.over]) {
      canvas.width = Math.round(this.width * devicePixelRatio);
      canvas.height = Math.round(this.height * devicePixelRatio);
    }
    this.draw();
  }

  private setUpPointer(scrubbed: (t: number) => void): void {
    this.over.classList.add("scrubs");
    const scrub = (e: PointerEvent): void => scrubbed(this.timeAt(e.offsetX));
    this.over.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      this.over.setPointerCapture(e.pointerId);
      scrub(e);
    });
    this.over.addEventListener("pointermove", (e) => {
      if (this.over.hasPointerCapture(e.pointerId)) scrub(e);
    });
  }
}

function clear(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const c = canvas.getContext("2d")!;
  c.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  c.clearRect(0, 0, width, height);
  return c;
}

function strokeLine(c: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  c.beginPath();
  c.moveTo(x0, y0);
  c.lineTo(x1, y1);
  c.stroke();
}

/** On the line between two samples. NaN where there is none. */
export function valueAt({ times, values, count, ended }: Omit<Curve, "colour">, t: number): number {
  if (count === 0 || (ended === true && times[count - 1] < t * (1 - NOISE))) return NaN;
  let [low, high] = [0, count - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  const next = Math.min(low + 1, count - 1);
  const span = times[next] - times[low];
  const s = span > 0 ? Math.min(Math.max((t - times[low]) / span, 0), 1) : 0;
  return s === 0 ? values[low] : values[low] + s * (values[next] - values[low]);
}

function isZero({ values, count }: Curve): boolean {
  return values.subarray(0, count).every((v) => v === 0);
}

function linearRange(curves: Curve[]): Range {
  let [low, high] = [Infinity, -Infinity];
  for (const { values, count } of curves) {
    for (let i = 0; i < count; i++) {
      if (!Number.isFinite(values[i])) continue;
      if (values[i] < low) low = values[i];
      if (values[i] > high) high = values[i];
    }
  }
  if (low > high) return { low: 0, high: 1 };
  // what is constant lies in the middle
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= NOISE * size) {
    const half = size > 0 ? 0.1 * size : 1;
    return { low: (low + high) / 2 - half, high: (low + high) / 2 + half };
  }
  const free = FREE * (high - low);
  return { low: low - free, high: high + free };
}

function logRange(curves: Curve[]): Range {
  let [low, high] = [Infinity, 0];
  for (const { values, count } of curves) {
    for (let i = 0; i < count; i++) {
      const v = Math.abs(values[i]);
      if (!(v > 0) || !Number.isFinite(v)) continue;
      if (v < low) low = v;
      if (v > high) high = v;
    }
  }
  if (high === 0) return { low: -16, high: -10 };
  const top = Math.ceil(Math.log10(high) + 0.05);
  const bottom = Math.max(Math.floor(Math.log10(low)), top - DECADES);
  return { low: Math.min(bottom, top - 2), high: top };
}
