// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Stores the files of the playground, so that it works without a network after it was loaded once. The build inserts their names and a
// hash.

declare const FILES: string[];
declare const VERSION: string;

/** Members of a service worker that the types of pages do not have. */
interface Scope {
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  addEventListener(type: "install" | "activate", act: (e: { waitUntil(what: Promise<unknown>): void }) => void): void;
  addEventListener(type: "fetch", act: (e: { request: Request; respondWith(what: Promise<Response>): void }) => void): void;
}
const scope = globalThis as unknown as Scope;

const NAME = `trammel-playground-${VERSION}`;

async function install(): Promise<void> {
  await (await caches.open(NAME)).addAll(FILES);
  await scope.skipWaiting();
}

async function forgetOthers(): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith("trammel-playground-") && name !== NAME) await caches.delete(name);
  await scope.clients.claim();
}

/** Answers from the network if there is one, so that a new version appears at once; else from the store. */
async function answer(request: Request): Promise<Response> {
  try {
    const fresh = await fetch(request);
    if (fresh.ok) return fresh;
  } catch {
    // no network
  }
  return (await (await caches.open(NAME)).match(request, { ignoreSearch: true })) ?? Response.error();
}

scope.addEventListener("install", (e) => e.waitUntil(install()));
scope.addEventListener("activate", (e) => e.waitUntil(forgetOthers()));
scope.addEventListener("fetch", (e) => {
  if (e.request.method === "GET" && new URL(e.request.url).origin === location.origin) e.respondWith(answer(e.request));
});

export {};
