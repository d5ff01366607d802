// What an entry of a dictionary says: the word, and how it is said.

import { languageName } from "../choice/language.js";
import { make } from "../kit/frame.js";

/** entry: {written, said, ipa, language}, the last three "" where there are none. */
export function entryLine({ written, said, ipa, language }) {
  const how = [said, ipa && `/${ipa}/`, language && languageName(language)].filter(Boolean).join(" · ");
  const [word, saying] = [make("b", { textContent: written, dir: "auto" }), make("small", { textContent: how, dir: "auto" })];
  return make("span", { className: "what grow" }, word, saying);
}
