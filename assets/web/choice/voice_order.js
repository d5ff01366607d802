// In which order and in which groups voices are listed. Pure.

const baseOf = (code) => code.split("-")[0];

/** [{language, voices}], without groups that are empty: under "" stored voices, then built-in ones that speak all languages alike; then those of
 *  each language or accent, what is wanted first, then its relatives, then by name. In a group they stand as they come. nameOf(code): in the
 *  reader's language. */
export function grouped(voices, wanted, nameOf) {
  const groups = new Map();
  const add = (voice, language) => groups.set(language, [...(groups.get(language) ?? []), voice]);
  for (const voice of voices.filter(({ is_stored: isStored }) => isStored)) add(voice, "");
  for (const voice of voices.filter(({ is_stored: isStored }) => !isStored)) add(voice, voice.language);
  const rank = (code) => (!code ? 0 : code === wanted ? 1 : baseOf(code) === baseOf(wanted) ? 2 : 3);
  return [...groups]
    .map(([language, found]) => ({ language, voices: found }))
    .toSorted((one, other) => rank(one.language) - rank(other.language) || nameOf(one.language).localeCompare(nameOf(other.language)));
}
