// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// A diagram over time: curves on one canvas, and the cursor, which moves more often, on a second one above it.

import { make } from "./dom";
import { format, linearTicks, logTicks } from "./number";
import type { Ticks } from "./number";
import { styleColour } from "./theme";

export interface Curve {
  times: ArrayLike<number>;
  values: Float32Array;
  count: number;
  colour: string;
  dash?: number[]; // dash pattern, pixels; missing: solid
  ended?: boolean; // true: no value after its last sample; false: the last value is held
  unit?: string; // curves of different units have axes of their own
  name?: string; // name shown at the mouse
}

/** Events of the mouse, besides moving the cursor. */
export interface PlotEvents {
  zoomed?(low: number, high: number): void; // s: a range was selected
  unzoomed?(): void;
}

interface Axis {
  unit: string;
  y: Range;
}

/** Margins, pixels: the same for all diagrams, so that their times are aligned. */
const LEFT = 54;
const RIGHT = 12;
const TOP = 14;
const BOTTOM = 20;
/** A logarithmic axis shows at most this many decades. */
const DECADES = 14;
/** Values that differ by less than this fraction of their size are equal in float32 up to noise. */
const NOISE = 1e-6;
/** Fraction of the height that stays free above and below. */
const FREE = 0.06;
/** Fraction of the height that may stay empty before the axis is fitted again to growing curves. */
const EMPTY = 0.55;
/** Width of each further axis on the right, pixels; further units share the last axis. */
const AXIS = 48;
const MOST_AXES = 3;
/** Least width of a selected range, pixels; fraction of the time range that remains after one turn of the wheel with Ctrl or Alt. */
const NARROWEST = 6;
const WHEEL = 0.8;
/** Largest number of curves listed at the mouse. */
const MOST_SAID = 12;

export interface Range {
  low: number;
  high: number;
}

export class Plot {
  readonly element = make("div", { class: "plot" });
  private readonly under = make("canvas");
  private readonly over = make("canvas");
  private readonly line = make("i", { class: "cursor" });
  private readonly tip = make("div", { class: "tip", hidden: "" });
  private readonly choice = make("i", { class: "choice", hidden: "" });
  private curves: Curve[] = [];
  private cursor = 0;
  private axes: Axis[] = [{ unit: "", y: { low: 0, high: 1 } }];
  private width = 0;
  private height = 0;

  constructor(
    private readonly log: boolean,
    private readonly t: Range, // its contents may change
    scrubbed: ((t: number) => void) | null,
    private readonly events: PlotEvents = {},
  ) {
    this.element.append(this.under, this.over, this.line, this.choice, this.tip);
    new ResizeObserver(() => this.resize()).observe(this.element);
    if (scrubbed !== null) this.setUpPointer(scrubbed);
    if (events.zoomed !== undefined) this.setUpZoom();
  }

  setCurves(curves: Curve[]): void {
    this.curves = curves;
    this.axes = this.fitAxes();
    this.draw();
  }

  /** Returns the units of the axes, from the left. */
  get units(): string[] {
    return this.axes.map((a) => a.unit);
  }

  private fitAxes(): Axis[] {
    const units = [...new Set(this.curves.map((c) => c.unit ?? ""))];
    const of = units.slice(0, MOST_AXES);
    if (of.length === 0) of.push("");
    // further units share the last axis
    const share = (c: Curve): string => (of.includes(c.unit ?? "") ? (c.unit ?? "") : of[of.length - 1]);
    return of.map((unit) => {
      const own = this.curves.filter((c) => share(c) === unit);
      return { unit, y: this.log ? logRange(own) : linearRange(own, this.t) };
    });
  }

  private axisOf(curve: Curve): Range {
    return (this.axes.find((a) => a.unit === (curve.unit ?? "")) ?? this.axes[this.axes.length - 1]).y;
  }

  private get right(): number {
    return this.width - RIGHT - AXIS * (this.axes.length - 1);
  }

  /** Shows the same curves after they have grown. The axis is unchanged while they fit it. */
  growCurves(curves: Curve[], cursor: number): void {
    this.curves = curves;
    const before = this.axes;
    this.axes = this.fitAxes().map((axis, i) => {
      const { low, high } = before[i]?.y ?? axis.y;
      const fits = axis.y.low >= low && axis.y.high <= high && axis.y.high - axis.y.low >= (1 - EMPTY) * (high - low);
      return fits && before[i]?.unit === axis.unit ? before[i] : axis;
    });
    this.cursor = cursor;
    this.draw();
  }

  /** Moves the cursor. moving: while playing only the line moves, which is cheap. */
  setCursor(t: number, moving = false): void {
    this.cursor = t;
    if (!moving) this.drawCursor();
    else {
      if (this.dotted) clear(this.over, this.width, this.height);
      this.dotted = false;
      this.placeLine();
    }
  }

  private placeLine(): void {
    const x = this.atX(this.cursor);
    this.line.hidden = !(x >= LEFT - 1 && x <= this.right + 1);
    this.line.style.transform = `translateX(${x.toFixed(1)}px)`;
  }

  draw(): void {
    if (this.width === 0) return;
    const c = clear(this.under, this.width, this.height);
    this.drawAxes(c);
    c.save();
    c.beginPath();
    c.rect(LEFT, TOP - 2, this.right - LEFT, this.height - TOP - BOTTOM + 4);
    c.clip();
    c.lineWidth = 1.5;
    c.lineJoin = "round";
    c.lineCap = "round";
    for (const curve of this.curves) this.drawCurve(c, curve);
    c.restore();
    if (this.log && this.curves.length > 0 && this.curves.every(isZero)) this.drawNote(c, "zero throughout");
    this.drawCursor();
  }

  /** Returns the time at this many pixels from the left. */
  timeAt(x: number): number {
    const s = (x - LEFT) / Math.max(this.right - LEFT, 1);
    return this.t.low + Math.min(Math.max(s, 0), 1) * (this.t.high - this.t.low);
  }

  private atX(t: number): number {
    const span = this.t.high - this.t.low || 1;
    return LEFT + ((t - this.t.low) / span) * (this.right - LEFT);
  }

  /** Returns the height of a value; NaN: it is not shown. */
  private atY(value: number, y: Range): number {
    const v = this.log ? Math.max(Math.log10(Math.abs(value)), y.low - 1) : value;
    return TOP + ((y.high - v) / (y.high - y.low)) * (this.height - TOP - BOTTOM);
  }

  private drawAxes(c: CanvasRenderingContext2D): void {
    const room = this.height - TOP - BOTTOM;
    const across = linearTicks(this.t.low, this.t.high, (this.right - LEFT) / 70);
    c.font = "11px system-ui, sans-serif";
    c.lineWidth = 1;
    c.strokeStyle = styleColour("--rule");
    c.fillStyle = styleColour("--quiet");
    this.axes.forEach((axis, i) => this.drawAxis(c, axis, i, room));
    c.fillStyle = styleColour("--quiet");
    c.textBaseline = "top";
    for (const { value, label } of across.ticks) {
      const x = Math.round(this.atX(value)) + 0.5;
      strokeLine(c, x, TOP, x, TOP + room + 4);
      // the last label includes the unit
      const unit = value === across.ticks[across.ticks.length - 1].value ? " s" : "";
      c.textAlign = x > this.width - RIGHT - 14 ? "right" : "center";
      c.fillText(label + unit, c.textAlign === "right" ? this.width - 2 : x, TOP + room + 6);
    }
  }

  /** Draws an axis: the first on the left, with grid lines; others on the right, in the colour of their first curve. */
  private drawAxis(c: CanvasRenderingContext2D, { y: { low, high }, unit }: Axis, index: number, room: number): void {
    const { ticks, offset }: Ticks = (this.log ? logTicks : linearTicks)(low, high, room / 28);
    const x = index === 0 ? LEFT - 7 : this.right + AXIS * (index - 1) + 6;
    const many = this.axes.length > 1;
    c.fillStyle = many ? (this.curves.find((k) => (k.unit ?? "") === unit)?.colour ?? styleColour("--quiet")) : styleColour("--quiet");
    c.textAlign = index === 0 ? "right" : "left";
    c.textBaseline = "middle";
    for (const { value, label } of ticks) {
      const y = Math.round(TOP + ((high - value) / (high - low)) * room) + 0.5;
      if (label !== "" && index === 0) strokeLine(c, LEFT, y, this.right, y);
      c.fillText(label, x, y);
    }
    const said = [many ? unit : "", offset].filter((text) => text !== "").join(" ");
    c.textAlign = "left";
    if (said !== "") c.fillText(said, index === 0 ? LEFT + 4 : x - 2, TOP - 6);
  }

  /** Draws a curve. In each column of pixels the first, the least, the greatest and the last value are drawn, so that no peak is lost. */
  private drawCurve(c: CanvasRenderingContext2D, curve: Curve): void {
    const { times, values, count, colour, dash } = curve;
    const axis = this.axisOf(curve);
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
          const [px, py] = [this.atX(times[k]), this.atY(values[k], axis)];
          if (!open) c.moveTo(px - 0.01, py); // a single point appears as a dot
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
    c.fillText(note, (LEFT + this.right) / 2, (TOP + this.height - BOTTOM) / 2);
  }

  private drawCursor(): void {
    if (this.width === 0) return;
    this.placeLine();
    this.drawDots(this.cursor);
  }

  private dotted = false;

  private drawDots(t: number): void {
    const c = clear(this.over, this.width, this.height);
    this.dotted = true;
    const x = this.atX(t);
    if (x < LEFT - 3 || x > this.right + 3) return;
    c.lineWidth = 2;
    c.strokeStyle = styleColour("--panel");
    for (const curve of this.curves) {
      const y = this.atY(valueAt(curve, t), this.axisOf(curve));
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
      if (e.button !== 0 || (e.shiftKey && this.events.zoomed !== undefined)) return;
      this.over.setPointerCapture(e.pointerId);
      scrub(e);
    });
    this.over.addEventListener("pointermove", (e) => {
      if (this.over.hasPointerCapture(e.pointerId) && this.from === null) scrub(e);
    });
  }

  private from: number | null = null; // pixels: start of the selected range

  /** Sets up zooming: dragging with Shift selects a range, the wheel with Ctrl or Alt zooms, a double click shows everything; hovering
   * shows values. */
  private setUpZoom(): void {
    const { over, choice, events } = this;
    const show = (x: number): void => {
      const [a, b] = [Math.min(x, this.from!), Math.max(x, this.from!)].map((v) => Math.min(Math.max(v, LEFT), this.right));
      Object.assign(choice.style, { left: `${a}px`, width: `${b - a}px` });
    };
    over.addEventListener("pointerdown", (e) => {
      if (e.button !== 0 || !e.shiftKey) return;
      over.setPointerCapture(e.pointerId);
      this.from = e.offsetX;
      choice.hidden = false;
      show(e.offsetX);
    });
    over.addEventListener("pointermove", (e) => {
      if (this.from !== null) show(e.offsetX);
      else if (e.buttons === 0) this.sayValues(e.offsetX);
    });
    over.addEventListener("pointerup", (e) => {
      if (this.from === null) return;
      const [a, b] = [Math.min(e.offsetX, this.from), Math.max(e.offsetX, this.from)];
      this.from = null;
      choice.hidden = true;
      if (b - a >= NARROWEST) events.zoomed?.(this.timeAt(a), this.timeAt(b));
    });
    over.addEventListener("pointerleave", () => this.sayNothing());
    over.addEventListener("dblclick", () => events.unzoomed?.());
    over.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.altKey) return;
      e.preventDefault();
      const [t, by] = [this.timeAt(e.offsetX), e.deltaY < 0 ? WHEEL : 1 / WHEEL];
      events.zoomed?.(t + by * (this.t.low - t), t + by * (this.t.high - t));
    }, { passive: false });
  }

  private sayNothing(): void {
    if (this.tip.hidden) return;
    this.tip.hidden = true;
    this.drawCursor();
  }

  private sayValues(x: number): void {
    if (this.curves.length === 0 || x < LEFT || x > this.right) return this.sayNothing();
    const t = this.timeAt(x);
    const lines = this.curves.slice(0, MOST_SAID).map((curve) => {
      const swatch = make("i");
      swatch.style.background = curve.colour;
      return make("div", {}, swatch, `${curve.name ?? ""} `, make("b", {}, format(valueAt(curve, t), 5)), curve.unit ? ` ${curve.unit}` : "");
    });
    if (this.curves.length > MOST_SAID) lines.push(make("div", {}, `and ${this.curves.length - MOST_SAID} more`));
    this.tip.replaceChildren(make("div", { class: "when" }, `t = ${format(t, 5)} s`), ...lines);
    this.tip.hidden = false;
    const wide = this.tip.offsetWidth;
    this.tip.style.transform = `translate(${x + 14 + wide > this.width ? x - 14 - wide : x + 14}px, 4px)`;
    this.drawDots(t);
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

/** Returns the value at t, interpolated linearly between samples. NaN if there is none. */
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

/** Returns the range of the values in a time range. */
export function linearRange(curves: Curve[], t: Range = { low: -Infinity, high: Infinity }): Range {
  let [low, high] = [Infinity, -Infinity];
  for (const { times, values, count } of curves) {
    for (let i = 0; i < count; i++) {
      if (!Number.isFinite(values[i]) || times[i] < t.low || times[i] > t.high) continue;
      if (values[i] < low) low = values[i];
      if (values[i] > high) high = values[i];
    }
  }
  if (low > high) return { low: 0, high: 1 };
  // a constant is placed in the middle
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= NOISE * size) {
    const half = size > 0 ? 0.1 * size : 1;
    return { low: (low + high) / 2 - half, high: (low + high) / 2 + half };
  }
  const free = FREE * (high - low);
  return { low: low - free, high: high + free };
}

export function logRange(curves: Curve[]): Range {
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
