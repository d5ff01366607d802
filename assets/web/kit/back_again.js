// What a notice says once the studio answers again. Pure.

import { words } from "../words/words.js";

const AWAY = "studio_away"; // the code of what is said while it does not

/** In the place of what was said; null where that is as true as before. */
export function saidWhenBack(said) {
  if (said.code !== AWAY) return null;
  return { ...said, kind: "note", code: "", fact: words("notices.back"), hint: words("notices.back_hint") };
}
