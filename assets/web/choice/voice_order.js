// In which order and in which groups voices are listed. Pure.

const baseOf = (code) => code.split("-")[0];

/** [{isStored, language, voices}], without groups that are empty: stored voices, then built-in ones of each language or accent, what is wanted
 *  first, then its relatives, then by name; at last, under "", those of no language. In a group they stand as they come. nameOf(code): in the
 *  reader's language. */
export function grouped(voices, wanted, nameOf) {
  const groups = new Map();
  for (const voice of voices) {
    const { is_stored: isStored, language } = voice;
    const key = isStored ? "stored" : `of ${language}`;
    if (!groups.has(key)) groups.set(key, { isStored, language: isStored ? "" : language, voices: [] });
    groups.get(key).voices.push(voice);
  }
  const relation = (code) => (!code ? 4 : code === wanted ? 1 : baseOf(code) === baseOf(wanted) ? 2 : 3);
  const rank = ({ isStored, language }) => (isStored ? 0 : relation(language));
  return [...groups.values()].toSorted(
    (one, other) => rank(one) - rank(other) || nameOf(one.language).localeCompare(nameOf(other.language)),
  );
}
