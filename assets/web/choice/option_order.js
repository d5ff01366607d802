// In which order an engine's options stand: first the few that people use, then all others. Pure.

const FIRST_PIECE = /^(first|initial)_.*(block|chunk)/;
const LATER_PIECE = /(block|chunk)/;
// One of each line, where the engine has it, in this order.
const INSTRUCTIONS = "instructions"; // in the speaker's own words, beside the text
const USUAL = [["speed"], ["pitch_semitones", "pitch", "style", "temperature", "mode"], ["strength"], ["seed"]];

/** options: as the engine declares them -> {instructions, usual, first, others}. instructions: what people say of how it should sound, or
 *  null. first: {piece, later}, the two options that decide about the first sound, or null. */
export function arranged(options) {
  const found = (names) => names.map((wanted) => options.find(({ name }) => name === wanted)).find(Boolean);
  const usual = USUAL.map(found).filter(Boolean);
  const piece = options.find(({ name }) => FIRST_PIECE.test(name));
  const later = options.find((option) => option !== piece && LATER_PIECE.test(option.name));
  const first = piece && later ? { piece, later } : null;
  const instructions = options.find(({ name, kind }) => name === INSTRUCTIONS && kind === "text") ?? null;
  return { instructions, usual, first, others: options.filter((option) => option !== instructions && !usual.includes(option)) };
}

/** How the first sound is to come, by the values of both: "early" as the engine has it by itself, "smooth" with a first piece as long as
 *  the later ones, "" for anything else. */
export function firstSoundOf({ piece, later }, values) {
  const [first, rest] = [values[piece.name] ?? piece.default, values[later.name] ?? later.default];
  if (rest !== later.default) return "";
  if (first === piece.default) return "early";
  return first === later.default ? "smooth" : "";
}
