// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The quality of the picture. It is full if the browser keeps up. Otherwise, or without a graphics card, it is reduced while bodies move.
// A picture at rest is drawn once in full quality.

/** Levels of quality, in the order of reduction. pixels: largest number of drawn pixels per pixel of the page. */
const LEVELS = [
  { full: true, pixels: 2, without: "nothing" },
  { full: false, pixels: 2, without: "shadows" },
  { full: false, pixels: 1, without: "shadows, fine pixels" },
  { full: false, pixels: 0.7, without: "shadows, fine pixels, pixels" },
  { full: false, pixels: 0.5, without: "shadows, fine pixels, more pixels" },
];
const SOFTWARE = 2;
/** s: longer frames are slow (less than 30 per second). Without a graphics card the limit is lower, because other programs need the
 * processor, too. Much longer frames are ignored, because the page was asleep. */
const SLOW = { card: 0.036, software: 0.027 };
const ASLEEP = 2;
/** Quality is reduced when slow frames exceed fast ones by this number; below, the largest weight of a slow frame and the weight of a
 * fast one. Screens show 60 frames per second or skip some; if they skip one of five, 50 remain. */
const PATIENCE = 15;
const MOST = 5;
const FAST = { card: 1, software: 0.3 };
/** The picture is at rest after this many frames and s without a change. */
const REST_FRAMES = 4;
const REST = 0.3;

/** Returns whether there is a graphics card, from the name of the renderer. */
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
  pixels = 2; // largest number per pixel of the page
  private level = this.fast ? 0 : SOFTWARE;
  private readonly slowest = this.fast ? SLOW.card : SLOW.software;
  private readonly good = this.fast ? FAST.card : FAST.software;
  private slow = 0;
  private quiet = Infinity; // frames since the last change
  private changed = -Infinity; // s: time of the last change

  /** The reductions of quality while bodies move, for tests. */
  get without(): string {
    return LEVELS[this.level].without;
  }

  /** Begins a frame. changed: something in it has changed. lasted: s since the last frame while playing, else 0. Returns whether it must
   * be drawn. */
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

  /** Draws the next picture in full quality, even if bodies move. */
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
