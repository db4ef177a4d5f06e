// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The one function of Node that the package uses, so that its types need no other package.
declare module "node:fs/promises" {
  export function readFile(path: URL): Promise<Uint8Array<ArrayBuffer>>;
}
