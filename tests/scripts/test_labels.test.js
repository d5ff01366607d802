// How results call the systems of a listening test.

import assert from "node:assert/strict";
import { test } from "node:test";

import { labelled, unlabelled } from "../../assets/web/builder/test_labels.js";

const SPEED = { name: "speed", kind: "float", default: 1, unit: "x" };
const ENGINES = [
  { id: "small", title: "Embedded", options: [SPEED, { name: "seed", kind: "int", default: null }] },
  { id: "large", title: "Large", options: [] },
];
const known = { engines: ENGINES };
const one = { label: "", source: "speech", voice: "Rosa", engine: "small", cold: false, options: {}, seed: null };
const labels = (...systems) => labelled(systems, known).map(({ label }) => label);

test("systems are called by what tells them apart: voice, engine, how they are learned, else their options, else their letters", () => {
  assert.deepEqual(labels(one, { ...one, engine: "large" }), ["Embedded", "Large"]);
  const faster = { ...one, options: { speed: 1.3 } };
  assert.deepEqual(labels(one, faster), ["Rosa, Embedded, Speed 1", "Rosa, Embedded, Speed 1.3"]);
  assert.deepEqual(labels(one, faster, { ...one, engine: "large" }), ["Embedded, Speed 1", "Embedded, Speed 1.3", "Large"]);
  assert.deepEqual(labels({ ...one, seed: 1 }, { ...one, seed: 2 }), ["Rosa, Embedded, Variation 1", "Rosa, Embedded, Variation 2"]);
  assert.deepEqual(labels({ ...one, seed: 1 }, { ...faster, seed: 2 }), ["Rosa, Embedded, Speed 1", "Rosa, Embedded, Speed 1.3"]);
  assert.deepEqual(labels(one, one), ["Rosa, Embedded (A)", "Rosa, Embedded (B)"]);
});

test("what was called so is called anew once more is known; a name by hand stays", () => {
  const systems = [one, { ...one, options: { speed: 1.3 } }, { ...one, source: "files", voice: null, engine: null, label: "Mine" }];
  assert.deepEqual(unlabelled(labelled(systems, known), known), systems);
});
