// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The report page: replays a completed run.

import { makeHeadlines, makeTable, makeVerdict, valueOf } from "./accuracy";
import { Capture, FILM_RATE } from "./capture";
import { Clock } from "./clock";
import { csvOf } from "./csv";
import { POSE, readReport } from "./data";
import type { Report } from "./data";
import { download, find, make, setPressed, setText } from "./dom";
import type { Key } from "./keys";
import { fixed, format } from "./number";
import { makePanels } from "./plots";
import type { Panel } from "./plots";
import { Picker } from "./picker";
import type { Range } from "./plot";
import { counted, say, setUpKeys, SPEEDS, startShell } from "./shell";
import { Stage } from "./stage";
import { chooseTheme, onTheme, theme } from "./theme";
import { ViewTools } from "./viewtools";

class Page {
  private readonly clock: Clock;
  private readonly stage: Stage | null;
  private readonly own: Panel[];
  private readonly picker: Picker;
  private readonly poses: Float32Array;
  private readonly scrub = find<HTMLInputElement>("scrub");
  private readonly decimals: number; // of times
  private readonly tools: ViewTools;
  private readonly capture: Capture;
  private filmed = 0; // s: time of the next picture of the film
  private stale = true;

  constructor(private readonly report: Report) {
    const { scene, frames, series } = report;
    this.poses = new Float32Array(POSE * frames.bodies);
    this.clock = new Clock(frames.start, frames.end, () => (this.stale = true));
    this.decimals = Math.min(Math.max(Math.ceil(-Math.log10((frames.end - frames.start) / 1000 || 1)), 1), 4);
    this.tools = new ViewTools({ pathOf: (body) => this.pathOf(body), chosen: (_, names) => this.chosen(names) });
    this.stage = this.makeStage();
    this.tools.setScene(scene, this.stage);
    const seek = (t: number): void => this.clock.seek(t);
    const when = { times: frames.times, range: { low: frames.start, high: frames.end }, zoom: (range: Range | null) => this.zoom(when.range, range) };
    this.own = makePanels(series, when, seek);
    this.picker = new Picker(find("plots"), series, when, seek, () => (this.stale = true));
    find("curves-bar").append(this.picker.element);
    find("curves-bar").hidden = series.length === 0;
    find("plots").append(...this.own.map((p) => p.element));
    if (this.own.length === 0) find("plots").append(make("p", { class: "empty" }, "This run was written without curves."));

    this.capture = new Capture(() => this.stage, () => scene.name, { begun: () => void this.film(), ended: () => undefined });
    this.fillTexts();
    this.setUpTransport();
    this.setUpDownloads();
    this.listen();
    for (const trouble of report.troubles) say(trouble);
  }

  start(): void {
    const asked = new URLSearchParams(location.hash.slice(1));
    const shown = asked.get("theme");
    if (shown === "light" || shown === "dark") chooseTheme(shown);
    const t = Number(asked.get("t") ?? NaN);
    if (Number.isFinite(t)) this.clock.seek(t);
    else if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.clock.play();

    let before = performance.now();
    const tick = (now: number): void => {
      const lasted = Math.max(now - before, 0) / 1000;
      before = now;
      // a page that was asleep does not jump
      this.clock.advance(Math.min(lasted, 0.25));
      if (this.stale) this.show();
      this.stage?.draw(this.clock.playing ? lasted : 0);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /** What tests look at. */
  state(): object {
    const { time, playing, speed, loop, start, end } = this.clock;
    const eye = this.stage?.camera.eye.position.toArray() ?? null;
    const { without, rests, floor } = this.stage ?? {};
    const { body, follows, joints, names, frames } = this.tools;
    return { time, playing, speed, loop, start, end, body, follows, joints, names, frames, views: this.tools.views.saved.length, filmed: this.capture.count, eye, without, rests, floor, theme: theme(), poses: [...this.poses] };
  }

  seek(t: number): void {
    this.clock.pause();
    this.clock.seek(t);
  }

  pointOf(body: number, point?: [number, number, number]): [number, number] | null {
    return this.stage?.pointOf(body, point) ?? null;
  }

  /** The camera looks at the motion between two times. */
  frame(from: number, to: number): void {
    const { frames } = this.report;
    const poses = [];
    for (let i = frames.nearest(from); i <= frames.nearest(to); i++) poses.push(frames.poses(i));
    this.stage?.frame(poses, true);
    this.stale = true;
  }

  /** Makes the picture. Returns null if drawing is not possible. */
  private makeStage(): Stage | null {
    const { scene, frames } = this.report;
    if (frames.count === 0) return null;
    try {
      const stage = new Stage(find("stage"), scene, { chosen: (body) => this.tools.choose(body) });
      stage.frame(Array.from({ length: frames.count }, (_, i) => frames.poses(i)), true);
      return stage;
    } catch (error) {
      console.info(error);
      const sentence = "This browser does not offer WebGL, so the machine cannot be drawn. Curves and tables are complete.";
      find("stage").append(make("p", { class: "missing" }, sentence));
      return null;
    }
  }

  private show(): void {
    this.stale = false;
    const { clock } = this;
    this.report.frames.posesAt(clock.time, this.poses);
    this.stage?.setPoses(this.poses, clock.time);
    for (const panel of this.panels) panel.setCursor(clock.time, clock.playing);
    this.scrub.value = String(clock.time);
    const span = clock.end - clock.start || 1;
    this.scrub.style.setProperty("--done", `${(100 * (clock.time - clock.start)) / span}%`);
    setText(find("time"), fixed(clock.time, this.decimals));
    find("play").classList.toggle("playing", clock.playing);
    find("play").setAttribute("aria-label", clock.playing ? "pause" : "play");
    this.tools.showPlace(this.poses);
  }

  private get panels(): Panel[] {
    return [...this.picker.panels, ...this.own];
  }

  /** Sets the time range of the diagrams. */
  private zoom(shown: Range, to: Range | null): void {
    const { start, end } = this.clock;
    const SHORTEST = 1e-4; // fraction of the run
    const low = Math.max(to?.low ?? start, start);
    Object.assign(shown, { low, high: Math.max(Math.min(to?.high ?? end, end), low + SHORTEST * (end - start)) });
    for (const panel of this.panels) panel.redraw();
  }

  private pathOf(body: number): Float32Array {
    const { frames } = this.report;
    const path = new Float32Array(3 * frames.count);
    for (let f = 0; f < frames.count; f++) path.set(frames.poses(f).subarray(POSE * body, POSE * body + 3), 3 * f);
    return path;
  }

  private chosen(names: string[]): void {
    for (const panel of this.panels) panel.focus(names);
    this.stale = true;
  }

  /** Films the run from start to end at the selected speed. */
  private async film(): Promise<void> {
    const { clock, capture } = this;
    clock.pause();
    for (this.filmed = clock.start; capture.filming && this.filmed <= clock.end + 1e-9; this.filmed += clock.speed / FILM_RATE) {
      clock.seek(this.filmed);
      this.show();
      if (!(await capture.take())) return;
    }
    if (capture.filming) capture.finish();
  }

  private step(frames: number): void {
    const { frames: all } = this.report;
    this.clock.pause();
    const i = Math.min(Math.max(all.nearest(this.clock.time) + frames, 0), all.count - 1);
    this.clock.seek(all.times[i] ?? 0);
  }

  private setSpeed(speed: number): void {
    this.clock.speed = speed;
    find<HTMLSelectElement>("speed").value = String(speed);
  }

  private setLoop(loop: boolean): void {
    this.clock.loop = loop;
    setPressed(find("loop"), loop);
  }

  private fillTexts(): void {
    const { scene, facts, frames } = this.report;
    const report = facts.report ?? {};
    document.title = `${scene.name} – Trammel`;
    setText(find("name"), scene.name);
    const step = report.step;
    const how = [report.method, report.solver, report.order === undefined ? null : `order ${String(report.order)}`];
    how.push(typeof step === "number" ? `step ${format(step, 3)} s` : null, counted(scene.bodies.length - 1, "body", "bodies"));
    how.push(scene.joints.length > 0 ? counted(scene.joints.length, "joint", "joints") : null);
    setText(find("how"), how.filter((x) => typeof x === "string" && x !== "").join(" · "));
    setText(find("end"), `/ ${fixed(frames.end, this.decimals)} s`);
    setText(find("made"), [`Trammel ${scene.trammel}`, facts.date ?? ""].filter((x) => x !== "").join(" · "));
    if (typeof report.status === "string" && report.status !== "ok") {
      const at = valueOf(report, "time");
      say(`The run stopped${typeof at === "number" ? ` at ${format(at, 5)} s` : ""}: ${report.status}`);
    }

    find("cards").append(...makeHeadlines(report));
    const verdict = makeVerdict(report);
    if (verdict !== null) find("cards").after(verdict);
    find("table").append(
      Object.keys(report).length > 0 ? makeTable(report) : make("p", { class: "empty" }, "This file has no accuracy report."),
    );
    setText(find("command"), facts.command ?? "not recorded");
    setText(find("model"), facts.model ?? "not recorded");
    const kept = [`${frames.count} frames`];
    if (typeof facts.every === "number" && facts.every > 0) kept.push(`one every ${format(facts.every, 4)} s`);
    if (facts.columns !== undefined && facts.columns.length > 0) kept.push(`columns ${facts.columns.join(", ")}`);
    setText(find("kept"), `${kept.join(", ")}.`);
  }

  private setUpTransport(): void {
    const { clock, scrub } = this;
    scrub.min = String(clock.start);
    scrub.max = String(clock.end);
    scrub.addEventListener("input", () => clock.seek(Number(scrub.value)));
    find("play").addEventListener("click", () => clock.toggle());
    find("loop").addEventListener("click", () => this.setLoop(!clock.loop));
    const speeds = find<HTMLSelectElement>("speed");
    speeds.append(...SPEEDS.map((s) => make("option", { value: String(s) }, `${s}×`)));
    speeds.addEventListener("change", () => (clock.speed = Number(speeds.value)));
    this.setSpeed(1);
    this.setLoop(true);
    onTheme(() => (this.stale = true));
  }

  private setUpDownloads(): void {
    const { scene, frames, series, facts } = this.report;
    const name = scene.name.trim().replace(/[^\p{L}\p{N}._-]+/gu, "-") || "run";
    const model = find<HTMLButtonElement>("get-model");
    find("get-data").addEventListener("click", () => download(`${name}.csv`, "text/csv", csvOf(scene, frames, series)));
    model.addEventListener("click", () => download(`${name}.json`, "application/json", facts.model ?? ""));
    model.hidden = facts.model === undefined;
  }

  private listen(): void {
    const { clock } = this;
    const faster = (by: number): void => {
      const i = SPEEDS.indexOf(clock.speed) + by;
      if (i >= 0 && i < SPEEDS.length) this.setSpeed(SPEEDS[i]);
    };
    const keys: Key[] = [
      { keys: [" "], shown: "Space", what: "play, pause", act: () => clock.toggle() },
      { keys: ["ArrowLeft"], shown: "←", what: "one frame back; with Shift ten", act: (e) => this.step(e.shiftKey ? -10 : -1) },
      { keys: ["ArrowRight"], shown: "→", what: "one frame forward; with Shift ten", act: (e) => this.step(e.shiftKey ? 10 : 1) },
      { keys: ["Home"], shown: "Home", what: "to the start", act: () => clock.seek(clock.start) },
      { keys: ["End"], shown: "End", what: "to the end", act: () => this.seek(clock.end) },
      { keys: ["-", "+", "="], shown: "− +", what: "slower, faster", act: (e) => faster(e.key === "-" ? -1 : 1) },
      { keys: ["l"], shown: "L", what: "repeat or play once", act: () => this.setLoop(!clock.loop) },
      ...this.tools.keys(),
    ];
    setUpKeys(keys);
  }
}

startShell();
/** Moves elements that the program has written after the page, such as the table of modes, before the curves. */
function takeIn(): void {
  const written = document.getElementById("modes");
  if (written !== null) find("facts-column").prepend(written);
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", takeIn);
else takeIn();

const report = readReport();
if (typeof report === "string") {
  document.body.classList.add("without-data");
  say(report);
} else {
  const page = new Page(report);
  window.trammel = { state: () => page.state(), seek: (t) => page.seek(t), frame: (from, to) => page.frame(from, to), pointOf: (body, point) => page.pointOf(body, point) };
  page.start();
}
