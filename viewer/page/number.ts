// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Formats numbers for people, and computes the ticks of axes.

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

export function powerOfTen(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((d) => RAISED[Number(d)]).join("");
  return `10${exponent < 0 ? "⁻" : ""}${digits}`;
}

function withTrueMinus(text: string): string {
  return text.replace("-", "−");
}

/** Inserts thin spaces between thousands, from five digits on. */
function grouped(text: string): string {
  const [whole, rest] = text.split(".");
  const spaced = whole.replace("-", "").length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u2009") : whole;
  return rest === undefined ? spaced : `${spaced}.${rest}`;
}

/** Returns v with this many digits, without trailing zeros. */
export function format(v: number, digits = 4): string {
  if (Number.isNaN(v)) return "–";
  if (!Number.isFinite(v)) return v > 0 ? "∞" : "−∞";
  if (v === 0) return "0";
  const size = Math.abs(v);
  if (Number.isInteger(v) && size < 1e9) return withTrueMinus(grouped(String(v)));
  if (size >= 1e-3 && size < 1e6) return withTrueMinus(grouped(String(Number(v.toPrecision(digits)))));
  const [mantissa, exponent] = v.toExponential(digits - 1).split("e");
  return withTrueMinus(`${Number(mantissa)}\u2009×\u2009${powerOfTen(Number(exponent))}`);
}

/** Returns v in few characters, for tables: 0.0125, 3.1e−7. */
export function compact(v: number, digits = 3): string {
  if (!Number.isFinite(v)) return format(v);
  const size = Math.abs(v);
  if (v === 0 || (size >= 1e-3 && size < 1e5)) return withTrueMinus(String(Number(v.toPrecision(digits))));
  const [mantissa, exponent] = v.toExponential(digits - 1).split("e");
  return `${withTrueMinus(String(Number(mantissa)))}e${withTrueMinus(String(Number(exponent)))}`;
}

/** Returns v with a fixed number of decimals, so that a changing value does not jump. */
export function fixed(v: number, decimals: number): string {
  return withTrueMinus(v.toFixed(decimals));
}

/** Returns 1, 2 or 5 times a power of ten, at least v. */
export function niceStep(v: number): number {
  const power = 10 ** Math.floor(Math.log10(v));
  const m = v / power;
  return (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10) * power;
}

export interface Tick {
  value: number;
  label: string; // empty: a small tick
}

export interface Ticks {
  ticks: Tick[];
  offset: string; // text to be added to the labels, empty if none
}

/** With more digits than this, labels are differences from an offset. */
const LONGEST_LABEL = 5;

export function linearTicks(low: number, high: number, most: number): Ticks {
  const step = niceStep((high - low) / Math.max(most, 1));
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const whole = Math.max(1, Math.floor(Math.log10(largest)) + 1);

  // labels too long: about zero use a power of ten, elsewhere differences from the first tick
  const long = whole + decimals > LONGEST_LABEL;
  const base = long && (low > 0 || high < 0) && step < 1e-2 * largest ? first * step : 0;
  const reach = base === 0 ? largest : (last - first) * step;
  const exponent = long ? Math.floor(Math.log10(Math.max(reach, step)) + 1e-9) : 0;
  const scale = 10 ** exponent;
  const labelDecimals = Math.max(0, -Math.floor(Math.log10(step / scale) + 1e-9));

  const ticks: Tick[] = [];
  for (let k = first; k <= last; k++) {
    const value = k * step;
    ticks.push({ value, label: fixed((value - base) / scale + 0, labelDecimals).replace(/^−(0(\.0*)?)$/, "$1") });
  }
  const factor = exponent !== 0 ? `×\u2009${powerOfTen(exponent)}` : "";
  const shift = base !== 0 ? `${base < 0 ? "−" : "+"}\u2009${fixed(Math.abs(base), Math.min(decimals, 9))}` : "";
  return { ticks, offset: [factor, shift].filter((s) => s !== "").join(" ") };
}

/** low and high are logarithms to the base ten. */
export function logTicks(low: number, high: number, most: number): Ticks {
  const every = Math.max(1, Math.ceil((high - low) / Math.max(most, 1)));
  const ticks: Tick[] = [];
  for (let e = Math.ceil(low - 1e-9); e <= high + 1e-9; e++) {
    ticks.push({ value: e, label: e % every === 0 ? (e === 0 ? "1" : e === 1 ? "10" : powerOfTen(e)) : "" });
  }
  return { ticks, offset: "" };
}
