// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// logs.mjs NODE_MODULES FILE.mcap: what npm's reader finds: messages by the index, messages of the stream, topics.
// With `expected ROWS`: what these must be: one message per topic and row, and one more for the scene.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(path.resolve(process.argv[2], "..", "package.json"));
const { McapIndexedReader, McapStreamReader } = require("@mcap/core");
const bytes = fs.readFileSync(process.argv[3]);
const readable = {
  size: async () => BigInt(bytes.length),
  read: async (offset, length) => new Uint8Array(bytes.buffer, bytes.byteOffset + Number(offset), Number(length)),
};
const reader = await McapIndexedReader.Initialize({ readable });
const topics = reader.channelsById.size;
if (process.argv[4] === "expected") {
  const messages = (topics - 1) * Number(process.argv[5]) + 1;
  console.log(messages, messages, topics, messages);
} else {
  let indexed = 0;
  for await (const message of reader.readMessages()) {
    JSON.parse(new TextDecoder().decode(message.data));
    indexed++;
  }
  for (const schema of reader.schemasById.values()) JSON.parse(new TextDecoder().decode(schema.data));
  const stream = new McapStreamReader();
  stream.append(bytes);
  let streamed = 0;
  for (let record; (record = stream.nextRecord()); ) if (record.type === "Message") streamed++;
  console.log(indexed, stream.done() ? streamed : -1, topics, Number(reader.statistics.messageCount));
}
