// Language selects: codes come from the chosen engine, names from the browser, in the reader's language.

import { make } from "../kit/frame.js";
import { language as reader } from "../words/words.js";
import { languageNameIn } from "./languages.js";

export const languageName = (code) => languageNameIn(code, reader);

// Options of a select, by their names in the reader's order. unset: what no choice is called.
export function languageOptions(codes, unset, labelOf = languageName) {
  const known = codes.map((code) => [labelOf(code), code]).sort(([one], [other]) => one.localeCompare(other));
  return [[unset, ""], ...known].map(([textContent, value]) => make("option", { textContent, value }));
}
