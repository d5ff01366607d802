// Screens on which nothing is asked any more, or not now.

import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { button, byId, codeLine, linkLine, showScreen, stepCard, told, verbs } from "./listen_parts.js";

// Why nobody can listen here: {code: [title, sentence]} of what the studio says.
const REASONS = {
  test_unknown: ["gone", "gone_told"],
  test_not_open: ["not_begun", "not_begun_told"],
  test_closed: ["closed", "closed_told"],
  test_full: ["full", "full_told"],
  test_quota_full: ["full", "full_told"],
  listener_known: ["known", "known_told"],
  listener_screened_out: ["not_asked", "not_asked_told"],
  test_previewed: ["preview_title", "only_preview"],
};

export const isReason = (code) => code in REASONS;

/** along: what somebody takes with them who is not asked. withdraw(): somebody who was here wants their answers back. */
export function showReason(code, { along = null, withdraw = null } = {}) {
  const [title, sentence] = REASONS[code];
  const parts = [told(words(`listen.${sentence}`)), ...alongParts(along)];
  showScreen(words(`listen.${title}`), withdraw ? [...parts, withdrawLink(withdraw)] : parts);
}

/** Where answers are taken back. */
export const withdrawLink = (withdraw) => verbs(button(words("listen.withdraw"), withdraw, { look: "quiet" }));

// A code to be entered where somebody came from, and the ways back there.
function alongParts(along) {
  if (!along) return [];
  const { code, redirect, submit_to: submitTo, fields } = along;
  const back =
    redirect && !submitTo ? make("a", { className: "button primary big", href: redirect, target: "_top", rel: "noreferrer" }) : null;
  if (back) back.textContent = words("listen.go_back");
  const sentences = code ? [told(words("listen.code_told")), codeLine(code, words("listen.completion"))] : [];
  const ways = [...(submitTo ? [handInForm(submitTo, fields)] : []), ...(back ? [back] : [])];
  return sentences.length || ways.length ? [stepCard(...sentences, ...(ways.length ? [verbs(...ways)] : []))] : [];
}

// The form by which a task is handed in at Mechanical Turk.
function handInForm(action, fields) {
  const hidden = Object.entries(fields).map(([name, value]) => make("input", { dir: "auto", type: "hidden", name, value }));
  const send = make("button", { type: "submit", className: "button primary big", textContent: words("listen.hand_in") });
  return make("form", { method: "post", action, target: "_top" }, ...hidden, send);
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

/** n: answers still on their way. along: what is taken along. code: the listener's own. withdraw(): they want their answers back. */
export function showThanks(n, { along = null, code = "", withdraw = () => {} } = {}) {
  const sentence = n ? words("listen.sending", { n }) : words("listen.thanks_told");
  const parts = n
    ? [stepCard(told(sentence))]
    : [told(sentence), ...alongParts(along), ...(code ? [stepCard(codeTitle(), ...ownCode(code))] : [])];
  showScreen(words("listen.thanks"), n ? parts : [...parts, withdrawLink(withdraw)]);
}

const codeTitle = () => make("h2", { textContent: words("listen.own_code") });

/** The code with which a listener sees and deletes what is kept of them. */
export const ownCode = (code) => [
  codeLine(code, words("listen.own_code")),
  told(words("listen.own_code_told", { withdraw: words("listen.withdraw") })),
];

/** What a narrow screen shows where faders are asked for; listen.css shows it there alone. */
export function showNarrow(link) {
  const title = make("h1", { id: "narrow-title", textContent: words("listen.narrow") });
  byId("narrow").hidden = false;
  byId("narrow").replaceChildren(title, stepCard(told(words("listen.narrow_told")), linkLine(link, "primary")));
}
