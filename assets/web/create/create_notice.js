// What Create says below its steps: see notices.js.

import { codeSaid, say } from "../kit/notices.js";
import { errorWords } from "../words/words.js";

const PLACE = "create-message";
let obstacle = ""; // code of what holds the step up

export const tell = (notice) => say(PLACE, notice);

/** problem: of the studio, with its sentences, or {code, values} of the page's own. acts: as notices.js has them. */
export const complain = (problem, acts = []) => tell({ ...problem, kind: "problem", acts });

/** The sentences of a problem, {fact, hint}. */
export const saidOf = (problem) => (problem.fact ? problem : errorWords(problem));

/** What holds the step up now, "" for nothing: a complaint of what did before is over once that is answered. */
export function isHeldUpBy(code = "") {
  if (obstacle && code !== obstacle && codeSaid(PLACE) === obstacle) tell();
  obstacle = code;
}
