// Words of a take that are mended: which are selected, what comes of it, and what is offered.
import assert from "node:assert/strict";
import { test } from "node:test";
import { editorsOf, kindsOf, mendedText, piecesOf, selectedBy, selectedText, wishOf } from "../../assets/web/script_side/mend_words.js";

const TEXT = "😀 “Good day”, dear Ben.";
const WORDS = [
  [3, 7],
  [8, 11],
  [14, 18],
  [19, 22],
].map(([from, to]) => ({ from, to }));
const [REPLACE, INSERT, REMOVE] = ["replace", "insert", "remove"].map((name) => ({
  name,
  place: "stretch",
  changes_words: true,
  options: [],
}));
const PAUSE = { name: "pause", place: "point", changes_words: false, options: [{ name: "level" }] };
const PACE = { name: "pace", place: "stretch", changes_words: false, options: [] };
const DENOISE = { name: "denoise", place: "whole", changes_words: false, options: [] };

test("words stand where the text has them, whatever stands between, and characters are Python's", () => {
  assert.deepEqual(
    piecesOf(TEXT, WORDS).map(({ said, word }) => [said, word]),
    [
      ["😀 “", -1],
      ["Good", 0],
      [" ", -1],
      ["day", 1],
      ["”, ", -1],
      ["dear", 2],
      [" ", -1],
      ["Ben", 3],
      [".", -1],
    ],
  );
  assert.equal(selectedText(TEXT, WORDS, { first: 1, last: 2 }), "day”, dear");
});

test("a press selects a word, one beside it too, Shift up to another, and the only one no more", () => {
  const one = selectedBy(null, 2);
  assert.deepEqual([one.first, one.last], [2, 2]);
  assert.equal(selectedBy(one, 2), null);
  const range = ({ first, last }) => [first, last];
  assert.deepEqual(
    [range(selectedBy(one, 3)), range(selectedBy(one, 1)), range(selectedBy(one, 0))],
    [
      [2, 3],
      [1, 2],
      [0, 0],
    ],
  );
  const more = selectedBy(one, 0, true);
  assert.deepEqual(
    [range(more), range(selectedBy(more, 3, true))],
    [
      [0, 2],
      [2, 3],
    ],
  );
});

test("other words take the place of the selected ones, and none leave no hole", () => {
  const mended = (first, last, typed) => mendedText(TEXT, WORDS, { first, last }, typed);
  assert.equal(mended(2, 2, " poor old "), "😀 “Good day”, poor old Ben.");
  assert.equal(mended(2, 2, ""), "😀 “Good day”, Ben.");
  assert.equal(mended(0, 0, ""), "😀 “day”, dear Ben.");
  assert.equal(mended(3, 3, ""), "😀 “Good day”, dear.");
  assert.equal(
    mendedText(
      "One two",
      [
        { from: 0, to: 3 },
        { from: 4, to: 7 },
      ],
      { first: 0, last: 0 },
      "",
    ),
    "two",
  );
});

test("what an engine can is offered: words where it knows all three, and what is no matter of the whole", () => {
  const names = (edits) => kindsOf(edits).map(({ name }) => name);
  assert.deepEqual(names([REPLACE, INSERT, REMOVE, PAUSE, DENOISE]), ["words", "pause"]);
  assert.deepEqual(names([REPLACE, PACE]), ["pace"]);
  const engines = [{ id: "a", edits: [] }, { id: "b" }, { id: "c", edits: [DENOISE] }, { id: "d", edits: [PACE] }];
  assert.deepEqual(
    editorsOf(engines).map(({ id }) => id),
    ["d"],
  );
});

test("the studio is asked for a text, or for a change behind the last word or of the selected ones", () => {
  const asked = { text: TEXT, words: WORDS, selected: { first: 1, last: 2 }, typed: "night", values: { level: 2 } };
  assert.deepEqual(wishOf({ name: "words", place: "stretch" }, asked), { text: "😀 “Good night Ben." });
  const [pause, pace] = [PAUSE, PACE].map((kind) => wishOf(kind, asked).operations[0]);
  assert.deepEqual(pause, { kind: "pause", start: 18, end: 18, values: { level: 2 } });
  assert.deepEqual([pace.start, pace.end], [8, 18]);
});
