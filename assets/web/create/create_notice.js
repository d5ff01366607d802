// What Create says below its steps: see notices.js.

import { say } from "../kit/notices.js";
import { errorWords } from "../words/words.js";

export const tell = (notice) => say("create-message", notice);

/** problem: of the studio, with its sentences, or {code, values} of the page's own. acts: as notices.js has them. */
export const complain = (problem, acts = []) => tell({ ...problem, kind: "problem", acts });

/** The sentences of a problem, {fact, hint}. */
export const saidOf = (problem) => (problem.fact ? problem : errorWords(problem));
