// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The playground: the live page next to an editor, with the simulation in this tab. Servers get requests for the files of the site only.

import type { Message } from "../../wasm/package/index";
import { find, make, setText } from "../page/dom";
import { startShell } from "../page/shell";
import { Troubles } from "../page/troubles";
import { Page } from "../page/view";
import { takeDrops } from "./drops";
import { Editor } from "./editor";
import type { Files } from "./messages";
import { cleanName, fromFragment, toFragment } from "./share";
import { Tab } from "./tab";
import type { Model } from "./tab";

interface Examples {
  models: { path: string; title: string; group: string }[];
  files: Record<string, string>;
}

const FIRST = "eight-loop.json";
/** Largest number of messages listed below the editor. */
const MOST = 50;

class Playground {
  private readonly editor = new Editor(find("editor"), () => this.load());
  private readonly troubles = new Troubles();
  private readonly menu = find<HTMLSelectElement>("examples");
  private examples: Examples = { models: [], files: {} };
  private name = "";
  private files: Files = {};
  private messages: Message[] = [];
  private loads = 0; // number of loads that were answered
  private stopped = false;
  readonly tab = new Tab({
    ready: (schema) => this.editor.setSchema(schema),
    checked: (messages, why) => this.checked(messages, why),
    reload: () => this.load(),
  });

  async start(): Promise<void> {
    find("run").addEventListener("click", () => this.load());
    find("halt").addEventListener("click", () => this.stop());
    find("share").addEventListener("click", () => void this.share());
    // keys typed here are not shortcuts of the page
    find("write").addEventListener("keydown", (e) => e.stopPropagation());
    this.menu.addEventListener("change", () => this.openExample(this.menu.value));
    takeDrops((model) => this.open(model), (sentence) => this.troubles.say(sentence));
    this.examples = (await (await fetch("examples.json")).json()) as Examples;
    this.fillMenu();
    addEventListener("hashchange", () => void this.openLink());
    if (!(await this.openLink())) this.openExample(FIRST);
  }

  /** What tests look at. */
  state(): object {
    const { name, messages, loads, stopped } = this;
    return { ...{ name, messages, loads, stopped }, text: this.editor.text, examples: this.examples.models.map((m) => m.path) };
  }

  setText(text: string): void {
    this.editor.replace(text);
    this.load();
  }

  private fillMenu(): void {
    const groups = new Map<string, HTMLElement>();
    for (const { path, title, group } of this.examples.models) {
      if (!groups.has(group)) groups.set(group, make("optgroup", { label: group }));
      groups.get(group)!.append(make("option", { value: path }, title));
    }
    this.menu.replaceChildren(make("option", { value: "", disabled: "" }, "your model"), ...groups.values());
  }

  private openExample(path: string): void {
    const text = this.examples.files[path];
    if (text !== undefined) this.open({ name: path, text, files: {} });
  }

  private open({ name, text, files }: Model): void {
    this.name = name;
    this.files = files;
    this.menu.value = this.examples.files[name] === text ? name : "";
    this.editor.replace(text);
    this.load();
  }

  /** Opens the model in the address. Returns false if there is none. */
  private async openLink(): Promise<boolean> {
    try {
      const shared = await fromFragment(location.hash);
      if (shared !== null) this.open({ ...shared, files: {} });
      return shared !== null;
    } catch (error) {
      this.troubles.say(`The link holds no model that can be read: ${(error as Error).message}.`);
      return false;
    }
  }

  private load(): void {
    this.stopped = false;
    document.body.classList.remove("ended");
    this.troubles.stand("stopped here", "");
    this.tab.load({ name: this.name, text: this.editor.text, files: { ...this.examples.files, ...this.files } }, true);
  }

  private stop(): void {
    this.stopped = true;
    this.tab.stop();
  }

  private checked(messages: Message[], why: string): void {
    this.loads++;
    const all = why === "" ? messages : [...messages, { severity: "error" as const, file: this.name, line: 0, column: 0, element: "", text: why }];
    this.messages = all;
    this.editor.mark(all, this.name);
    const errors = all.filter((m) => m.severity === "error").length;
    const warnings = all.length - errors;
    setText(find("said-head"), errors > 0 ? `${errors} ${errors === 1 ? "error" : "errors"}: the last sound model keeps running` : warnings > 0 ? `${warnings} ${warnings === 1 ? "warning" : "warnings"}` : "no errors");
    find("said").classList.toggle("wrong", errors > 0);
    find("said-list").replaceChildren(...all.slice(0, MOST).map((m) => this.line(m)));
  }

  private line(m: Message): HTMLElement {
    const place = m.line > 0 ? `${m.file === this.name ? "" : `${m.file}:`}${m.line}:${m.column}` : "";
    const button = make("button", { type: "button", class: m.severity }, make("b", {}, place), make("span", {}, `${m.element === "" ? "" : `${m.element}: `}${m.text}`));
    button.addEventListener("click", () => m.file === this.name && this.editor.show(m));
    return make("li", {}, button);
  }

  private async share(): Promise<void> {
    const fragment = await toFragment({ name: this.examples.files[this.name] === undefined ? cleanName(this.name) : this.name, text: this.editor.text });
    history.replaceState(null, "", fragment);
    if (Object.keys(this.files).length > 0) this.troubles.say("The link holds the model's text, not the files that it names.");
    try {
      await navigator.clipboard.writeText(location.href);
      setText(find("share"), "Link copied");
    } catch {
      setText(find("share"), "Link is in the address bar");
    }
    setTimeout(() => setText(find("share"), "Share"), 3000);
  }
}

declare global {
  interface Window {
    playground?: { state(): object; setText(text: string): void }; // for tests
  }
}

startShell();
const playground = new Playground();
const page = new Page((events) => playground.tab.connect(events), () => undefined);
window.trammel = { state: () => page.state(), pointOf: (body, point) => page.pointOf(body, point) };
window.playground = { state: () => playground.state(), setText: (text) => playground.setText(text) };
page.start();
void playground.start();
if ("serviceWorker" in navigator) void navigator.serviceWorker.register("offline.js").catch(() => undefined);
