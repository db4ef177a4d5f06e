// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Files out of a ZIP: stored and deflated ones come back as they were; damaged ones and those that grow beyond what they say are refused.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { build } from "esbuild";
import { zipOf } from "./zips.mjs";

const bundle = await build({ entryPoints: [new URL("../page/unzip.ts", import.meta.url).pathname], bundle: true, format: "esm", write: false });
const { unzip, unpacked } = await import(`data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].contents).toString("base64")}`);
const MOST = 1 << 20;

const bytesOf = (zip) => new Uint8Array(zip.buffer.slice(zip.byteOffset, zip.byteOffset + zip.length));

describe("files out of a ZIP", () => {
  const model = Buffer.from('<robot name="r">'.repeat(2000)), mesh = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) & 255));
  const zip = zipOf([["robot/", Buffer.alloc(0), "stored"], ["robot/urdf/arm.urdf", model, "deflated"], ["robot/meshes/ä.stl", mesh, "stored"]]);

  test("stored and deflated files come back, folders do not", async () => {
    const files = await unzip(bytesOf(zip), MOST);
    assert.deepEqual(files.map((f) => f.name), ["robot/urdf/arm.urdf", "robot/meshes/ä.stl"]);
    assert.ok(model.equals(Buffer.from(await files[0].arrayBuffer())));
    assert.ok(mesh.equals(Buffer.from(await files[1].arrayBuffer())));
  });

  test("only what ends in .zip is unpacked", async () => {
    const all = await unpacked([{ path: "a.ZIP", file: new File([zip], "a.ZIP") }, { path: "b.urdf", file: new File(["x"], "b.urdf") }], MOST);
    assert.deepEqual(all.map((x) => x.path), ["robot/urdf/arm.urdf", "robot/meshes/ä.stl", "b.urdf"]);
  });

  test("what is too large, encrypted, or larger than it says is refused", async () => {
    await assert.rejects(unzip(bytesOf(zip), 1000), /at most 0 are taken/);
    await assert.rejects(unzip(bytesOf(zipOf([["a", mesh, "encrypted"]])), MOST), /encrypted/);
    await assert.rejects(unzip(bytesOf(zipOf([["a", Buffer.alloc(1 << 20), "deflated"]], 10)), MOST), /larger than it says/);
  });

  test("every shortened or changed ZIP is read or refused, and never hangs", async () => {
    await assert.rejects(unzip(new Uint8Array(100), MOST), /not a ZIP/);
    for (let i = 0; i < zip.length; i += 97) {
      await unzip(bytesOf(zip.subarray(i)), MOST).catch((error) => assert.ok(error.message));
      const changed = Buffer.from(zip);
      changed[i] ^= 0xff;
      await unzip(bytesOf(changed), MOST).catch((error) => assert.ok(error instanceof Error));
    }
    for (let i = zip.length - 160; i < zip.length; i++) {
      const changed = Buffer.from(zip);
      changed[i] ^= 0x55;
      await unzip(bytesOf(changed), MOST).catch((error) => assert.ok(error instanceof Error));
    }
  });
});
