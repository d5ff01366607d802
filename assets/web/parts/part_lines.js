// What is said of the parts of a take, as the studio tells them. Pure.

import { clock } from "../sound/player_words.js";
import { words } from "../words/words.js";

const BETWEEN = " · ";

/** "0:12.3 · 2.8 s": where it is in the whole, and how long; or why it is not in it. */
export function partPlace({ start, seconds, chosen, is_cut: isCut }) {
  if (!chosen) return words("takes.part_missing");
  const said = [clock(start), words("takes.part_length", { length: seconds })];
  if (isCut && chosen === 1) said.push(words("takes.part_cut"));
  return said.join(BETWEEN);
}

/** "2 · 2.9 s · variation 5 · Other words": of one of several times that the part was said. own: the words that the part has now. */
export function renditionLine({ rendition, seconds, seed, text }, own) {
  const said = [String(rendition), words("takes.part_length", { length: seconds })];
  if (seed !== null) said.push(words("takes.variation", { seed: String(seed) }));
  if (text !== own) said.push(text);
  return said.join(BETWEEN);
}

/** Of a take the address of one of its parts, or of one time that it was said. */
export function partAddress(take, part, rendition = null) {
  const path = `v1/studio/takes/${take}/parts/${part}`;
  return rendition === null ? path : `${path}/renditions/${rendition}/audio`;
}

/** The key by which the player knows that sound. */
export const partKey = (take, part, rendition) => `${take}/${part}/${rendition}`;

/** Whether saying the same words again makes another sound. */
export const varies = ({ has_seed: hasSeed }, { chosen, is_cut: isCut }) => hasSeed || !chosen || (isCut && chosen === 1);
