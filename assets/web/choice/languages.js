// The languages of an engine, for a picker: in groups, each by its full name, accents folded into their language. Pure.

import { folded } from "../kit/search.js";

const ENGLISH = "en";
const MOST_KEPT = 8; // lists, of pages and engines; names of hundreds of languages take a browser longer than a key may
const PRIVATE = "-x-"; // before what is of no standard, such as an accent of one engine's own

const engineNames = new Map(); // code -> English name, of what browsers may not know
const standardNames = new Map(); // reader -> what the browser calls languages
const kept = new Map(); // what was asked -> groups

/** names: {code: English name}, as engines have them. */
export function learnNames(names) {
  for (const [code, name] of Object.entries(names)) engineNames.set(code, capital(name, ENGLISH));
  kept.clear();
}

/**
 * Groups of languages in the order of a list, without those that are empty.
 *
 * codes: the engine's. reader: the reader's language. ofVoices: codes that the reader's voices speak.
 * Returns [{group, languages}], group one of "first" (the reader's own and English), "voices", "others", "unnamed" (curious codes).
 * A language is {code, own, name, english, accents}: own name, the reader's name and the English one; "" where it says nothing new.
 * accents: [{code, name}] where there are several, the plain one first; none else. code: the plain one, or the only one.
 * The same list again is the same array, until a name was learned.
 */
export function languageGroups(codes, reader, ofVoices = []) {
  const key = JSON.stringify([codes, reader, ofVoices]);
  if (!kept.has(key)) {
    if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value);
    kept.set(key, groupsOf(codes, reader, ofVoices));
  }
  return kept.get(key);
}

function groupsOf(codes, reader, ofVoices) {
  const languages = [...byBase(codes)].map(([base, accents]) => languageOf(base, accents, reader));
  const firsts = [baseOf(reader), ENGLISH];
  const spoken = new Set(ofVoices.map(baseOf));
  const groups = { first: [], voices: [], others: [], unnamed: [] };
  for (const language of languages.sort((one, other) => sortedAs(one).localeCompare(sortedAs(other), reader))) {
    const base = baseOf(language.code);
    groups[firsts.includes(base) ? "first" : spoken.has(base) ? "voices" : language.isNamed ? "others" : "unnamed"].push(language);
  }
  groups.first.sort((one, other) => firsts.indexOf(baseOf(one.code)) - firsts.indexOf(baseOf(other.code)));
  return Object.entries(groups)
    .map(([group, found]) => ({ group, languages: found.map(({ isNamed, ...language }) => language) }))
    .filter((group) => group.languages.length);
}

/** The groups with what was typed in a name or a code, without accents and case; each accent on its own, since it may be what is sought. */
export function search(groups, typed) {
  const words = folded(typed).split(/\s+/).filter(Boolean);
  if (!words.length) return groups;
  const holds = (...texts) => words.every((word) => folded(texts.join("\n")).includes(word));
  return groups
    .map(({ group, languages }) => ({ group, languages: languages.flatMap((language) => found(language, holds)) }))
    .filter(({ languages }) => languages.length);
}

/** The name of a language and its accent in a language: such as "American English (nyc)"; else an engine's name, else the code itself. */
export function languageNameIn(code, reader) {
  if (!standardNames.has(reader)) standardNames.set(reader, new Intl.DisplayNames([reader], { type: "language", fallback: "none" }));
  const names = standardNames.get(reader);
  const [standard] = code.split(PRIVATE);
  for (let known = standard; known; known = known.slice(0, Math.max(0, known.lastIndexOf("-")))) {
    const name = named(names, known);
    if (!name) continue;
    const rest = code.slice(known.length).replace(PRIVATE, "-").slice(1);
    return capital(rest ? `${name} (${rest})` : name, reader);
  }
  return engineNames.get(code) ?? code;
}

function named(names, code) {
  try {
    return names.of(code);
  } catch {
    return undefined; // not every code of an engine is a language tag (BCP 47)
  }
}

// "zh" of "cmn-latn-pinyin": what browsers take as the same language is one.
function baseOf(code) {
  const plain = code.split("-")[0].toLowerCase();
  try {
    return new Intl.Locale(plain).language;
  } catch {
    return plain;
  }
}

function byBase(codes) {
  const bases = new Map();
  for (const code of codes) bases.set(baseOf(code), [...(bases.get(baseOf(code)) ?? []), code]);
  return bases;
}

function languageOf(base, codes, reader) {
  const name = languageNameIn(base, reader);
  const isNamed = name !== base;
  const own = isNamed ? languageNameIn(base, base) : codes[0];
  const english = languageNameIn(base, ENGLISH);
  const accents = codes.length > 1 ? accentsOf(codes, reader) : [];
  accents.sort((one, other) => (other.code === base) - (one.code === base) || one.name.localeCompare(other.name, reader));
  return {
    code: accents[0]?.code ?? codes[0],
    own,
    name: isNamed && name !== own ? name : "",
    english: isNamed && english !== own && english !== name ? english : "",
    accents,
    isNamed,
  };
}

// Some that an engine tells apart have one name for all browsers: Fanti and Twi are Akan.
function accentsOf(codes, reader) {
  const named = codes.map((code) => ({ code, name: languageNameIn(code, reader) }));
  const isAlone = ({ name }) => named.filter((other) => other.name === name).length === 1;
  return named.map((accent) => (isAlone(accent) ? accent : { code: accent.code, name: engineNames.get(accent.code) ?? accent.name }));
}

function found(language, holds) {
  const { own, name, english, accents } = language;
  if (!accents.length) return holds(language.code, own, name, english) ? [language] : [];
  const each = accents.map((accent) => ({
    code: accent.code,
    own: accent.name,
    name: own === accent.name ? "" : own,
    english: "",
    accents: [],
  }));
  return each.filter(({ code, own: accent }) => holds(code, accent, own, name, english));
}

const sortedAs = ({ own, name }) => name || own;
const capital = (text, language) => text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
