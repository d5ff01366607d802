// Blends of built-in voices: what they are asked for by, their shares, and those that are drawn by chance.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawSeeds, formulaOf, requestOfDesign, sharesOf, surprises, textIn, voicesOf } from "../../assets/web/design/blend.js";

const PRESETS = [
  ...["alma", "bea", "cleo", "dora"].map((name) => ({ name, language: "en-us", sex: "female" })),
  ...["evan", "finn", "gus"].map((name) => ({ name, language: "en-us", sex: "male" })),
  { name: "hans", language: "de", sex: "male" },
];

// Numbers from 0 to 1 that look drawn and are the same every time (a linear congruential generator).
function drawn(seed) {
  let state = seed;
  return () => {
    state = (1664525 * state + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

test("the request of a candidate is the one by which the studio keeps it", () => {
  const common = { engine: "e", text: "Hello.", language: "en" };
  assert.deepEqual(requestOfDesign({ ...common, blend: "a:3+b:1", seed: null }), {
    input: "Hello.",
    model: "e",
    directions: false,
    voice: "a:3+b:1",
    language: "en",
  });
  assert.deepEqual(requestOfDesign({ ...common, language: "", description: "old", seed: 7 }), {
    input: "Hello.",
    model: "e",
    directions: false,
    task_type: "VoiceDesign",
    instructions: "old",
    seed: 7,
  });
});

test("shares are whole per cent and together a hundred", () => {
  for (const weights of [
    [50, 50],
    [1, 1, 1],
    [7, 100, 33, 2, 1],
  ]) {
    const shares = sharesOf(weights.map((weight) => ({ name: "x", weight })));
    assert.equal(
      shares.reduce((sum, share) => sum + share, 0),
      100,
    );
    shares.forEach((share, at) => {
      assert.ok(Math.abs(share - (100 * weights[at]) / weights.reduce((sum, weight) => sum + weight, 0)) < 1);
    });
  }
});

test("three surprises are three blends, each of voices of one sex with weights above zero", () => {
  for (let seed = 0; seed < 50; seed += 1) {
    const blends = surprises(voicesOf(PRESETS, "en-us"), drawn(seed));
    assert.equal(
      new Set(
        blends.map((parts) =>
          parts
            .map(({ name }) => name)
            .sort()
            .join("+"),
        ),
      ).size,
      3,
    );
    for (const parts of blends) {
      assert.ok(parts.length >= 2 && parts.length <= 3 && parts.every(({ weight }) => weight > 0));
      assert.equal(new Set(parts.map(({ name }) => PRESETS.find((preset) => preset.name === name).sex)).size, 1);
      assert.equal(formulaOf(parts).split("+").length, parts.length);
    }
  }
});

test("where there are few voices there are as many blends as there can be, and no search without an end", () => {
  assert.equal(surprises(PRESETS.slice(0, 2), drawn(1)).length, 1);
  assert.deepEqual(voicesOf(PRESETS, "de"), PRESETS); // one alone cannot be blended
});

test("seeds differ, and lie in the engine's range", () => {
  assert.deepEqual(drawSeeds(3, drawn(1)).sort(), [1, 2, 3]);
  assert.equal(drawSeeds(2, drawn(1)).length, 2);
});

test("the text is that of the language, whatever its accent", () => {
  assert.equal(textIn({ en: "Hi." }, "en-gb"), "Hi.");
  assert.equal(textIn({ en: "Hi." }, "sw"), "");
});
