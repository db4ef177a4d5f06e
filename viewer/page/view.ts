// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The live page of `trammel view`: displays and controls a running simulation.

import { makeHeadlines, makeTable, makeVerdict } from "./accuracy";
import { Capture, FILM_RATE } from "./capture";
import { ConstantFields } from "./constants";
import { ControlSliders, JogSliders } from "./controls";
import { find, make, sentBytes, setPressed, setText } from "./dom";
import { takeFiles } from "./drop";
import type { FileEvents } from "./drop";
import type { Shown } from "./forces";
import { readHead } from "./frame";
import type { Key } from "./keys";
import { readMessage, remark } from "./live";
import type { SceneMessage, Status } from "./live";
import { fixed, format } from "./number";
import { OptionFields } from "./options";
import { counted, setUpKeys, SPEEDS } from "./shell";
import type { Connection, SocketEvents } from "./socket";
import { theme } from "./theme";
import { Troubles } from "./troubles";
import { ViewTools } from "./viewtools";
import { Watched } from "./watched";

/** Lengths of curves to choose from, s. */
const WINDOWS = [5, 10, 30, 60];
/** Largest number of bytes of the value of an option. */
const LONGEST_VALUE = 390;
/** ms: the program sends two statuses per second between steps, so one step has taken longer than this. */
const LONGEST_SILENCE = 2000;
/** s: one step back, the interval of the states that the program stores. */
const BACK = 1 / 30;

export class Page {
  private readonly socket: Connection;
  private readonly tools: ViewTools;
  private readonly options: OptionFields;
  private readonly controls: ControlSliders;
  private readonly jogs: JogSliders;
  private readonly constants: ConstantFields;
  private readonly past = find<HTMLInputElement>("past");
  private readonly troubles = new Troubles();
  private readonly shown: Shown = { contacts: true, reactions: false, centres: false };
  private readonly pictures: number[] = []; // ms: times of the pictures drawn in the last second
  private readonly speeds = find<HTMLSelectElement>("speed");
  private watched: Watched | null = null;
  private status: Status | null = null;
  private late = 0; // number of successive statuses that were late
  private heard = 0; // ms: arrival of the last status
  private window = 10; // s: length of curves
  private tableSeen = false;
  private readonly capture: Capture;
  private shotAt = -Infinity; // ms: time of the last picture of a film

  /** connect: connects to the simulation. files: receives model files. */
  constructor(connect: (events: SocketEvents) => Connection, files: (events: FileEvents) => void = takeFiles) {
    this.tools = new ViewTools({ pathOf: () => null, chosen: (body, names) => this.chosen(body, names) });
    this.options = new OptionFields((name, value) => this.set(name, value.replace(/\s+/g, " ")));
    this.controls = new ControlSliders((text) => this.send(text));
    this.jogs = new JogSliders((text) => this.send(text));
    this.constants = new ConstantFields((text) => this.send(text));
    this.capture = new Capture(() => this.watched?.stage ?? null, () => this.watched?.scene.name ?? "trammel", { begun: () => (this.shotAt = -Infinity), ended: () => undefined });
    this.setUpTransport();
    this.setUpShown();
    this.setUpWindow();
    this.listen();
    files({
      model: (name, text) => {
        if (!this.socket.sendForSure(`model ${name}\n${text}`)) this.troubles.say(`${name} cannot be loaded: there is no connection to the simulation.`);
      },
      robot: (model, all) => {
        if (!this.socket.sendFiles(model, all)) this.troubles.say(`${model} cannot be loaded: there is no connection to the simulation.`);
      },
      trouble: (sentence) => this.troubles.say(sentence),
    });
    find("reload").addEventListener("click", () => this.send("reload"));
    new IntersectionObserver(([entry]) => {
      this.tableSeen = entry.isIntersecting;
      this.fillTable();
    }).observe(find("accuracy"));

    this.socket = connect({
      opened: () => this.troubles.stand("connection", ""),
      text: (text) => this.hear(text),
      binary: (bytes) => this.take(bytes),
      lost: (path) => this.troubles.say(`${path} cannot be read any more; drop the files again.`),
      ended: (reason, again) => this.ended(reason, again),
    });
  }

  start(): void {
    let before = performance.now();
    const tick = (now: number): void => {
      const lasted = Math.max(now - before, 0) / 1000;
      before = now;
      this.draw(now, lasted);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /** What tests look at. */
  state(): object {
    const { watched, status, shown, window } = this;
    const { body, follows, joints, names, frames } = this.tools;
    return {
      connected: this.socket.open,
      time: watched?.motion.time ?? 0,
      last: watched?.motion.last?.t ?? 0,
      playing: status?.playing ?? false,
      speed: status?.speed ?? 0,
      pace: status?.pace ?? 0,
      options: status?.options ?? null,
      controls: status?.controls ?? null,
      jogs: status?.joints ?? [],
      constants: status?.constants ?? [],
      past: status?.past ?? null,
      file: status?.file ?? "",
      pages: status?.pages ?? 0,
      stopped: status?.stopped ?? "",
      report: status?.report ?? null,
      scene: watched?.number ?? 0,
      name: watched?.scene.name ?? "",
      bodies: watched?.scene.bodies.map((b) => b.name) ?? [],
      triangles: watched?.scene.bodies.flatMap((b) => b.parts).reduce((sum, part) => sum + (part.type === "mesh" ? part.faces.length / 3 : 0), 0) ?? 0,
      poses: [...(watched?.poses ?? [])],
      received: watched?.received ?? 0,
      rows: watched === null ? [] : [...watched.plots.trace.kept],
      frames,
      number: watched?.motion.last?.number ?? 0,
      drawn: watched?.drawn ?? 0,
      fps: this.pictures.length,
      without: watched?.stage?.without ?? "",
      rests: watched?.rests ?? false,
      grips: watched?.grips ?? [],
      contacts: (watched?.motion.last?.contacts.length ?? 0) / 6,
      reactions: (watched?.motion.last?.reactions.length ?? 0) / 3,
      held: watched?.held ?? -1,
      eye: watched?.stage?.camera.eye.position.toArray() ?? null,
      theme: theme(),
      views: this.tools.views.saved.length,
      filmed: this.capture.count,
      ...{ body, follows, joints, names, shown: { ...shown }, window },
    };
  }

  pointOf(body: number, point?: [number, number, number]): [number, number] | null {
    return this.watched?.stage?.pointOf(body, point) ?? null;
  }

  private send(text: string): void {
    this.socket.send(text);
  }

  private set(name: string, value: string): void {
    if (sentBytes(value) > LONGEST_VALUE) this.troubles.say(`What was given for ${name} is too long: it may have ${LONGEST_VALUE} bytes.`);
    else this.send(`set ${name} ${value}`);
  }

  private draw(now: number, lasted: number): void {
    const { watched } = this;
    if (watched === null) return;
    this.showSilence(now);
    const before = watched.drawn;
    watched.draw(now, lasted, this.status?.playing ?? false, this.tools.follows);
    while (this.pictures.length > 0 && this.pictures[0] <= now - 1000) this.pictures.shift();
    if (watched.drawn === before) return;
    this.pictures.push(now);
    this.film(now);
    setText(find("time"), fixed(watched.motion.time, 3));
    this.tools.showPlace(watched.poses);
    this.showHeld();
  }

  /** Adds the picture to the film, at most 25 times per second. */
  private film(now: number): void {
    if (!this.capture.filming || now - this.shotAt < 1000 / FILM_RATE) return;
    this.shotAt = now;
    void this.capture.take();
  }

  private hear(text: string): void {
    const message = readMessage(text);
    if (message?.kind === "scene") this.setScene(message);
    else if (message?.kind === "status") this.setStatus(message);
    else if (message?.kind === "trouble") this.troubles.say(message.sentence);
  }

  private take(bytes: ArrayBuffer): void {
    if (this.watched !== null) this.watched.add(bytes, performance.now());
    else if (readHead(bytes) !== null) remark("a frame came before its scene");
  }

  private ended(reason: string, again: boolean): void {
    const next = again ? "It is tried again." : "Start it again, or reload this page.";
    this.troubles.stand("connection", `The connection to the simulation ended: ${reason}. ${next}`);
    document.body.classList.add("ended");
  }

  private setScene(message: SceneMessage): void {
    const before = this.watched;
    const { scene } = message;
    // the same machine, read again, is seen from the same place
    const same = before !== null && JSON.stringify(before.scene.bodies.map((b) => b.name)) === JSON.stringify(scene.bodies.map((b) => b.name));
    const view = same ? before.viewByHand : null;
    const [body, joints] = [same ? this.tools.body : -1, this.tools.joints];
    before?.dispose();
    document.body.classList.remove("ended");
    this.watched = new Watched(message, this.window, this.shown, { chosen: (b) => this.tools.choose(b), send: (text) => this.send(text) }, view);
    this.tools.setScene(scene, this.watched.stage);
    if (same) this.tools.showJoints(joints);
    this.tools.choose(body);
    this.options.setMethods(message.methods);
    if (this.status !== null) this.options.show(this.status.options);
    find("reactions").hidden = scene.joints.length === 0;
    if (this.shown.reactions) this.send("want reactions 1");
    document.title = `${scene.name} – Trammel`;
    setText(find("name"), scene.name);
    this.describe();
  }

  private setStatus(status: Status): void {
    this.status = status;
    this.heard = performance.now();
    this.options.show(status.options);
    this.controls.show(status.controls, status.options.start);
    this.jogs.show(status.joints);
    this.constants.show(status.constants);
    this.showPast(status.past);
    this.showSpeed(status.speed);
    find("play").classList.toggle("playing", status.playing);
    find("play").setAttribute("aria-label", status.playing ? "pause" : "play");
    const stopped = status.stopped === "" ? "" : `The simulation cannot go on: ${status.stopped.replace(/\.$/, "")}. Reset it, or change how it is done.`;
    this.troubles.stand("stopped", stopped);
    this.showPace(status);
    find("cards").replaceChildren(...makeHeadlines(status.report ?? {}));
    this.fillTable();
    this.describe();
  }

  private showPace({ playing, late, pace, speed }: Status): void {
    this.late = playing && late ? this.late + 1 : 0;
    const slow = this.late >= 2;
    find("pace").classList.toggle("slow", slow);
    setText(find("pace-reached"), playing ? `running at ${format(pace, 2)}\u2009×` : "paused");
    setText(find("pace-said"), playing && slow ? ` of the requested ${format(speed, 3)}\u2009×` : "");
  }

  /** Shows that no status has arrived: the simulation is in a long step, and the last pace is out of date. */
  private showSilence(now: number): void {
    const silence = now - this.heard;
    if (this.status?.playing !== true || !this.socket.open || silence < LONGEST_SILENCE) return;
    find("pace").classList.add("slow");
    setText(find("pace-reached"), "running at 0\u2009×");
    setText(find("pace-said"), `: one step takes longer than ${Math.floor(silence / 1000)} s`);
  }

  /** Shows the slider of the past, from the first stored time to the present one, or to the last stored one after going back. */
  private showPast(kept: [number, number] | null): void {
    const { past } = this;
    const now = this.watched?.motion.last?.t ?? 0;
    const [from, to] = kept ?? [now, now];
    const end = Math.max(now, to);
    past.disabled = !(end > from);
    if (past.disabled || past.matches(":active")) return;
    past.min = String(from);
    past.max = String(end);
    past.value = String(now);
  }

  private goBack(by: number): void {
    const last = this.watched?.motion.last?.t;
    if (last !== undefined) this.send(`rewind ${last - by}`);
  }

  private showSpeed(speed: number): void {
    const values = SPEEDS.includes(speed) ? SPEEDS : [...SPEEDS, speed].sort((a, b) => a - b);
    if (this.speeds.options.length !== values.length || [...this.speeds.options].some((o, i) => o.value !== String(values[i]))) {
      this.speeds.replaceChildren(...values.map((s) => make("option", { value: String(s) }, `${s}×`)));
    }
    this.speeds.value = String(speed);
  }

  /** Writes the line next to the name, and the footer. */
  private describe(): void {
    const { status, watched } = this;
    if (watched === null) return;
    const { bodies, joints, trammel } = watched.scene;
    const how = status === null ? [] : OptionFields.summary(status.options);
    how.push(counted(bodies.length - 1, "body", "bodies"));
    if (joints.length > 0) how.push(counted(joints.length, "joint", "joints"));
    setText(find("how"), how.join(" · "));
    const made = [`Trammel ${trammel}`, status?.file ?? "", status === null ? "" : counted(status.pages, "page watches", "pages watch")];
    setText(find("made"), made.filter((x) => x !== "").join(" · "));
  }

  private fillTable(): void {
    if (!this.tableSeen || this.status === null) return;
    const report = this.status.report ?? {};
    find("table").replaceChildren(...[makeVerdict(report), makeTable(report)].filter((e) => e !== null));
  }

  private chosen(body: number, names: string[]): void {
    this.watched?.plots.focus(names);
    const kind = this.watched?.scene.bodies[body]?.kind;
    this.watched?.leaveTrail(kind === "rigid" || kind === "point" || kind === "moving" ? body : -1);
    if (this.watched !== null) this.tools.showPlace(this.watched.poses);
  }

  private showHeld(): void {
    const held = this.watched?.held ?? -1;
    document.body.classList.toggle("holding", held >= 0);
  }

  private toggle(): void {
    this.send(this.status?.playing === true ? "pause" : "play");
  }

  private faster(by: number): void {
    const speed = this.status?.speed ?? 1;
    const next = by > 0 ? SPEEDS.find((s) => s > speed) : [...SPEEDS].reverse().find((s) => s < speed);
    if (next !== undefined) this.send(`speed ${next}`);
  }

  private setUpTransport(): void {
    find("play").addEventListener("click", () => this.toggle());
    find("step").addEventListener("click", () => this.send("step"));
    find("restart").addEventListener("click", () => this.send("reset"));
    find("back").addEventListener("click", (e) => this.goBack(e.shiftKey ? 1 : BACK));
    this.past.addEventListener("input", () => this.send(`rewind ${this.past.value}`));
    this.showSpeed(1);
    this.speeds.addEventListener("change", () => this.send(`speed ${this.speeds.value}`));
    find("panel").addEventListener("click", () => this.togglePanel());
  }

  private togglePanel(): void {
    const alone = document.body.classList.toggle("alone");
    setPressed(find("panel"), !alone);
  }

  private setUpShown(): void {
    for (const name of ["contacts", "reactions", "centres"] as const) {
      find(name).addEventListener("click", () => this.toggleShown(name));
      setPressed(find(name), this.shown[name]);
    }
  }

  private toggleShown(name: keyof Shown): void {
    this.shown[name] = !this.shown[name];
    setPressed(find(name), this.shown[name]);
    this.watched?.show(this.shown);
    if (name === "reactions") this.send(`want reactions ${Number(this.shown.reactions)}`);
  }

  private setUpWindow(): void {
    const list = find<HTMLSelectElement>("window");
    list.append(...WINDOWS.map((w) => make("option", { value: String(w) }, `${w} s`)));
    list.value = String(this.window);
    list.addEventListener("change", () => {
      this.window = Number(list.value);
      this.watched?.plots.setWindow(this.window);
    });
  }

  private listen(): void {
    const keys: Key[] = [
      { keys: [" "], shown: "Space", what: "play, pause", act: () => this.toggle() },
      { keys: ["ArrowRight", "."], shown: "→", what: "one step", act: () => this.send("step") },
      { keys: ["ArrowLeft", ","], shown: "←", what: "back; with Shift by a second", act: (e) => this.goBack(e.shiftKey ? 1 : BACK) },
      { keys: ["Backspace", "Home"], shown: "Backspace", what: "to the start", act: () => this.send("reset") },
      { keys: ["-", "+", "="], shown: "− +", what: "slower, faster", act: (e) => this.faster(e.key === "-" ? -1 : 1) },
      ...this.tools.keys(),
      { keys: ["c"], shown: "C", what: "contacts and their forces", act: () => this.toggleShown("contacts") },
      { keys: ["a"], shown: "A", what: "forces in joints", act: () => this.toggleShown("reactions") },
      { keys: ["m"], shown: "M", what: "centres of mass", act: () => this.toggleShown("centres") },
      { keys: ["o"], shown: "O", what: "open a model file", act: () => find("open").click() },
      { keys: ["l"], shown: "L", what: "load the file again", act: () => this.send("reload") },
      { keys: ["p"], shown: "P", what: "panel of options and curves", act: () => this.togglePanel() },
    ];
    setUpKeys(keys);
    // a list that was opened by the mouse releases the keyboard focus
    document.addEventListener("change", ({ target }) => {
      if (target instanceof HTMLSelectElement && !target.matches(":focus-visible")) target.blur();
    });
  }
}
