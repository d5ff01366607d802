// Words of a take that are mended: which are selected, which text comes of it, and what the engine is asked for. Pure. Places are characters as
// Python counts them.

const WORDS = ["replace", "insert", "remove"]; // what an engine has to know where words become others

const OPENING = /(?:^|[“„‘«([{¿¡])$/u; // behind which no blank stands
const CLOSING = /^(?:$|\s|[.,;:!?…”’»)\]}])/u; // before which none stands

/** Engines that change recordings. engines: those of the choice that are here. */
export const editorsOf = (engines) => engines.filter(({ edits }) => kindsOf(edits ?? []).length > 0);

/** What can be chosen of an engine's `edits`: "words", which become others, and kinds that say the same words otherwise. */
export function kindsOf(edits) {
  const names = edits.map(({ name }) => name);
  const others = edits.filter(({ place, changes_words: isOther }) => place !== "whole" && !isOther);
  const isAble = WORDS.every((name) => names.includes(name));
  return [...(isAble ? [{ name: "words", place: "stretch", options: [] }] : []), ...others];
}

/** The text in pieces: [{said, word}], word: its index, -1 of what stands between words. words: [{from, to}] in order. */
export function piecesOf(text, words) {
  const letters = [...text];
  const pieces = [];
  let at = 0;
  const take = (end, word) => {
    if (end > at) pieces.push({ said: letters.slice(at, end).join(""), word });
    at = Math.max(at, end);
  };
  for (const [index, { from, to }] of words.entries()) {
    take(from, -1);
    take(to, index);
  }
  take(letters.length, -1);
  return pieces;
}

/** {first, last} of the words that are selected once one is pressed; null for none. isMore: up to it. */
export function selectedBy(selected, at, isMore = false) {
  if (!selected) return { first: at, last: at, anchor: at };
  const { first, last, anchor } = selected;
  if (isMore) return { first: Math.min(anchor, at), last: Math.max(anchor, at), anchor };
  if (at === first - 1) return { first: at, last, anchor: last };
  if (at === last + 1) return { first, last: at, anchor: first };
  return first === last && first === at ? null : { first: at, last: at, anchor: at };
}

/** What is written where the selected words are. */
export const selectedText = (text, words, { first, last }) => [...text].slice(words[first].from, words[last].to).join("");

/** The text with other words in place of the selected ones; "" leaves them out. */
export function mendedText(text, words, { first, last }, typed) {
  const letters = [...text];
  const before = letters.slice(0, words[first].from).join("");
  const after = letters.slice(words[last].to).join("");
  const said = typed.trim();
  if (said) return `${before}${said}${after}`;
  if (OPENING.test(before)) return `${before}${after.trimStart()}`;
  if (!/\s$/.test(before)) return `${before}${after}`;
  return `${before.trimEnd()}${CLOSING.test(after) ? "" : " "}${after}`;
}

/** What the studio is asked for: {text} or {operations}. kind: of kindsOf; values: of its options, by name. */
export function wishOf(kind, { text, words, selected, typed, values }) {
  if (kind.name === "words") return { text: mendedText(text, words, selected, typed) };
  const end = words[selected.last].to;
  const start = kind.place === "point" ? end : words[selected.first].from;
  return { text: null, operations: [{ kind: kind.name, start, end, values }] };
}
