// Claims about the sentence of an engine: whoever uses a device that nobody has tried is told so.

import assert from "node:assert/strict";
import { test } from "node:test";

import { engineWords } from "../../assets/web/engines/engine_line.js";

const ready = (told) =>
  engineWords({ id: "fake", standing: "ready", memory_bytes: 0, device: "mps", streaming: 0, waiting: 0, ...told })[1];

test("a device that nobody has tried is said to be untested, a tried one is not", () => {
  assert.match(ready({ device_is_tested: false }), /Not tested on this kind of device\./);
  assert.doesNotMatch(ready({ device_is_tested: true }), /tested/);
});
