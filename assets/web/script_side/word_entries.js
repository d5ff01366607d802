// Entries of a script's dictionary: each word once in each language. Pure.

export const NO_ENTRY = { written: "", said: "", ipa: "", language: "", case: false, whole_word: true };

export const entryKey = ({ written, language }) => `${language} ${written.toLowerCase()}`;

export const withoutEntry = (entries, entry) => entries.filter((other) => entryKey(other) !== entryKey(entry));

/** With the entry, in the place of the one that it was before, and of any other of the same word. before: null of a new one. */
export function withEntry(entries, entry, before) {
  const at = before ? entries.findIndex((other) => entryKey(other) === entryKey(before)) : -1;
  const marked = at < 0 ? [...entries, entry] : entries.with(at, entry);
  return marked.filter((other) => other === entry || entryKey(other) !== entryKey(entry));
}

const MOST_SELECTED = { characters: 60, words: 4 };

/** The word, or few of them, that is selected in a text and can be an entry; "" where none is. */
export function wordSelected(text, start, end) {
  const said = text.slice(start, end).trim();
  const isShort = said.length <= MOST_SELECTED.characters && said.split(/\s+/).length <= MOST_SELECTED.words;
  return isShort && !said.includes("\n") && /[\p{L}\p{N}]/u.test(said) ? said : "";
}
