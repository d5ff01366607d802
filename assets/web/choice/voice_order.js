// In which order voices are listed. Pure.

const baseOf = (code) => code.split("-")[0];

/** Stored voices first; of the built-in ones those that belong to a language, then all others. Else as they come. */
export function inOrder(voices, language) {
  const wanted = baseOf(language);
  const rank = ({ is_stored: isStored, language: own }) => (isStored ? 0 : baseOf(own) === wanted ? 1 : 2);
  return voices.toSorted((one, other) => rank(one) - rank(other));
}
