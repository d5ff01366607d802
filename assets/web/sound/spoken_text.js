// The words of what is heard: where each stands in its text, and which is under way. Pure.

const HELD_SECONDS = 0.25; // a word stays lit behind its end for so long, or until the next one: else it would flicker between words

/** Of words as the API tells them ({start, end, from, to}: seconds, and characters of the text) those that stand in the text, in its order,
 *  with places as JavaScript counts them: two for a character beyond the first 65,536. */
export function placedWords(text, told) {
  const placeOf = placesOf(text);
  const placed = told.map(({ start, end, from, to }) => ({ start, end, from: placeOf(from), to: placeOf(to) }));
  const inOrder = placed.filter(({ from, to }) => from < to).sort((one, other) => one.from - other.from);
  let last = 0;
  return inOrder.filter(({ from, to }) => {
    const isFree = from >= last;
    if (isFree) last = to;
    return isFree;
  });
}

function placesOf(text) {
  const characters = [...text];
  if (characters.length === text.length) return (at) => Math.max(0, Math.min(text.length, at));
  const places = [0];
  for (const character of characters) places.push(places.at(-1) + character.length);
  return (at) => places[Math.max(0, Math.min(characters.length, at))];
}

/** [{text, word}] in order, all of the text: word is the number of the word that it is, null between words. */
export function cutText(text, placed) {
  const pieces = [];
  let at = 0;
  for (const [word, { from, to }] of placed.entries()) {
    if (from > at) pieces.push({ text: text.slice(at, from), word: null });
    pieces.push({ text: text.slice(from, to), word });
    at = to;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), word: null });
  return pieces;
}

/** The number of the word that is heard at so many seconds; -1 for none. */
export function wordAt(placed, seconds) {
  const found = placed.findLastIndex(({ start }) => start <= seconds);
  return found >= 0 && seconds <= placed[found].end + HELD_SECONDS ? found : -1;
}

/** The number of the word to go to from so many seconds: the next one, or the one before that which is heard. step: 1 or -1. */
export function wordBeside(placed, seconds, step) {
  const at = placed.findLastIndex(({ start }) => start <= seconds + 0.01);
  return Math.max(0, Math.min(placed.length - 1, at + step));
}

/** The word that stands at a place of the text, or the nearest one before it; -1 for none. */
export const wordInText = (placed, place) => placed.findLastIndex(({ from }) => from <= place);

/** What a session says, part by part, as far as it is known by now: of a speech one part, of a script that plays a part for each line. */
export class SpokenText {
  constructor() {
    this.parts = [];
  }

  /** A part that is heard from `at` on. key: of what on the page shows its text ([data-spoken]). told: its words as the API tells them, null
   *  where nobody knows when they are heard, and then `why` says why. One of the same key takes its place. */
  add({ key = "", at = 0, text, told = null, why = "" }) {
    const part = { key, at, text, words: told && placedWords(text, told), why };
    this.parts = [...this.parts.filter((other) => other.key !== key || other.at !== at), part].sort((one, other) => one.at - other.at);
    return part;
  }

  /** The part that is heard at so many seconds; null before there is any. */
  partAt(seconds) {
    return this.parts.findLast(({ at }) => at <= seconds) ?? this.parts[0] ?? null;
  }
}
