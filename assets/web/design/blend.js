// Blends of an engine's built-in voices: their formula, their shares in per cent, and blends drawn by chance. Pure.

export const FEWEST = 2;
export const MOST = 5; // of a blend that is mixed here; more can be written in a request
const SURPRISES = 3;
const MOST_DRAWN = 3; // voices of a blend by chance: of more, nobody hears the single one
const MOST_TRIES = 100;

/** parts: [{name, weight}], weights above 0. As studio and programs read it. */
export const formulaOf = (parts) => parts.map(({ name, weight }) => `${name}:${weight}`).join("+");

/** Whole per cent of each part, which together are 100: what rounding leaves over goes to those that lost most by it. */
export function sharesOf(parts) {
  const all = parts.reduce((sum, { weight }) => sum + weight, 0);
  const exact = parts.map(({ weight }) => (100 * weight) / all);
  const shares = exact.map(Math.floor);
  const order = exact.map((_value, at) => at).sort((one, other) => exact[other] - shares[other] - (exact[one] - shares[one]));
  const left = 100 - shares.reduce((sum, share) => sum + share, 0);
  for (const at of order.slice(0, left)) shares[at] += 1;
  return shares;
}

/** Voices that belong to a language; all where it has too few. presets: [{name, language, sex}]. */
export function voicesOf(presets, language) {
  const own = presets.filter((preset) => preset.language === language);
  return own.length >= FEWEST ? own : presets;
}

/** Blends by chance, each of other voices than the ones before as long as there are others: [[{name, weight}]].
 *  Of a sex that is known only one is in a blend: what is heard is then a person. random(): from 0 to 1, without 1. */
export function surprises(presets, random = Math.random) {
  const drawn = new Map();
  for (let tries = 0; drawn.size < SURPRISES && tries < MOST_TRIES; tries += 1) {
    const parts = drawOne(presets, random);
    const names = parts.map(({ name }) => name).sort();
    drawn.set(names.join("+"), parts);
  }
  return [...drawn.values()];
}

function drawOne(presets, random) {
  const [first] = shuffled(presets, random);
  const alike = presets.filter(({ sex }) => sex === first.sex);
  const from = shuffled(alike.length >= FEWEST ? alike : presets, random);
  const n = Math.min(from.length, FEWEST + Math.floor(random() * (MOST_DRAWN - FEWEST + 1)));
  return from.slice(0, n).map(({ name }) => ({ name, weight: 1 + Math.floor(random() * 9) }));
}

function shuffled(list, random) {
  const rest = [...list];
  for (let at = rest.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [rest[at], rest[other]] = [rest[other], rest[at]];
  }
  return rest;
}

/** Seeds that differ, from 1 to `most`. */
export function drawSeeds(most, random = Math.random, n = SURPRISES) {
  const seeds = new Set();
  while (seeds.size < Math.min(n, most)) seeds.add(1 + Math.floor(random() * most));
  return [...seeds];
}

/** The request that lets a candidate be heard; the studio keeps the voice by the same one (studio/speaker_design.py).
 *  asked: {engine, text, language, seed, and description or blend}. */
export function requestOfDesign({ engine, text, language, seed, description, blend }) {
  const who = blend ? { voice: blend } : { task_type: "VoiceDesign", instructions: description };
  const how = { ...(language && { language }), ...(seed !== null && { seed }) };
  return { input: text, model: engine, directions: false, ...who, ...how };
}

/** The text to say in a language, as the studio has them by language; "" where it has none. */
export const textIn = (texts, language) => texts[language] ?? texts[language.split("-")[0]] ?? "";
