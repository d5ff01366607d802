// Which voices can be evaluated, and which of them are listed. Pure.

import { finder } from "../kit/search.js";

export const STORED = "stored"; // as a choice of the filter; no engine is called like that
export const CHOSEN = "chosen";

/** Those that can be chosen: stored voices, then the built-in ones of these engines, each name once. stored: as choice.known.voices has them.
 *  engines: as GET v1/models has them. */
export function voicesToChoose(stored, engines) {
  const found = new Map(stored.map(({ name, print, language }) => [name, { name, print, language, engines: [], isStored: true }]));
  for (const { id, title, voices = [], voice_languages: languages = {} } of engines) {
    for (const name of voices) {
      const known = found.get(name) ?? { name, print: "", language: languages[name] ?? "", engines: [], isStored: false };
      if (!known.isStored) known.engines.push({ id, title });
      found.set(name, known);
    }
  }
  return [...found.values()];
}

/** Of voices those that match what is typed, and the filter: "" for all, STORED, CHOSEN or an engine's id; language: a code, "" for any. nameOf(code): of a
 *  language. */
export function voicesFound(voices, { typed = "", of = "", language = "" }, chosen, nameOf) {
  const finds = finder(typed);
  return voices.filter(
    (voice) =>
      finds(voice.name, voice.language ? nameOf(voice.language) : "", ...voice.engines.map(({ title }) => title)) &&
      (!language || voice.language.split("-")[0] === language) &&
      (!of || (of === STORED ? voice.isStored : of === CHOSEN ? chosen.has(voice.name) : voice.engines.some(({ id }) => id === of))),
  );
}
