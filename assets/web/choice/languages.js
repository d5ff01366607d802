// The languages of an engine, for a picker: in groups, each by its full name, accents folded into their language. Pure.

import { folded } from "../kit/search.js";

const ENGLISH = "en";
const MOST_KEPT = 8; // lists, of pages and engines; names of hundreds of languages take a browser longer than a key may
const PRIVATE = "-x-"; // before what is of no standard, such as an accent of one engine's own

const learned = new Map(); // code -> name in the reader's language, of what browsers may not know
const learnedEnglish = new Map(); // code -> English name of the same, where that is another
const learnedAccents = new Map(); // what of a code is of no standard -> what it is called; or a code that browsers take for another
const standardNames = new Map(); // reader -> what the browser calls languages
const kept = new Map(); // what was asked -> groups

/** names: {code: name in the reader's language}, or in English where that has none. english: {code: English name} where it is another. */
export function learnNames(names, english = {}) {
  for (const [code, name] of Object.entries(names)) learned.set(code, capital(name, ENGLISH));
  for (const [code, name] of Object.entries(english)) learnedEnglish.set(code, capital(name, ENGLISH));
  kept.clear();
}

/** accents: {"nyc": "New York City", "ca-va": "Valencian"}: of endings of codes, or of whole ones that a browser misreads. */
export function learnAccents(accents) {
  for (const [ending, name] of Object.entries(accents)) learnedAccents.set(ending, name);
}

/**
 * Groups of languages in the order of a list, without those that are empty.
 *
 * codes: all that there are. reader: the reader's language. ofVoices: codes that the reader's voices speak. likely: codes that are the
 * likeliest. ofEngine: codes that the chosen engine speaks.
 * Returns [{group, languages}], group one of "first" (the likely ones, the reader's own and English), "voices", "engine", "others",
 * "unnamed" (curious codes).
 * A language is {code, own, name, english, accents}: own name, the reader's name and the English one; "" where it says nothing new.
 * accents: [{code, name}] where there are several, the plain one first; none else. code: the plain one, or the only one.
 * The same list again is the same array, until a name was learned.
 */
export function languageGroups(codes, reader, ofVoices = [], { likely = [], ofEngine = [] } = {}) {
  const key = JSON.stringify([codes, reader, ofVoices, likely, ofEngine]);
  if (!kept.has(key)) {
    if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value);
    kept.set(key, groupsOf(codes, reader, ofVoices, { likely, ofEngine }));
  }
  return kept.get(key);
}

function groupsOf(codes, reader, ofVoices, { likely, ofEngine }) {
  const languages = [...byBase(codes)].map(([base, accents]) => languageOf(base, accents, reader));
  const firsts = [...new Set([...likely, reader, ENGLISH].map(baseOf))];
  const [spoken, engines] = [ofVoices, ofEngine].map((some) => new Set(some.map(baseOf)));
  const groups = { first: [], voices: [], engine: [], others: [], unnamed: [] };
  const order = new Intl.Collator(reader).compare;
  for (const language of languages.sort((one, other) => order(sortedAs(one), sortedAs(other)))) {
    const base = baseOf(language.code);
    if (firsts.includes(base)) groups.first.push(language);
    else if (spoken.has(base)) groups.voices.push(language);
    else if (!language.isNamed) groups.unnamed.push(language);
    else groups[engines.has(base) ? "engine" : "others"].push(language);
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

/** The name of a language and its accent in a language: such as "American English (nyc)"; else what was learned, else the code itself. */
export function languageNameIn(code, reader) {
  if (learnedAccents.has(code)) return `${languageNameIn(code.split("-")[0], reader)} (${learnedAccents.get(code)})`;
  if (!standardNames.has(reader)) standardNames.set(reader, new Intl.DisplayNames([reader], { type: "language", fallback: "none" }));
  const names = standardNames.get(reader);
  const [standard] = code.split(PRIVATE);
  for (let known = standard; known; known = known.slice(0, Math.max(0, known.lastIndexOf("-")))) {
    const name = named(names, known);
    if (!name) continue;
    const rest = code.slice(known.length).replace(PRIVATE, "-").slice(1);
    return capital(rest ? `${name} (${learnedAccents.get(rest) ?? rest})` : name, reader);
  }
  return (reader === ENGLISH ? learnedEnglish.get(code) : null) ?? learned.get(code) ?? code;
}

// A browser that has no names in that language would give those of its own.
function ownNameOf(base, reader) {
  return languageNameIn(base, isWritten(base) ? base : reader);
}

function isWritten(base) {
  try {
    return Intl.DisplayNames.supportedLocalesOf(base).length > 0;
  } catch {
    return false; // not every code of an engine is a language tag (BCP 47)
  }
}

function named(names, code) {
  try {
    return names.of(code);
  } catch {
    return undefined; // not every code of an engine is a language tag (BCP 47)
  }
}

/** "zh" of "cmn-latn-pinyin": what browsers take as the same language is one. */
export function baseOf(code) {
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
  const own = isNamed ? ownNameOf(base, reader) : codes[0];
  const english = languageNameIn(base, ENGLISH);
  const accents = codes.length > 1 ? accentsOf(codes, reader) : [];
  accents.sort((one, other) => Number(other.code === base) - Number(one.code === base) || one.name.localeCompare(other.name, reader));
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
  return named.map((accent) => (isAlone(accent) ? accent : { code: accent.code, name: learned.get(accent.code) ?? accent.name }));
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
