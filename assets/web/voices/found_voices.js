// Which voices of the library are shown, and in which order: those that match what is sought, and each filter that is set.

import { baseOf } from "../choice/languages.js";
import { finder } from "../kit/search.js";
import { words } from "../words/words.js";

const NOTHING = { sought: "", language: "", engine: "", tag: "", sort: "recent" };
export const NO_LANGUAGE = "-"; // as a choice of languages; no code is written like that
const WRITTEN = "?";
const LEARNED = ["memory", "refining", "disk"];
const SPOKEN = ["none", "stale", "learning"]; // by an engine that can learn it first
export const UNLEARNED = "unlearned"; // as a choice of engines: by none
const [BY_LEARNED, BY_SPOKEN] = ["learned", "speaks"]; // ways of choosing one, whose id stands behind them
const ORDERS = {
  name: (one, other) => one.name.localeCompare(other.name),
  recent: (one, other) => other.created_at - one.created_at,
};

/** wanted: {sought, language, engine, tag, sort}, "" for any. language: without an accent, or NO_LANGUAGE. engine: as enginesOf gives it. */
export function foundVoices(voices, wanted) {
  const { sought, language, engine, tag, sort } = { ...NOTHING, ...wanted };
  const finds = finder(sought);
  const [way, id] = engine.split(" ");
  const isFound = (voice) =>
    finds(voice.name, voice.description, voice.transcript, ...voice.tags) &&
    (!language || languageOf(voice) === language) &&
    (!way || ways[way](voice, id)) &&
    (!tag || voice.tags.includes(tag));
  return voices.filter(isFound).sort(ORDERS[sort]);
}

/** Language without an accent, or NO_LANGUAGE -> how many voices have it. */
export const languagesOf = (voices) => counted(voices.map(languageOf));

/** [{way, choices: [[value, title, n]]}] of ways in which engines are chosen, without those that are empty; an engine that is not there
 *  and has learned nobody is in none. */
export function enginesOf(voices) {
  const titles = new Map(voices.flatMap(({ engines }) => engines).map(({ engine, title }) => [engine, title]));
  const groups = [BY_LEARNED, BY_SPOKEN].map((way) => {
    const choices = [...titles].map(([id, title]) => [`${way} ${id}`, title, voices.filter((voice) => ways[way](voice, id)).length]);
    return { way, choices: choices.filter(([, , n]) => n) };
  });
  const n = voices.filter(ways[UNLEARNED]).length;
  groups.push({ way: UNLEARNED, choices: n ? [[UNLEARNED, words("voices.unlearned"), n]] : [] });
  return groups.filter(({ choices }) => choices.length);
}

/** What of `wanted` an address keeps, "" where nothing is chosen: no voice has such an id. */
export function writtenOf(wanted) {
  const chosen = Object.entries(wanted).filter(([name, value]) => value !== NOTHING[name]);
  return chosen.length ? `${WRITTEN}${new URLSearchParams(chosen)}` : "";
}

/** The same read again; null of what is no such address. */
export function wantedOf(written) {
  if (written && !written.startsWith(WRITTEN)) return null;
  const told = new URLSearchParams(written.slice(WRITTEN.length));
  const wanted = Object.fromEntries(Object.entries(NOTHING).map(([name, none]) => [name, told.get(name) ?? none]));
  return { ...wanted, sort: Object.hasOwn(ORDERS, wanted.sort) ? wanted.sort : NOTHING.sort };
}

const standingOf = ({ engines }, id) => engines.find(({ engine }) => engine === id) ?? {};
const isLearned = ({ state }) => LEARNED.includes(state);
const ways = {
  [BY_LEARNED]: (voice, id) => isLearned(standingOf(voice, id)),
  [BY_SPOKEN]: (voice, id) => {
    const standing = standingOf(voice, id);
    return !voice.obstacle && (isLearned(standing) || Boolean(standing.can_learn && SPOKEN.includes(standing.state)));
  },
  [UNLEARNED]: ({ engines }) => !engines.some(isLearned),
};

const languageOf = ({ language }) => (language ? baseOf(language) : NO_LANGUAGE);

/** Value -> how often it is there. */
export function counted(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
