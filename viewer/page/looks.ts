// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// How much goes into a picture. All of it where the browser keeps up; where it does not, or draws without a graphics card,
// something is given up while things move. What rests is drawn with all of it, once.

/** Given up one after the other; pixels: at most this many are drawn per pixel of the page. */
const LEVELS = [
  { full: true, pixels: 2, without: "nothing" },
  { full: false, pixels: 2, without: "shadows" },
  { full: false, pixels: 1, without: "shadows, fine pixels" },
  { full: false, pixels: 0.7, without: "shadows, fine pixels, pixels" },
  { full: false, pixels: 0.5, without: "shadows, fine pixels, more pixels" },
];
const SOFTWARE = 2;
/** s: a longer frame is a slow one, less than 30 per second; without a graphics card other programs take their share of the
 * processor too, so more is kept in hand. One that is much longer tells nothing: the page was asleep. */
const SLOW = { card: 0.036, software: 0.027 };
const ASLEEP = 2;
/** After this many more slow frames than fast ones something is given up; a slow one may count for this many, a fast one counts for so much:
 * screens show 60 frames per second or miss some, and with one of five missed there are 50. */
const PATIENCE = 15;
const MOST = 5;
const FAST = { card: 1, software: 0.3 };
/** What is seen rests when this many frames and s went by without a change. */
const REST_FRAMES = 4;
const REST = 0.3;

/** Whether there is a graphics card, by the name of what draws. */
function drawsFast(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (gl === null) return false;
  let name = String(gl.getParameter(gl.RENDERER));
  const tells = /WebKit/.test(name) ? gl.getExtension("WEBGL_debug_renderer_info") : null;
  if (tells !== null) name = String(gl.getParameter(tells.UNMASKED_RENDERER_WEBGL));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return !/swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

export class Looks {
  readonly fast = drawsFast();
  full = true; // with shadows and gloss
  pixels = 2; // at most, per pixel of the page
  private level = this.fast ? 0 : SOFTWARE;
  private readonly slowest = this.fast ? SLOW.card : SLOW.software;
  private readonly good = this.fast ? FAST.card : FAST.software;
  private slow = 0;
  private quiet = Infinity; // frames since the last change
  private changed = -Infinity; // s, when that was

  /** What is given up while things move, for tests. */
  get without(): string {
    return LEVELS[this.level].without;
  }

  /** A frame comes, in which something changed or not: whether it must be drawn. lasted: s since the last, while playing; else 0. */
  begin(changed: boolean, lasted: number): boolean {
    const now = performance.now() / 1000;
    this.count(lasted);
    const rests = lasted === 0 && this.quiet >= REST_FRAMES && now - this.changed >= REST;
    this.quiet++;
    if (changed) {
      this.quiet = 0;
      this.changed = now;
    } else if (!rests || !this.isSpared) {
      return false;
    }
    this.take(rests ? 0 : this.level);
    return true;
  }

  /** All of it in the next picture, whatever moves. */
  takeAll(): void {
    this.take(0);
  }

  private get isSpared(): boolean {
    return !this.full || this.pixels < LEVELS[0].pixels;
  }

  private take(level: number): void {
    ({ full: this.full, pixels: this.pixels } = LEVELS[level]);
  }

  private count(lasted: number): void {
    if (this.level === LEVELS.length - 1 || lasted === 0 || lasted > ASLEEP) return;
    this.slow = Math.max(0, this.slow + (lasted > this.slowest ? Math.min(lasted / this.slowest, MOST) : -this.good));
    if (this.slow < PATIENCE) return;
    this.slow = 0;
    this.level++;
  }
}
