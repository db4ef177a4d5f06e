// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Robots in the live page's server: the quadruped stands on its feet, and an MJCF model offers its inputs and keyframes.
// TRAMMEL_VIEW=PROGRAM EXAMPLES=FOLDER.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Raw, TEXT, startProgram } from "./raw.mjs";

const program = process.env.TRAMMEL_VIEW;
const robots = join(process.env.EXAMPLES ?? "", "robots");
const ARM = `<mujoco><worldbody><body name="arm" pos="0 0 1"><joint name="j" axis="1 0 0"/><geom type="capsule" size="0.1 0.2"/></body></worldbody>
<actuator><motor name="push" joint="j" ctrlrange="-1 1"/></actuator><keyframe><key name="up" qpos="1"/></keyframe></mujoco>`;
/** Bytes of a frame before the poses, and of a pose (viewer/DATA.md). */
const HEAD = 32;
const POSE = 28;

/** Starts the program on a model and gives the connection to a function. */
async function watch(words, look) {
  const { child, ended, address } = await startProgram(program, ...words);
  try {
    await look(await Raw.open(address));
  } finally {
    child.kill("SIGINT");
    await ended;
  }
}

/** The height of a body when the time has come. */
function heightAt(raw, name, time) {
  let bodies = [];
  return new Promise((done) => {
    raw.onmessage = (opcode, bytes) => {
      if (opcode === TEXT) {
        const message = JSON.parse(bytes.toString());
        if (message.kind === "scene") bodies = (message.scene ?? message).bodies.map((b) => b.name);
        return;
      }
      const frame = Buffer.from(bytes);
      raw.send(`seen ${frame.readUInt32LE(4)}`);
      if (frame.readDoubleLE(24) >= time) done(frame.readFloatLE(HEAD + POSE * bodies.indexOf(name) + 8));
    };
    raw.send("play");
  });
}

describe("robots in the live page", { skip: !program && "TRAMMEL_VIEW names no program" }, () => {
  let folder;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "trammel-robots-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test("the quadruped stands on its feet", async () => {
    const words = [join(robots, "quadruped.urdf"), "--base", "free", "--with", join(robots, "quadruped-stand.json")];
    await watch(words, async (raw) => {
      // its servos give way by 0.04 m under the weight; a trunk that lies on the ground is 0.3 m lower
      const height = await heightAt(raw, "trunk", 2);
      assert.ok(height > -0.05 && height < 0, `the trunk is at ${height} m`);
    });
  });

  test("inputs and keyframes of MJCF are offered", async () => {
    const file = join(folder, "arm.xml");
    await writeFile(file, ARM);
    await watch([file], async (raw) => {
      const status = await new Promise((done) => {
        raw.onmessage = (opcode, bytes) => {
          const message = opcode === TEXT ? JSON.parse(bytes.toString()) : {};
          if (message.kind === "status") done(message);
        };
      });
      const input = status.controls.list.find((c) => c.name === "push");
      assert.deepEqual(input.range, [-1, 1]);
      assert.deepEqual(status.controls.poses, ["up"]);
    });
  });
});
