// What a new listening test begins with.

import assert from "node:assert/strict";
import { test } from "node:test";

import { besides } from "../../assets/web/builder/test_pair.js";

const ENGINES = [
  { id: "small", voices: ["Ann", "slt", "rms"], presets: { slt: "1", rms: "2" } },
  { id: "large", voices: ["Rosa"], presets: {} },
];

test("a voice is compared with another engine's, one that came with its engine with another voice, and else with itself anew", () => {
  const both = ENGINES.map((engine) => ({ ...engine, voices: [...engine.voices, "Ben"] }));
  assert.deepEqual(besides({ voice: "Ben", engine: "small" }, both), { voice: "Ben", engine: "large" });
  assert.deepEqual(besides({ voice: "slt", engine: "small" }, ENGINES), { voice: "Ann", engine: "small" });
  assert.deepEqual(besides({ voice: "Rosa", engine: "large" }, ENGINES), { voice: "Rosa", engine: "large", cold: true });
});
