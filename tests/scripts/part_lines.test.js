// What is said of the parts of a take: where each is, why it is not there, and what tells the times apart that it was said.
import assert from "node:assert/strict";
import { test } from "node:test";
import { partAddress, partPlace, renditionLine, varies } from "../../assets/web/parts/part_lines.js";

const PART = { start: 62.34, seconds: 2.84, chosen: 1, is_cut: false };

test("a part says where it is in the whole and how long, or why it is not there", () => {
  assert.equal(partPlace(PART), "1:02.3 · 2.8 s");
  assert.equal(partPlace({ ...PART, is_cut: true }), "1:02.3 · 2.8 s · breaks off");
  assert.equal(partPlace({ ...PART, is_cut: true, chosen: 2 }), "1:02.3 · 2.8 s");
  assert.equal(partPlace({ ...PART, start: null, seconds: null, chosen: 0 }), "not said yet");
});

test("one of the times says its number, its length, its variation, and its words where they are others", () => {
  const one = { rendition: 2, seconds: 3, seed: 41, text: "Other words." };
  assert.equal(renditionLine(one, "These words."), "2 · 3 s · variation 41 · Other words.");
  assert.equal(renditionLine({ ...one, seed: null }, "Other words."), "2 · 3 s");
});

test("the same words are said again where that makes another sound, or there is none to its end", () => {
  assert.ok(varies({ has_seed: true }, PART) && !varies({ has_seed: false }, PART));
  assert.ok(varies({ has_seed: false }, { ...PART, chosen: 0 }) && varies({ has_seed: false }, { ...PART, is_cut: true }));
});

test("a part and what is heard of it have addresses below the page's", () => {
  assert.equal(partAddress("3f", 2), "v1/studio/takes/3f/parts/2");
  assert.equal(partAddress("3f", 2, 1), "v1/studio/takes/3f/parts/2/renditions/1/audio");
});
