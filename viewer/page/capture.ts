// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Saves a picture of the view, or a film of numbered pictures in a ZIP, which ffmpeg and others convert to a video.

import { downloadBlob, find, setPressed, setText } from "./dom";
import { fileName } from "./plots";
import type { Stage } from "./stage";
import { Zip } from "./zip";

/** Pictures per second of a film, and its largest number of pictures. */
export const FILM_RATE = 25;
const MOST = 1500;

export class Capture {
  private zip: Zip | null = null;
  private busy = false;

  /** begun: called when a film begins; ended: called when it ends. */
  constructor(
    private readonly stage: () => Stage | null,
    private readonly title: () => string,
    private readonly events: { begun(): void; ended(): void },
  ) {
    find("shot").addEventListener("click", () => void this.shoot());
    find("film").addEventListener("click", () => this.toggle());
  }

  get filming(): boolean {
    return this.zip !== null;
  }

  get count(): number {
    return this.zip?.count ?? 0;
  }

  async shoot(): Promise<void> {
    const picture = await this.stage()?.picture();
    if (picture) downloadBlob(`${fileName(this.title())}.png`, picture);
  }

  toggle(): void {
    if (this.zip !== null) {
      this.finish();
      return;
    }
    this.zip = new Zip();
    this.show();
    this.events.begun();
  }

  /** Adds the present view to the film. Returns whether there is room for more. Calls while a picture is being made are ignored. */
  async take(): Promise<boolean> {
    const { zip } = this;
    const stage = this.stage();
    if (zip === null || stage === null || this.busy) return zip !== null;
    this.busy = true;
    const picture = await stage.picture();
    const bytes = picture === null ? null : new Uint8Array(await picture.arrayBuffer());
    this.busy = false;
    if (this.zip !== zip || bytes === null) return false;
    zip.add(`frame-${String(zip.count).padStart(5, "0")}.png`, bytes);
    this.show();
    if (zip.count >= MOST) this.finish();
    return this.zip !== null;
  }

  finish(): void {
    const { zip } = this;
    this.zip = null;
    this.show();
    this.events.ended();
    if (zip !== null && zip.count > 0) downloadBlob(`${fileName(this.title())}-frames.zip`, zip.finish());
  }

  private show(): void {
    setPressed(find("film"), this.filming);
    setText(find("film"), this.filming ? `Stop · ${this.count}` : "Film");
  }
}
