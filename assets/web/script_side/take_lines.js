// What is said of the takes of a line, side by side: how each was made, what the ears found, and why one was chosen. Pure.

import { milliseconds, number, seconds, words } from "../words/words.js";

const BETWEEN = " · ";
const PERCENT = 100;

/** "2.8 s · 108 ms · variation 41" */
export function takeFacts({ seconds: length, ttfp_ms: ttfp, seed, pace = 1, mended_from: mended = null }) {
  const said = [seconds(length)];
  if (mended) said.push(words("scripts.takes_mended"));
  if (ttfp !== null && ttfp !== undefined) said.push(words("scripts.takes_ttfp", { time: milliseconds(ttfp) }));
  if (seed !== null && seed !== undefined) said.push(words("takes.variation", { seed: String(seed) }));
  if (pace && pace !== 1)
    said.push(words(pace > 1 ? "scripts.takes_faster" : "scripts.takes_slower", { percent: number(Math.abs(pace - 1) * PERCENT, 0, 0) }));
  return said.join(BETWEEN);
}

/** [{key, said}]: what the ears found of it, as far as they can tell. */
export function earFacts(estimates) {
  if (!estimates) return [];
  const { word_errors: errors, n_words: n, likeness, quality } = estimates;
  const said = [];
  if (isKnown(errors)) said.push({ key: "words", said: words("scripts.takes_words", { errors, n: n ?? 0 }) });
  if (isKnown(likeness)) said.push({ key: "likeness", said: words("scripts.takes_likeness", { value: number(likeness, 2, 2) }) });
  if (isKnown(quality)) said.push({ key: "quality", said: words("scripts.takes_quality", { value: number(quality, 1, 1) }) });
  return said;
}

const isKnown = (value) => value !== null && value !== undefined;

/** Why the ears chose it, "" where they did not. has(key): whether there are words for a key. */
export function reasonWords(reason, has) {
  const key = `scripts.${reason?.key}`;
  return reason && has(key) ? words(key, reason.values) : "";
}

/** Bars of the sliver of its wave: [{x, y, height}] in a box of that width and height. peaks: 0 to 100. */
export function barsOf(peaks, width, height) {
  const step = width / Math.max(1, peaks.length);
  return peaks.map((peak, at) => {
    const tall = Math.max(2, Math.sqrt(peak / PERCENT) * height);
    return { x: at * step, y: (height - tall) / 2, height: tall };
  });
}

/** The next take by keys: {take} to hear (1 to 5) or {move: -1 | 1}; null for any other key. */
export function takeKey(key, takes) {
  const at = Number(key) - 1;
  if (Number.isInteger(at) && takes[at]) return { take: takes[at].id };
  return { ArrowUp: { move: -1 }, ArrowDown: { move: 1 } }[key] ?? null;
}

/** The take that stands so many places beside another one. */
export function takeBeside(takes, id, step) {
  const at = takes.findIndex((take) => take.id === id);
  return takes[Math.max(0, Math.min(takes.length - 1, at + step))]?.id ?? "";
}

/** Whether nothing was found of any take, since the ears are not here: their next step is told then. */
export const areEarsMissing = (takes) => takes.length > 0 && takes.every(({ estimates }) => !earFacts(estimates).length);
