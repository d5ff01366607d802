// The words of what is heard: they stand where the text has them in any script, and one at most is under way.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cutText, placedWords, SpokenText, wordAt, wordBeside, wordInText } from "../../assets/web/sound/spoken_text.js";

const told = (...words) => words.map(([from, to, start, end]) => ({ from, to, start, end }));
const TEXT = "It costs $5.";
const WORDS = told([0, 2, 0.1, 0.3], [3, 8, 0.3, 0.7], [9, 11, 1.2, 2]);

test("all of a text is cut into its words and what is between them, and nothing is lost", () => {
  const pieces = cutText(TEXT, placedWords(TEXT, WORDS));
  assert.deepEqual(
    pieces.filter(({ word }) => word !== null).map(({ text }) => text),
    ["It", "costs", "$5"],
  );
  assert.equal(pieces.map(({ text }) => text).join(""), TEXT);
});

test("characters beyond the first plane, from right to left and without spaces are found where they stand", () => {
  const cases = [
    ["🎉 Ja 🎉!", [2, 4], "Ja"],
    ["שלום עולם", [5, 9], "עולם"],
    ["你好世界", [2, 4], "世界"],
  ];
  for (const [text, [from, to], word] of cases) {
    const [found] = cutText(text, placedWords(text, told([from, to, 0, 1]))).filter((piece) => piece.word !== null);
    assert.equal(found.text, word);
  }
});

test("words that lie in each other or beyond the text do not break it", () => {
  const placed = placedWords(TEXT, told([3, 8, 1, 2], [0, 2, 0, 1], [4, 6, 1, 2], [90, 99, 3, 4]));
  assert.deepEqual(
    placed.map(({ from, to }) => [from, to]),
    [
      [0, 2],
      [3, 8],
    ],
  );
});

test("a word is lit from its start until the next one, a pause of more than a moment lights none", () => {
  const placed = placedWords(TEXT, WORDS);
  assert.deepEqual(
    [0, 0.1, 0.3, 0.9, 1.1, 1.2, 5].map((seconds) => wordAt(placed, seconds)),
    [-1, 0, 1, 1, -1, 2, -1],
  );
});

test("a step goes to the word beside, and no further than the ends; a place in the text finds its word", () => {
  const placed = placedWords(TEXT, WORDS);
  assert.deepEqual(
    [wordBeside(placed, 0.4, 1), wordBeside(placed, 0.4, -1), wordBeside(placed, 0, -1), wordBeside(placed, 9, 1)],
    [2, 0, 0, 2],
  );
  assert.deepEqual([wordInText(placed, 4), wordInText(placed, 8), wordInText([], 3)], [1, 1, -1]);
});

test("of a script that plays, the line is shown that is heard, and a line of which more is known takes its own place", () => {
  const spoken = new SpokenText();
  assert.equal(spoken.partAt(0), null);
  spoken.add({ key: "b", at: 2, text: "Two" });
  spoken.add({ key: "a", at: 0, text: "One" });
  spoken.add({ key: "b", at: 2, text: "Two", told: told([0, 3, 0, 1]) });
  assert.equal(spoken.parts.length, 2);
  assert.equal(spoken.partAt(1.9).key, "a");
  assert.equal(spoken.partAt(2).words.length, 1);
});
