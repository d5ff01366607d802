// In which order voices are listed: one's own first, then the built-in ones that belong to the language.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder } from "../../assets/web/choice/voice_order.js";

const VOICES = [
  { name: "Ben", is_stored: true, language: "fr" },
  { name: "Ana", is_stored: true, language: "de" },
  { name: "casual_male", is_stored: false, language: "en" },
  { name: "hum", is_stored: false, language: "" },
  { name: "de_male", is_stored: false, language: "de" },
  { name: "de_female", is_stored: false, language: "de-AT" },
];
const namesFor = (language) => inOrder(VOICES, language).map(({ name }) => name);

test("built-in voices of the language stand before others, behind stored ones, and all else stays in its order", () => {
  assert.deepEqual(namesFor("de"), ["Ben", "Ana", "de_male", "de_female", "casual_male", "hum"]);
  assert.deepEqual(namesFor("de-CH"), namesFor("de"));
  assert.deepEqual(
    namesFor("zh"),
    VOICES.map(({ name }) => name),
  );
});
