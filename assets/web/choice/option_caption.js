// What options of engines are called. Pure.

import { number, words } from "../words/words.js";

const SEED = "seed"; // is a name rather than an amount
const MOST_CHARACTERS = 24; // of an option that is a text
// Options that many engines have are said in the reader's language; an engine's own have the engine's own names.
const KNOWN = new Set([
  "speed",
  "duration",
  "pitch_semitones",
  "seed",
  "strength",
  "temperature",
  "first_block_seconds",
  "block_seconds",
  "initial_codec_chunk_frames",
  "codec_chunk_frames",
  "first_chunk_patches",
  "chunk_patches",
  "instructions",
]);

/** What an option is called. */
export function captionOf({ name, unit }) {
  if (KNOWN.has(name)) return words(`options.name_${name}`);
  const parts = name.split("_");
  if (unit && parts.length > 1 && parts.at(-1).startsWith(unit)) parts.pop(); // a unit is said once, in the hint
  const caption = parts.join(" ");
  return `${caption[0].toUpperCase()}${caption.slice(1)}`;
}

/** An option with its value, such as "Speed 1.3"; "" without one. */
export function optionWords(option, value) {
  if (value === null || value === undefined || value === "") return "";
  const caption = captionOf(option);
  if (typeof value === "boolean") return `${caption}: ${words(value ? "tests.report_yes" : "tests.report_no")}`;
  const isAmount = typeof value === "number" && option.name !== SEED;
  const said = isAmount ? number(value) : (option.labels?.[option.choices?.indexOf(value)] ?? String(value));
  return `${caption} ${said.length > MOST_CHARACTERS ? `${said.slice(0, MOST_CHARACTERS).trim()}…` : said}`;
}
