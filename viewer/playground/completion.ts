// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Completion of model files by their JSON Schema: keys that the object at the cursor may have, and words that are possible values.

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";

export interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  prefixItems?: Schema[];
  enum?: unknown[];
  const?: unknown;
  description?: string;
  [key: string]: unknown;
}

type Node = ReturnType<ReturnType<typeof syntaxTree>["resolveInner"]>;

const NESTED = ["anyOf", "oneOf", "allOf"] as const;

/** Returns the schema and all schemas to which it refers or of which it is composed. */
function spread(root: Schema, schema: Schema | undefined, depth = 0): Schema[] {
  if (schema === undefined || typeof schema !== "object" || depth > 12) return [];
  const parts: Schema[] = [schema];
  if (schema.$ref?.startsWith("#/") === true) {
    let at: unknown = root;
    for (const key of schema.$ref.slice(2).split("/")) at = (at as Record<string, unknown> | undefined)?.[key];
    parts.push(...spread(root, at as Schema, depth + 1));
  }
  for (const key of NESTED) for (const part of (schema[key] as Schema[] | undefined) ?? []) parts.push(...spread(root, part, depth + 1));
  for (const key of ["then", "else"] as const) parts.push(...spread(root, schema[key] as Schema | undefined, depth + 1));
  return parts;
}

function textOf(state: EditorState, node: Node): string {
  try {
    return JSON.parse(state.sliceDoc(node.from, node.to)) as string;
  } catch {
    return "";
  }
}

/** Returns the keys, and null for items of lists, from the root to the node. */
function pathTo(state: EditorState, node: Node | null): (string | null)[] {
  const path: (string | null)[] = [];
  for (let at = node; at !== null; at = at.parent) {
    const parent = at.parent;
    if (parent?.name === "Array") path.unshift(null);
    const name = at.name === "Property" ? at.getChild("PropertyName") : null;
    if (name !== null) path.unshift(textOf(state, name));
  }
  return path;
}

function follow(root: Schema, path: (string | null)[]): Schema[] {
  let at = spread(root, root);
  for (const key of path) {
    const next = at.flatMap((s) => {
      if (key === null) return [s.items, ...(s.prefixItems ?? [])];
      const other = typeof s.additionalProperties === "object" ? s.additionalProperties : undefined;
      return [s.properties?.[key] ?? other];
    });
    at = next.flatMap((s) => spread(root, s));
  }
  return at;
}

function unique(options: Completion[]): Completion[] {
  return [...new Map(options.map((o) => [o.label, o])).values()];
}

function keysOf(schemas: Schema[], present: Set<string>): Completion[] {
  const keys = schemas.flatMap((s) => Object.entries(s.properties ?? {}));
  return unique(keys.filter(([key]) => !present.has(key)).map(([key, s]) => ({ label: `"${key}"`, apply: `"${key}": `, type: "property", info: s.description })));
}

function wordsOf(schemas: Schema[]): Completion[] {
  const words = schemas.flatMap((s) => [...(s.enum ?? []), ...(s.const === undefined ? [] : [s.const])]);
  return unique(words.map((word) => ({ label: JSON.stringify(word), type: "constant" })));
}

export function completeBy(root: () => Schema | null): (context: CompletionContext) => CompletionResult | null {
  return ({ state, pos, explicit }) => {
    const schema = root();
    if (schema === null) return null;
    const found = syntaxTree(state).resolveInner(pos, -1);
    const node = found.type.isError ? (found.parent ?? found) : found; // a string that is not closed yet
    const typed = state.sliceDoc(state.doc.lineAt(pos).from, pos).match(/"?[\w.-]*$/)?.[0] ?? "";
    if (typed === "" && !explicit) return null;
    const inKey = node.name === "PropertyName";
    const object = inKey ? node.parent?.parent : node.name === "Object" ? node : null;
    const before = state.sliceDoc(0, pos - typed.length).trimEnd();
    const isKey = inKey || (object !== null && object !== undefined && !before.endsWith(":"));
    const holder = isKey ? object : node;
    if (holder === null || holder === undefined) return null;
    const schemas = follow(schema, pathTo(state, holder));
    const present = new Set((isKey ? holder.getChildren("Property") : []).map((p) => textOf(state, p.getChild("PropertyName") ?? p)));
    const options = isKey ? keysOf(schemas, present) : wordsOf(schemas);
    const to = state.sliceDoc(pos, pos + 1) === '"' && typed.startsWith('"') ? pos + 1 : pos;
    return options.length === 0 ? null : { from: pos - typed.length, to, options, validFor: /^"?[\w.-]*$/ };
  };
}
