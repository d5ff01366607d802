// In which order voices are listed: one's own first, then the built-in ones by language.
import assert from "node:assert/strict";
import { test } from "node:test";
import { grouped } from "../../assets/web/choice/voice_order.js";

const VOICES = [
  { name: "Ben", is_stored: true, language: "fr" },
  { name: "casual_male", is_stored: false, language: "en" },
  { name: "hum", is_stored: false, language: "" },
  { name: "de_male", is_stored: false, language: "de" },
  { name: "Ana", is_stored: true, language: "de" },
  { name: "at_female", is_stored: false, language: "de-at" },
  { name: "de_female", is_stored: false, language: "de" },
];
const NAMES = { "": "", de: "German", "de-at": "Austrian", en: "English" };
const shownFor = (language, voices = VOICES) =>
  grouped(voices, language, (code) => NAMES[code]).map((group) => [group.language, ...group.voices.map(({ name }) => name)]);
const [OWN, ANY, GERMAN, AUSTRIAN, ENGLISH] = [
  ["", "Ben", "Ana"],
  ["", "hum"],
  ["de", "de_male", "de_female"],
  ["de-at", "at_female"],
  ["en", "casual_male"],
];

test("stored voices come first, then the language that is wanted, its accents, the others by name, and those of no language", () => {
  assert.deepEqual(shownFor("de"), [OWN, GERMAN, AUSTRIAN, ENGLISH, ANY]);
  assert.deepEqual(shownFor("de-at"), [OWN, AUSTRIAN, GERMAN, ENGLISH, ANY]);
  assert.deepEqual(shownFor("de-ch"), [OWN, AUSTRIAN, GERMAN, ENGLISH, ANY]);
  assert.deepEqual(shownFor("zh"), [OWN, AUSTRIAN, ENGLISH, GERMAN, ANY]);
});

test("a group without voices is no group", () => {
  assert.deepEqual(shownFor("zh", VOICES.slice(1, 2)), [ENGLISH]);
  assert.deepEqual(shownFor("zh", []), []);
});
