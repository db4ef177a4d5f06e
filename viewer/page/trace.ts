// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Data of the curves of a live page: the last seconds of each series.

import type { Series } from "./data";
import type { Range } from "./plot";
import type { Times } from "./plots";

/** Largest number of samples of each series. If a window has more, every other sample of its older half is removed. */
const MOST = 8192;

export class Trace implements Times {
  readonly range = { low: 0, high: 1 };
  readonly series: Series[];
  window = 10; // s
  chosen: Range | null = null;
  zoomed?: () => void;
  private readonly all = new Float64Array(MOST);
  private readonly columns: Float32Array[];
  private count = 0;
  private from = 0; // first sample in the window

  constructor(series: Omit<Series, "values">[]) {
    this.columns = series.map(() => new Float32Array(MOST));
    const inWindow = (i: number): Float32Array => this.columns[i].subarray(this.from, this.count);
    this.series = series.map((s, i) => ({
      ...s,
      get values() {
        return inWindow(i);
      },
    }));
  }

  get times(): Float64Array {
    return this.all.subarray(this.from, this.count);
  }

  /** The times of all stored samples, including those before the window. */
  get kept(): Float64Array {
    return this.all.subarray(0, this.count);
  }

  get end(): number {
    return this.count > 0 ? this.all[this.count - 1] : 0;
  }

  /** Adds one value of each series. Removes later samples, because the simulation has returned to an earlier time. */
  add(t: number, values: ArrayLike<number>): void {
    while (this.count > 0 && this.end >= t) this.count--;
    if (this.count === MOST) this.makeRoom();
    this.all[this.count] = t;
    for (let i = 0; i < this.columns.length; i++) this.columns[i][this.count] = values[i];
    this.count++;
  }

  /** Shows this range of the stored samples, which then does not move; null: the last seconds again. */
  zoom(range: Range | null): void {
    this.chosen = range;
    this.zoomed?.();
  }

  /** Updates the window, which ends at the last sample or is not full yet. */
  settle(): void {
    const { all, count, window, chosen } = this;
    const start = count > 0 ? all[0] : 0;
    this.range.low = chosen?.low ?? Math.max(start, this.end - window);
    this.range.high = chosen?.high ?? this.range.low + window;
    let [low, high] = [0, count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (all[middle] < this.range.low) low = middle + 1;
      else high = middle;
    }
    this.from = Math.max(low - 1, 0);
  }

  private makeRoom(): void {
    this.settle();
    const outside = this.from >= MOST / 4;
    // samples that stay: those in the window, or every other one of the older half
    const stays = outside ? (i: number) => i >= this.from : (i: number) => i >= MOST / 2 || i % 2 === 0;
    let kept = 0;
    for (let i = 0; i < this.count; i++) {
      if (!stays(i)) continue;
      this.all[kept] = this.all[i];
      for (const column of this.columns) column[kept] = column[i];
      kept++;
    }
    this.count = kept;
    this.settle();
  }
}
