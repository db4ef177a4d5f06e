// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// A diagram of points on two logarithmic axes, connected by lines, with a text for each point.

import { make } from "./dom";
import { compact, powerOfTen } from "./number";

export interface XyPoint<T> {
  x: number;
  y: number;
  says: string[]; // lines of text, the first of them a heading
  of: T;
}

export interface XyLine<T> {
  colour: string;
  points: XyPoint<T>[];
}

interface XyOptions<T> {
  xName: string;
  yName: string;
  ticks?: number[]; // ticks of x; missing: powers of ten
  orders?: number[]; // slopes for comparison
  pointed: (of: T | null) => void;
}

interface Range {
  low: number; // logarithms to the base ten
  high: number;
}

const LEFT = 56;
const RIGHT = 14;
const TOP = 22;
const BOTTOM = 40;
/** Fraction of the range that stays free on each side. */
const FREE = 0.07;
/** Pixels: largest distance at which the pointer selects a point. */
const REACH = 36;
const RADIUS = 4;
const SVG = "http://www.w3.org/2000/svg";

type Attributes = Record<string, string | number>;

function draw(parent: Element, tag: string, attributes: Attributes, text = ""): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.textContent = text;
  parent.append(element);
  return element;
}

export class XyPlot<T> {
  readonly element = make("div", { class: "xy" });
  private readonly svg = document.createElementNS(SVG, "svg");
  private readonly tip = make("div", { class: "tip", hidden: "" });
  private lines: XyLine<T>[] = [];
  private chosen: T | null = null;
  private x: Range = { low: 0, high: 1 };
  private y: Range = { low: 0, high: 1 };
  private width = 0;
  private height = 0;

  constructor(private readonly options: XyOptions<T>) {
    this.svg.setAttribute("role", "img");
    this.svg.setAttribute("aria-label", `${options.yName} over ${options.xName}`);
    this.element.append(this.svg, this.tip);
    new ResizeObserver(() => this.resize()).observe(this.element);
    const look = (e: PointerEvent): void => this.pointAt(e.offsetX, e.offsetY);
    this.svg.addEventListener("pointermove", look);
    this.svg.addEventListener("pointerdown", look);
    this.svg.addEventListener("pointerleave", (e) => {
      if (e.pointerType === "mouse") this.pointAt(-1000, -1000);
    });
  }

  /** Sets the lines. Points that are not positive are omitted. */
  setLines(lines: XyLine<T>[]): void {
    this.lines = lines.map((l) => ({ ...l, points: l.points.filter((p) => p.x > 0 && p.y > 0 && Number.isFinite(p.x * p.y)) }));
    const points = this.lines.flatMap((l) => l.points);
    this.x = rangeOf(points.map((p) => p.x));
    this.y = rangeOf(points.map((p) => p.y));
    this.draw();
  }

  /** Highlights a point and its line. */
  choose(of: T | null): void {
    if (of === this.chosen) return;
    this.chosen = of;
    this.draw();
  }

  private resize(): void {
    this.width = this.element.clientWidth;
    this.height = this.element.clientHeight;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.draw();
  }

  private atX(x: number): number {
    return LEFT + ((Math.log10(x) - this.x.low) / (this.x.high - this.x.low)) * (this.width - LEFT - RIGHT);
  }

  private atY(y: number): number {
    return TOP + ((this.y.high - Math.log10(y)) / (this.y.high - this.y.low)) * (this.height - TOP - BOTTOM);
  }

  private draw(): void {
    if (this.width === 0) return;
    this.svg.replaceChildren();
    if (this.lines.every((l) => l.points.length === 0)) return;
    this.drawAxes();
    this.drawOrders();
    for (const line of this.lines) this.drawLine(line);
  }

  private drawAxes(): void {
    const [right, bottom] = [this.width - RIGHT, this.height - BOTTOM];
    let free = -Infinity; // end of the space used by labels
    for (const { value, label } of this.options.ticks?.map((value) => ({ value, label: compact(value, 3) })) ?? ticksOf(this.x, (right - LEFT) / 46)) {
      const x = this.atX(value);
      if (x < LEFT - 1 || x > right + 1) continue;
      draw(this.svg, "line", { x1: x, y1: TOP, x2: x, y2: bottom + 4, class: "rule" });
      const half = 3.2 * label.length + 4;
      if (label === "" || x - half < free) continue;
      draw(this.svg, "text", { x, y: bottom + 16, class: "across" }, label);
      free = x + half;
    }
    for (const { value, label } of ticksOf(this.y, (bottom - TOP) / 26)) {
      const y = this.atY(value);
      if (label === "") continue;
      draw(this.svg, "line", { x1: LEFT, y1: y, x2: right, y2: y, class: "rule" });
      draw(this.svg, "text", { x: LEFT - 7, y, class: "up" }, label);
    }
    draw(this.svg, "text", { x: right, y: this.height - 6, class: "axis end" }, this.options.xName);
    draw(this.svg, "text", { x: 8, y: 12, class: "axis" }, this.options.yName);
  }

  /** Draws lines with the slopes of orders, through the largest error of the longest step. */
  private drawOrders(): void {
    const { low, high } = this.x;
    const points = this.lines.flatMap((l) => l.points);
    const [from, top] = [Math.log10(Math.max(...points.map((p) => p.x))), Math.log10(Math.max(...points.map((p) => p.y)))];
    let below = -Infinity; // end of the space used by labels on the left
    for (const order of this.options.orders ?? []) {
      const bottom = top - order * (from - low);
      const end = bottom < this.y.low ? { x: from - (top - this.y.low) / order, y: this.y.low } : { x: low, y: bottom };
      const begin = { x: Math.min(from + (this.y.high - top) / order, high), y: 0 };
      begin.y = top + order * (begin.x - from);
      const [x1, y1, x2, y2] = [this.atX(10 ** begin.x), this.atY(10 ** begin.y), this.atX(10 ** end.x), this.atY(10 ** end.y)];
      draw(this.svg, "line", { x1, y1, x2, y2, class: "order" });
      // just below the place where it leaves the frame
      const [x, y] = bottom < this.y.low ? [x2 + 8, y2 - 5] : [x2 + 3, y2 + 11];
      if (bottom >= this.y.low && y < below + 11) continue;
      draw(this.svg, "text", { x, y, class: "slope" }, `order ${order}`);
      below = y;
    }
  }

  private drawLine({ colour, points }: XyLine<T>): void {
    if (points.length === 0) return;
    const has = points.some((p) => p.of === this.chosen);
    const group = draw(this.svg, "g", { class: this.chosen === null || has ? "line" : "line other" });
    group.style.color = colour;
    const path = points.map((p, i) => `${i === 0 ? "M" : "L"}${this.atX(p.x).toFixed(1)} ${this.atY(p.y).toFixed(1)}`).join("");
    draw(group, "path", { d: path });
    for (const p of points) draw(group, "circle", { cx: this.atX(p.x), cy: this.atY(p.y), r: p.of === this.chosen ? RADIUS + 2 : RADIUS });
  }

  private pointAt(x: number, y: number): void {
    let nearest: XyPoint<T> | null = null;
    let least = REACH;
    for (const p of this.lines.flatMap((l) => l.points)) {
      const d = Math.hypot(this.atX(p.x) - x, this.atY(p.y) - y);
      if (d < least) [nearest, least] = [p, d];
    }
    this.showTip(nearest);
    const of = nearest?.of ?? null;
    if (of === this.chosen) return;
    this.choose(of);
    this.options.pointed(of);
  }

  private showTip(point: XyPoint<T> | null): void {
    this.tip.hidden = point === null;
    if (point === null) return;
    const [head, ...rest] = point.says;
    this.tip.replaceChildren(make("b", {}, head), ...rest.map((line) => make("div", {}, line)));
    const [x, y] = [this.atX(point.x), this.atY(point.y)];
    const { offsetWidth, offsetHeight } = this.tip;
    const left = x + 14 + offsetWidth > this.width ? x - 14 - offsetWidth : x + 14;
    this.tip.style.left = `${Math.max(left, 0)}px`;
    this.tip.style.top = `${Math.min(Math.max(y - offsetHeight / 2, 0), this.height - offsetHeight)}px`;
  }
}

function rangeOf(values: number[]): Range {
  if (values.length === 0) return { low: 0, high: 1 };
  const [low, high] = [Math.log10(Math.min(...values)), Math.log10(Math.max(...values))];
  const free = Math.max(FREE * (high - low), 0.08);
  return { low: low - free, high: high + free };
}

/** Returns ticks at powers of ten and, if these are few, at two and five times these. */
function ticksOf({ low, high }: Range, most: number): { value: number; label: string }[] {
  const every = Math.max(1, Math.ceil((high - low) / Math.max(most, 1)));
  const between = high - low < 2 ? [1, 2, 5] : [1];
  const ticks = [];
  for (let e = Math.floor(low); e <= Math.ceil(high); e++) {
    for (const m of between) {
      const value = Number(`${m}e${e}`);
      if (Math.log10(value) < low || Math.log10(value) > high) continue;
      const label = e % every !== 0 ? "" : between.length > 1 || Math.abs(e) < 2 ? compact(value, 2) : powerOfTen(e);
      ticks.push({ value, label });
    }
  }
  return ticks;
}
