// How other tabs begin a listening test: with a plan, which the tab "Listening tests" opens as a new draft.

import { openRoom } from "../navigation/navigation.js";

let take = null; // of the tab, once it is there
let waiting = null; // a plan that came before

/** Opens the tab with a new draft. plan: as studio/listening/plan/plan.py has it in JSON; what is left out is as in any new test. */
export function draftTest(plan) {
  openRoom("tests");
  if (take) return take(plan);
  waiting = plan;
  return undefined;
}

/** The tab is there: hears of each plan. */
export function onTestDraft(taker) {
  take = taker;
  const plan = waiting;
  waiting = null;
  if (plan) take(plan);
}
