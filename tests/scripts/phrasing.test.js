// Sentences and figures of the page's scripts; tests/ui/gradio/test_words.py asks the same samples of Python's.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { phrasing } from "../../assets/web/words/phrasing.js";

const { catalog, samples } = JSON.parse(readFileSync(new URL("phrasing_samples.json", import.meta.url), "utf-8"));

test("each language says a sample as Python says it", () => {
  for (const [language, verb, values, said] of samples) {
    assert.deepEqual(phrasing(language, catalog)[verb](...values), said, `${language} ${verb} ${JSON.stringify(values)}`);
  }
});

test("a sentence that is not there is a mistake", () => {
  assert.throws(() => phrasing("en", catalog).words("speak.nothing"), /speak\.nothing/);
});
