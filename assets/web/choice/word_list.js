// A text that is a list of words which an engine knows, between commas: which of them are in it, and what becomes of it by one more. Pure.

const plain = (word) => word.trim().toLowerCase();
const itemsOf = (text) =>
  text
    .split(/[,，]/)
    .map((item) => item.trim())
    .filter(Boolean);

/** Whether a word is in the list, however it is written. */
export const holds = (text, word) => itemsOf(text).some((item) => plain(item) === plain(word));

/** The list with the word at the place of the one of its group that was there, at the end where none was; without it where it was there. */
export function withWord(text, word, group) {
  const items = itemsOf(text);
  const isOfGroup = (item) => group.some((one) => plain(one) === plain(item));
  const at = items.findIndex(isOfGroup);
  const others = items.filter((item) => !isOfGroup(item));
  if (!holds(text, word)) others.splice(at < 0 ? others.length : at, 0, word);
  return others.join(", ");
}

/** What such a list looks like: of the first groups a word each. */
export const exampleOf = (groups, n = 3) =>
  groups
    .slice(0, n)
    .map((group) => group[Math.floor(group.length / 2)])
    .join(", ");

/** In which language it is written, for whoever has it read aloud: engines know English words and Chinese ones. */
export const languageOf = (word) => (/\p{Script=Han}/u.test(word) ? "zh" : "en");
