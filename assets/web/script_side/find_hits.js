// Where something is found in the text of a line, as the studio finds it (POST .../find), and what the text is with one place replaced. Pure.

const ESCAPED = /[.*+?^${}()|[\]\\]/g;

function patternOf(sought, { case: isCase = false, whole_word: isWhole = false }) {
  const literal = sought.replace(ESCAPED, "\\$&");
  const whole = isWhole ? `(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])` : literal;
  return new RegExp(whole, isCase ? "gu" : "giu");
}

/** [{from, to}] of a text. how: {case, whole_word}. */
export function placesIn(text, sought, how = {}) {
  if (!sought) return [];
  return [...text.matchAll(patternOf(sought, how))].map((found) => ({ from: found.index, to: found.index + found[0].length }));
}

/** The text with one place replaced. */
export const replacedAt = (text, { from, to }, by) => text.slice(0, from) + by + text.slice(to);

const AROUND = 28; // characters before what is found

/** {before, found, after}: of a text, as much as a line of a list needs. */
export function excerptOf(text, { from, to }) {
  const first = Math.max(0, from - AROUND);
  const flat = (part) => part.replace(/\s+/g, " ");
  return { before: `${first ? "…" : ""}${flat(text.slice(first, from))}`, found: text.slice(from, to), after: flat(text.slice(to)) };
}
