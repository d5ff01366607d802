// Scripts: where rows of a long list lie, and what splitting, joining, pasting and moving make of lines.

import assert from "node:assert/strict";
import { test } from "node:test";

import { joinedText, landing, pastedLines, splitLine } from "../../assets/web/script_lines/line_texts.js";
import { clockTime, countsWords, extrasOf, guessedHeight, progressWords, rowWords } from "../../assets/web/script_lines/line_words.js";
import { RowHeights } from "../../assets/web/script_lines/row_heights.js";

const LINE = { who: "ANNA", text: "One. Two.", kind: "line", is_silent: false, pause_seconds: null, state: "said", seconds: 2.31 };

test("each pixel of a long list lies in one row, whatever heights have become known since", () => {
  const heights = new RowHeights();
  const plain = Array.from({ length: 300 }, (_, index) => 40 + ((index * 7) % 31));
  heights.reset(plain);
  for (const [index, height] of [
    [0, 90],
    [299, 10],
    [128, 200],
    [127, 1],
  ]) {
    assert.equal(heights.set(index, height), height - plain[index]);
    plain[index] = height;
  }
  let top = 0;
  plain.forEach((height, index) => {
    assert.equal(heights.top(index), top);
    assert.deepEqual([heights.at(top), heights.at(top + height - 0.5)], [index, index]);
    top += height;
  });
  assert.deepEqual([heights.total, heights.at(-5), heights.at(top + 1)], [top, 0, 299]);
  heights.reset([]);
  assert.deepEqual([heights.total, heights.at(10)], [0, 0]);
});

test("a line that is split gives its pause to its end, and a heading's end is a line of the narrator", () => {
  const { before, after } = splitLine({ ...LINE, pause_seconds: 2 }, 4);
  assert.deepEqual(
    [before, after],
    [
      { text: "One.", pause_seconds: null },
      { who: "ANNA", kind: "line", is_silent: false, text: "Two.", pause_seconds: 2 },
    ],
  );
  assert.deepEqual(splitLine({ ...LINE, kind: "heading" }, 9).after, { who: "", text: "" });
  assert.deepEqual(splitLine(LINE, 9), { before: { text: "One. Two." }, after: { who: "ANNA", kind: "line", is_silent: false, text: "" } });
});

test("lines are joined with a space where words have one", () => {
  assert.deepEqual(joinedText("One. ", " Two."), { text: "One. Two.", at: 5 });
  assert.deepEqual(joinedText("你好。", "再见。"), { text: "你好。再见。", at: 3 });
  assert.deepEqual(joinedText("", "Two."), { text: "Two.", at: 0 });
});

test("pasted lines are said by whom they name, where the cast has that name", () => {
  const cast = [{ name: "" }, { name: "Ben" }];
  assert.deepEqual(pastedLines("BEN: Yes.\r\n\nNote: no name.\n  \n", cast, "ANNA"), [
    { who: "Ben", text: "Yes." },
    { who: "ANNA", text: "Note: no name." },
  ]);
});

test("lines that are moved stand behind the one that was next, and none leaves the script", () => {
  const ids = ["a", "b", "c", "d"];
  assert.deepEqual(
    [landing(ids, ["b"], -1), landing(ids, ["b"], 1), landing(ids, ["b", "c"], 1), landing(ids, ["a"], -1), landing(ids, ids, 1)],
    [null, "c", "d", undefined, undefined],
  );
});

test("a row says all that its signs show", () => {
  assert.equal(rowWords(LINE, 11, true), "Line 12, ANNA: One. Two., Said, 2.3 s, selected");
  assert.equal(rowWords({ ...LINE, who: "", is_silent: true, seconds: null }, 0, false), "Line 1, Narrator: One. Two., Silent");
  const extras = { ...LINE, slot: { start: 61.25, end: 3723 }, fitting: { kind: "over", speed: 1.2, over_seconds: 0.5 }, pause_seconds: 0 };
  assert.equal(extrasOf(extras), "1:01.3 – 1:02:03.0 · 500 ms too long · Pause 0 ms");
  assert.equal(clockTime(59.96), "1:00.0");
  const counts = { n_lines: 84, n_said: 80, n_stale: 3, n_failed: 1, seconds: 552.4 };
  assert.equal(countsWords(counts), "84 lines · 9 min 12 s · 80 said · 3 changed since · 1 failed");
  assert.equal(progressWords({ done: 12, total: 84, seconds_left: 170 }), "12 of 84 lines, about 3 min left");
  assert.equal(progressWords({ done: 1, total: 2, seconds_left: null }), "1 of 2 lines");
});

test("a row is guessed the higher, the longer its text and the narrower its field", () => {
  const height = (text, width) => guessedHeight({ ...LINE, text }, width);
  assert.ok(height("x".repeat(400), 300) > height("x".repeat(400), 600) && height("x".repeat(400), 600) > height("x", 600));
  assert.equal(height("x\ny", 600), height("x", 600) + 24);
});
