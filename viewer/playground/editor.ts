// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The editor of model files (CodeMirror). It is in a shadow tree, in which its styles need no exception from the content security policy.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { json, jsonLanguage } from "@codemirror/lang-json";
import { xml } from "@codemirror/lang-xml";
import { bracketMatching, defaultHighlightStyle, foldGutter, foldKeymap, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import type { Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import type { Text } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Message } from "../../wasm/package/index";
import { onTheme, theme } from "../page/theme";
import { completeBy } from "./completion";
import type { Schema } from "./completion";

/** ms without a key until the text is checked. */
const PAUSE = 300;

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "12.5px", backgroundColor: "var(--panel)", color: "var(--text)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--quiet)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 7%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--text)", border: "1px solid var(--edge)", borderRadius: "6px", maxWidth: "420px" },
  ".cm-panels": { backgroundColor: "var(--panel)", color: "var(--text)" },
});
const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.tagName, color: "var(--accent)" },
  { tag: tags.string, color: "color-mix(in srgb, #2a8a4a 75%, var(--text))" },
  { tag: [tags.number, tags.bool, tags.null], color: "color-mix(in srgb, #c05a10 80%, var(--text))" },
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
]);

/** Returns the range of a message: from its place to the end of the word, key or text there. */
function rangeOf(doc: Text, { line, column }: Message): [number, number] {
  if (line < 1) return [0, Math.min(doc.line(1).to, 1)];
  const { from, to, text } = doc.line(Math.min(line, doc.lines));
  const at = Math.min([...text].slice(0, Math.max(column - 1, 0)).join("").length, text.length);
  const word = text.slice(at).match(/^("(?:[^"\\]|\\.)*"?|[\w.+-]+|.)/)?.[0].length ?? 0;
  const begin = word === 0 && at > 0 ? from + at - 1 : from + at;
  return [begin, Math.min(Math.max(begin + Math.max(word, 1), begin), Math.max(to, begin))];
}

export class Editor {
  private readonly view: EditorView;
  private readonly language = new Compartment();
  private readonly dark = new Compartment();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private quiet = false; // the text is being replaced by the page
  private schema: Schema | null = null;

  /** changed: called when the user pauses after typing. */
  constructor(place: HTMLElement, private readonly changed: () => void) {
    const root = place.attachShadow({ mode: "open" });
    const parent = document.createElement("div");
    parent.style.height = "100%";
    root.append(parent);
    this.view = new EditorView({ root, parent, state: this.stateOf("", false) });
    onTheme(() => this.view.dispatch({ effects: this.dark.reconfigure(EditorView.darkTheme.of(theme() === "dark")) }));
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  setSchema(schema: object): void {
    this.schema = schema as Schema;
  }

  /** Shows another model; changes of the last one can no longer be undone. */
  replace(text: string): void {
    clearTimeout(this.timer);
    this.quiet = true;
    this.view.setState(this.stateOf(text, /^\s*</.test(text)));
    this.quiet = false;
  }

  /** Underlines the ranges of the messages of a file. */
  mark(messages: Message[], file: string): void {
    const { doc } = this.view.state;
    const marks = messages.map((m): Diagnostic => {
      const [from, to] = rangeOf(doc, m.file === file ? m : { ...m, line: 0 });
      const where = m.file === file || m.file === "" ? "" : `${m.file}:${m.line}: `;
      return { from, to, severity: m.severity, message: `${where}${m.element === "" ? "" : `${m.element}: `}${m.text}` };
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  /** Shows the place of a message. */
  show(message: Message): void {
    const [from, to] = rangeOf(this.view.state.doc, message);
    this.view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
    this.view.focus();
  }

  private stateOf(doc: string, isXml: boolean): EditorState {
    const complete = jsonLanguage.data.of({ autocomplete: completeBy(() => this.schema) });
    return EditorState.create({
      doc,
      extensions: [
        lineNumbers(), foldGutter(), lintGutter(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(),
        autocompletion(), highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(),
        syntaxHighlighting(colours), syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap, indentWithTab]),
        this.language.of(isXml ? xml() : [json(), complete]),
        this.dark.of(EditorView.darkTheme.of(theme() === "dark")),
        EditorView.contentAttributes.of({ "aria-label": "model file" }),
        EditorView.updateListener.of((update) => update.docChanged && !this.quiet && this.typed()),
        look,
      ],
    });
  }

  private typed(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.changed, PAUSE);
  }
}
