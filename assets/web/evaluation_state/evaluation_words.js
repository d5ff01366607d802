// What evaluations are told in: figures with their units, ranges, times left, states. Pure, but for the words.

import { errorWords, number, seconds, words } from "../words/words.js";

const MINUTE = 60;
const HOUR = 3600;
const FIVE = 5;
const CHIPS = { ready: "none", running: "learning", stopped: "stale", done: "good" };
const NONE = "–";

/** Words of the section that another room of the studio has, or what is said instead. */
export function knownWords(key, otherwise, values = {}) {
  try {
    return words(`evaluations.${key}`, values);
  } catch {
    return otherwise;
  }
}

/** What a figure is called. figure: {name, label}, as results have it. */
export const figureName = ({ name, label }) => knownWords(`figure_${name}`, label || name);

/** A figure as it is read, "–" for none. */
export function figureWords({ unit = "", decimals = 2 }, value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  const said = number(value, decimals, decimals);
  if (!unit) return said;
  return unit === "x" ? `${said}×` : words("evaluations.page_with_unit", { value: said, unit });
}

/** "1.2 to 2.9", "" where nothing is known of it. */
export function rangeWords({ decimals = 2 }, low, high) {
  if (![low, high].every((end) => end !== null && end !== undefined && Number.isFinite(end))) return "";
  const [from, to] = [low, high].map((end) => number(end, decimals, decimals));
  return words("evaluations.page_range", { from, to });
}

/** Such as "about 12 min": nobody knows it to the second. */
export function aboutWords(time) {
  if (time < MINUTE) return words("evaluations.page_about", { time: seconds(Math.max(FIVE, FIVE * Math.round(time / FIVE))) });
  const minutes = Math.round(time / MINUTE);
  if (time < HOUR) return words("evaluations.page_about", { time: seconds(minutes * MINUTE) });
  const hours = words("evaluations.page_hours", { hours: Math.floor(minutes / MINUTE), minutes: minutes % MINUTE });
  return words("evaluations.page_about", { time: hours });
}

/** {fact, hint} of why something is refused or lacking: a sentence, or what an error tells. */
export function whyWords(why) {
  if (!why) return { fact: "", hint: "" };
  if (typeof why === "string") return { fact: why, hint: "" };
  const { reason_code: code = "", message = "", fact = message, hint = "", values = {} } = why;
  return errorWords({ code, values, fact, hint });
}

/** The same as one line. */
export const whyLine = (why) => {
  const { fact, hint } = whyWords(why);
  return [fact, hint].filter(Boolean).join(" ");
};

/** [state of a chip, what it says]. */
export const evaluationStateWords = (state) => [CHIPS[state] ?? "none", knownWords(`page_state_${state}`, state)];

/** How much of an evaluation is done, 0 to 1: each sound is said, and then measured. */
export const shareOf = ({ n_cells: n, n_said: said, n_measured: measured }) => (n ? Math.min(1, (said + measured) / (2 * n)) : 0);

/** "34 of 300 sounds said", or how many of them are measured. */
export function countWords({ n_cells: n, n_said: said, n_measured: measured, state }) {
  if (state === "done") return words("evaluations.page_n_sounds", { n });
  return said < n || !measured ? words("evaluations.page_n_said", { n, said }) : words("evaluations.page_n_measured", { n, measured });
}

export const titleOf = ({ title }) => title || words("evaluations.page_untitled");

/** What a line of findings says in the reader's language, as the studio gives it. */
export const lineWords = (line) => (typeof line === "string" ? line : (line.said ?? line.sentence ?? ""));
