// What an export is asked for and told, and where something is found in a script.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  dubOrderOf,
  fieldsOf,
  fileName,
  lackWords,
  levelLines,
  loudnessLines,
  orderOf,
  overWords,
  receivedWords,
} from "../../assets/web/script_side/export_order.js";
import { excerptOf, placesIn, replacedAt } from "../../assets/web/script_side/find_hits.js";

const CHOSEN = { format: "m4b", split: "chapter", loudness: "acx", chapter: "0", names: true };

test("an order says only what its format has, and refuses what is lacking unless that was allowed", () => {
  assert.deepEqual(orderOf(CHOSEN), {
    format: "m4b",
    missing: "refuse",
    stale: "refuse",
    split: "chapter",
    loudness: "acx",
    chapters: [0],
  });
  assert.deepEqual(orderOf({ ...CHOSEN, format: "srt", missing: "skip" }), {
    format: "srt",
    missing: "skip",
    stale: "refuse",
    chapters: [0],
    names: true,
  });
  assert.deepEqual(orderOf({ ...CHOSEN, format: "script" }), { format: "script", missing: "refuse", stale: "refuse" });
  assert.ok(!fieldsOf("wav").cover && fieldsOf("m4b").cover && !fieldsOf("script").isSaid);
});

test("a video is asked for with how much lower its own sound is only where that is mixed", () => {
  const video = { original: "duck", original_db: -18, subtitles: true };
  assert.deepEqual(dubOrderOf({ ...CHOSEN, loudness: "-16" }, video), {
    ...video,
    missing: "refuse",
    stale: "refuse",
    loudness: "-16",
    names: true,
  });
  const dropped = dubOrderOf(CHOSEN, { ...video, original: "drop", subtitles: false });
  assert.ok(!("original_db" in dropped) && !("loudness" in dropped) && !("names" in dropped));
});

test("what is lacking is counted, and each figure of loudness says whether it is met", () => {
  assert.deepEqual(
    lackWords({ unsaid: 1, stale: 3 }).map(({ said }) => said),
    ["1 line is not said yet.", "3 lines have changed since they were said."],
  );
  assert.deepEqual(lackWords({}), []);
  const checks = [
    { figure: "rms", value: -20.44, least: -23, most: -18, is_met: true },
    { figure: "peak", value: null, least: null, most: -3, is_met: false },
  ];
  assert.deepEqual(loudnessLines({ checks }), [
    { said: "RMS -20.4 dB (-23 to -18)", isMet: true },
    { said: "Peak – dB (-3 at most)", isMet: false },
  ]);
});

test("of several files those are told that miss the target; without a target, which ones the sound meets", () => {
  const file = (name, isMet) => ({
    name,
    target: "-16",
    is_met: isMet,
    met: [],
    checks: [{ figure: "lufs", value: -14, least: -16.5, most: -15.5, is_met: isMet }],
  });
  assert.deepEqual(
    levelLines([file("one", true), file("two", false)]).map(({ said, isMet }) => [said, isMet]),
    [
      ["1 of 2 files meet the target", false],
      ["two: Loudness -14.0 LUFS (-16.5 to -15.5)", false],
    ],
  );
  assert.equal(levelLines([file("", true)]).length, 1);
  assert.equal(levelLines([{ target: "none", met: ["acx"], checks: [] }])[0].said, "As it is, it meets: ACX, audiobooks");
  assert.deepEqual([levelLines(null), levelLines({})], [[], []]);
});

test("of lines that miss their place the worst are told, and how many more", () => {
  const over = [0.2, 0.9, 0.4].map((seconds, index) => ({ index, over_seconds: seconds }));
  assert.deepEqual(overWords(over, 2), [
    "Line 2 is 900 ms too long for its place.",
    "Line 3 is 400 ms too long for its place.",
    "1 more is too long.",
  ]);
});

test("a file has the name that the studio gives, in any script, and what has come of it is told", () => {
  assert.equal(fileName("attachment; filename=\"a.m4b\"; filename*=UTF-8''%E5%89%A7%E6%9C%AC.m4b"), "剧本.m4b");
  assert.equal(fileName('attachment; filename="A play.m4b"'), "A play.m4b");
  assert.equal(fileName(null), "");
  assert.deepEqual([receivedWords(0, 0), receivedWords(1500, 3000)], ["Making the file …", "1.5 kB of 3.0 kB"]);
});

test("a search finds every place, whole words where they are meant, in any script, and signs are signs", () => {
  assert.deepEqual(placesIn("Ann, anna, ANN", "ann"), [
    { from: 0, to: 3 },
    { from: 5, to: 8 },
    { from: 11, to: 14 },
  ]);
  assert.equal(placesIn("Ann, anna, ANN", "ann", { whole_word: true }).length, 2);
  assert.equal(placesIn("Ann, anna, ANN", "ann", { case: true, whole_word: true }).length, 0);
  assert.equal(placesIn("Straße über Ärger", "über", { whole_word: true }).length, 1);
  assert.equal(placesIn("$5 (five)", "$5 (").length, 1);
  assert.deepEqual(placesIn("a", ""), []);
});

test("one place is replaced and the others stay; a line of a list shows what is around it", () => {
  const text = "He never, never waits.";
  const [, second] = placesIn(text, "never");
  assert.equal(replacedAt(text, second, "ever"), "He never, ever waits.");
  const { before, found, after } = excerptOf(`${"x".repeat(60)} never\nwaits`, { from: 61, to: 66 });
  assert.ok(before.startsWith("…x") && before.length < 40);
  assert.deepEqual([found, after], ["never", " waits"]);
});
