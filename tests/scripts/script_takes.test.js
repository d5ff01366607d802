// Takes of a line side by side, the words of its dictionary, and the times of its slot.
import assert from "node:assert/strict";
import { test } from "node:test";
import { slotWords, timeOf, timeTyped } from "../../assets/web/script_side/line_times.js";
import { areEarsMissing, barsOf, earFacts, reasonWords, takeBeside, takeFacts, takeKey } from "../../assets/web/script_side/take_lines.js";
import { withEntry, withoutEntry, wordSelected } from "../../assets/web/script_side/word_entries.js";

const TAKES = [{ id: "a" }, { id: "b" }, { id: "c" }];

test("a take tells its length, its time to first sound and its variation, as far as they are known", () => {
  assert.equal(takeFacts({ seconds: 2.8, ttfp_ms: 108, seed: 41 }), "2.8 s · 108 ms to first sound · variation 41");
  assert.equal(takeFacts({ seconds: 3, ttfp_ms: null, seed: null, pace: 0.95 }), "3 s · 5 % slower");
});

test("of what the ears found only that is said which they can tell; nothing of any take means that they are not here", () => {
  const found = { word_errors: 0, n_words: 7, likeness: null, quality: 4.12, heard: "…" };
  assert.deepEqual(
    earFacts(found).map(({ key }) => key),
    ["words", "quality"],
  );
  assert.ok(earFacts(found)[1].said.includes("4.1"));
  assert.ok(areEarsMissing([{ estimates: null }]) && !areEarsMissing([]) && !areEarsMissing([{ estimates: null }, { estimates: found }]));
});

test("a reason without words is not shown as a key", () => {
  assert.equal(
    reasonWords({ key: "nobody_knows", values: {} }, () => false),
    "",
  );
  assert.equal(
    reasonWords(null, () => true),
    "",
  );
});

test("keys 1 to 5 name takes that are there, arrows go to the one beside and stop at the ends", () => {
  assert.deepEqual(
    [takeKey("2", TAKES), takeKey("5", TAKES), takeKey("ArrowDown", TAKES), takeKey("x", TAKES)],
    [{ take: "b" }, null, { move: 1 }, null],
  );
  assert.deepEqual([takeBeside(TAKES, "a", -1), takeBeside(TAKES, "a", 1), takeBeside(TAKES, "c", 1)], ["a", "b", "c"]);
});

test("the sliver of a wave has a bar for each peak, none of them beyond its box", () => {
  const bars = barsOf([0, 25, 100], 30, 20);
  assert.deepEqual(
    bars.map(({ x, height }) => [x, height]),
    [
      [0, 2],
      [10, 10],
      [20, 20],
    ],
  );
});

test("a time is read as it is written, with hours or none, and what is none is refused", () => {
  for (const seconds of [0, 2.5, 62.35, 3723.004]) assert.equal(timeTyped(timeOf(seconds)), seconds);
  assert.equal(timeOf(62.35), "1:02.35");
  assert.deepEqual(
    [timeTyped("1:02,35"), timeTyped("62.35"), timeTyped("0:01:02.350"), timeTyped("a"), timeTyped("1:2:3:4")],
    [62.35, 62.35, 62.35, null, null],
  );
});

test("a line says how it fits its slot, and by how much it does not", () => {
  const slot = { start: 1, end: 3 };
  assert.equal(slotWords({ slot: null }), "");
  assert.ok(slotWords({ slot, fitting: { kind: "over", over_seconds: 0.4 } }).includes("400 ms"));
  assert.ok(slotWords({ slot, fitting: { kind: "speed", speed: 1.15 } }).includes("1.15"));
});

test("each word is in the dictionary once in each language, and an entry keeps its place", () => {
  const entry = (written, said, language = "") => ({ written, said, language });
  const entries = [entry("Nguyen", "nwin"), entry("SQL", "sequel"), entry("SQL", "Es Ku El", "de")];
  assert.deepEqual(
    withEntry(entries, entry("sql", "ess cue ell"), null).map(({ said }) => said),
    ["nwin", "Es Ku El", "ess cue ell"],
  );
  assert.deepEqual(
    withEntry(entries, entry("Nguyễn", "nwin"), entries[0]).map(({ written }) => written),
    ["Nguyễn", "SQL", "SQL"],
  );
  assert.equal(withoutEntry(entries, entries[2]).length, 2);
});

test("a short selection that holds a letter can be an entry", () => {
  assert.deepEqual([wordSelected("Ask Nguyen now", 4, 11), wordSelected("… !", 0, 3), wordSelected("a b c d e", 0, 9)], ["Nguyen", "", ""]);
});
