// What languages are called for the reader: by the browser, or as the studio knows it, and never by a bare code.

import { language as reader, words } from "../words/words.js";
import { askNames } from "./language_names.js";
import { languageNameIn, learnAccents } from "./languages.js";

learnAccents({
  "ca-ba": words("languages.accent_ca_ba"),
  "ca-nw": words("languages.accent_ca_nw"),
  "ca-va": words("languages.accent_ca_va"),
  "ru-cl": words("languages.accent_ru_cl"),
  nyc: words("languages.accent_nyc"),
  rp: words("languages.accent_rp"),
  gbclan: words("languages.accent_gbclan"),
  gbcwmd: words("languages.accent_gbcwmd"),
  central: words("languages.accent_central"),
  south: words("languages.accent_south"),
});

/** Its name. Of one that the browser does not know the studio is asked, which "studio-languages" on the document tells the answer of. */
export function languageName(code) {
  const name = languageNameIn(code, reader);
  if (name !== code) return name;
  askNames();
  return words("languages.unnamed", { code });
}
