// Words that an engine knows, as they are put into a text and taken out again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { exampleOf, holds, languageOf, withWord } from "../../assets/web/choice/word_list.js";

const GENDER = ["male", "female"];
const AGE = ["child", "young adult", "elderly"];

test("a word goes to the end, in the place of another of its group, and away where it is", () => {
  assert.equal(withWord("", "male", GENDER), "male");
  assert.equal(withWord("male, elderly", "young adult", AGE), "male, young adult");
  assert.equal(withWord("Male ,elderly, my own", "female", GENDER), "female, elderly, my own");
  assert.equal(withWord("male, Elderly", "elderly", AGE), "male");
  assert.equal(withWord("male, female，elderly", "male", GENDER), "elderly", "of two of a group none is left");
});

test("a word is in the list in any case and with the commas of either script, and part of another is none", () => {
  assert.ok(holds("Male，YOUNG adult", "young adult") && holds(" male ", "male"));
  assert.ok(!holds("female", "male") && !holds("", "male"));
});

test("the example has a word of each of the first groups", () => {
  assert.equal(exampleOf([GENDER, AGE, ["low", "moderate", "high"], ["whisper"]]), "female, young adult, moderate");
});

test("a word is read aloud in the language that it is written in, whatever the page's", () => {
  assert.deepEqual(["low pitch", "耳语", "四川话"].map(languageOf), ["en", "zh", "zh"]);
});
