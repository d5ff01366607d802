// What a search field finds: every word that was typed, anywhere in what is said of a thing, however it is written.

// One spelling for what a reader takes as the same: without accents and case, wide forms and ligatures as plain letters.
export const folded = (text) =>
  text
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toUpperCase();

// A function of the texts that are said of a thing: whether it is found. Nothing typed finds everything.
export function finder(typed) {
  const words = folded(typed).split(/\s+/).filter(Boolean);
  return (...texts) => {
    const text = folded(texts.join("\n"));
    return words.every((word) => text.includes(word));
  };
}
