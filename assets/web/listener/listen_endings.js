// Screens on which nothing is asked any more, or not now.

import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { button, byId, linkLine, showScreen, stepCard, told, verbs } from "./listen_parts.js";

// Why nobody can listen here: {code: [title, sentence]} of what the studio says.
const REASONS = {
  test_unknown: ["gone", "gone_told"],
  test_not_open: ["not_begun", "not_begun_told"],
  test_closed: ["closed", "closed_told"],
  test_full: ["full", "full_told"],
};

export const isReason = (code) => code in REASONS;

export function showReason(code) {
  const [title, sentence] = REASONS[code];
  showScreen(words(`listen.${title}`), [told(words(`listen.${sentence}`))]);
}

/** Something that is none of the listener's doing. */
export function showFailure(onAgain) {
  const again = button(words("listen.again"), onAgain, { look: "primary big" });
  showScreen(words("listen.failed"), [stepCard(told(words("listen.failed_told")), verbs(again))]);
}

/** link: to come back with. Resolves when somebody goes on. */
export function showPause(link) {
  return new Promise((resolve) => {
    const goOn = button(words("listen.resume"), resolve, { look: "primary big" });
    showScreen(words("listen.paused"), [stepCard(told(words("listen.paused_told")), linkLine(link), verbs(goOn))]);
  });
}

/** n: answers still on their way. */
export function showThanks(n) {
  const sentence = n ? words("listen.sending", { n }) : words("listen.thanks_told");
  showScreen(words("listen.thanks"), [stepCard(told(sentence))]);
}

/** What a narrow screen shows where faders are asked for; listen.css shows it there alone. */
export function showNarrow(link) {
  const title = make("h1", { id: "narrow-title", textContent: words("listen.narrow") });
  byId("narrow").hidden = false;
  byId("narrow").replaceChildren(title, stepCard(told(words("listen.narrow_told")), linkLine(link, "primary")));
}
