// How other tabs open Compare: with lanes, and perhaps a text.

import { openRoom } from "../navigation/navigation.js";

let taker = null; // the tab, once it is there
let wanted = null; // what came before

/** Opens the tab with these lanes. asked: {lanes: [{voice, engine, options, language}], text}; what a lane leaves out is chosen for it. */
export function openCompare(asked) {
  wanted = asked;
  openRoom("compare");
  if (taker) taker(takeComparison());
}

/** What the tab was opened with before it was there; null for nothing. */
export function takeComparison() {
  const asked = wanted;
  wanted = null;
  return asked;
}

/** The tab is there: `take` hears of each. */
export function onComparison(take) {
  taker = take;
}
