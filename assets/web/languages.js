// The languages of an engine, for a picker: in groups, each by its full name, accents folded into their language. Pure.

import { folded } from "./search.js";

const ENGLISH = "en";
const PRIVATE = "-x-"; // before what is of no standard, such as an accent of one engine's own

/**
 * Groups of languages in the order of a list, without those that are empty.
 *
 * codes: the engine's. reader: the reader's language. ofVoices: codes that the reader's voices speak.
 * Returns [{group, languages}], group one of "first" (the reader's own and English), "voices", "others", "unnamed" (curious codes).
 * A language is {code, own, name, english, accents}: own name, the reader's name and the English one; "" where it says nothing new.
 * accents: [{code, name}] where there are several, the plain one first; none else. code: the plain one, or the only one.
 */
export function languageGroups(codes, reader, ofVoices = []) {
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

/** The name of a language and its accent in a language: such as "American English (nyc)"; the code itself where there is none. */
export function languageNameIn(code, reader) {
  const names = new Intl.DisplayNames([reader], { type: "language", fallback: "none" });
  const [standard] = code.split(PRIVATE);
  for (let known = standard; known; known = known.slice(0, Math.max(0, known.lastIndexOf("-")))) {
    const name = named(names, known);
    if (!name) continue;
    const rest = code.slice(known.length).replace(PRIVATE, "-").slice(1);
    return capital(rest ? `${name} (${rest})` : name, reader);
  }
  return code;
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
  const accents = codes.length > 1 ? codes.map((code) => ({ code, name: languageNameIn(code, reader) })) : [];
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
