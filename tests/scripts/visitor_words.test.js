// A visitor of a studio that is somebody else's is told whose the next step is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { errorWords, seeAsVisitor } from "../../assets/web/words/words.js";

test("what the owner alone can do is told to a visitor as the owner's, and everything else as before", () => {
  const [lacking, busy] = [
    { code: "engine_unavailable", values: { sentence: "weights_lacking", engine: "Heavy" } },
    { code: "clip_absent", values: {} },
  ];
  const before = [lacking, busy].map(errorWords);
  assert.match(before[0].hint, /^Get it/);
  seeAsVisitor(true);
  try {
    assert.deepEqual(errorWords(lacking), { fact: before[0].fact, hint: "Choose another engine, or ask the owner of this studio." });
    assert.deepEqual(errorWords(busy), before[1]);
  } finally {
    seeAsVisitor(false);
  }
});
