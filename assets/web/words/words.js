// What scripts say: sentences of assets/words/ in the reader's language. catalog.js is made by the server, one for each language.

import { catalog, language, owners } from "./catalog.js";
import { apart, phrasing } from "./phrasing.js";

export { apart, language };
const phrases = phrasing(language, catalog);
export const { words, number, seconds, milliseconds, bytes } = phrases;

let isVisitor = false;

/** Whether somebody reads who does not run the studio, whose visitors do without what its owner alone can do. */
export const seeAsVisitor = (is) => {
  isVisitor = is;
};

/** The same question, answered. */
export const isSeenByVisitor = () => isVisitor;

/** {fact, hint} of what went wrong, see phrasing.js. A visitor is told what the owner alone can do as the owner's. */
export function errorWords(problem) {
  const said = phrases.errorWords(problem);
  const isOwners = isVisitor && owners.errors.includes(problem.values?.sentence ?? problem.code);
  return isOwners ? { ...said, hint: words(owners.hint) } : said;
}
