// What an engine is, in the fold of its row: licence, languages, limits, timings.

import { languageName } from "../choice/language.js";
import { make } from "../kit/frame.js";
import { bytes, number, words } from "../words/words.js";
import { licenceLinks } from "./terms.js";

// [word, what it is, "", name] of all that is known. card: as studio/ui/engines/engine_cards.py sends it.
export function factsOf({ facts, terms, memory_bytes: memory, device, load_seconds: time, unloads_in_seconds: idle, elsewhere }) {
  const said = {
    licence: licenceWords(terms),
    size: elsewhere ? "" : sizeWords(facts.weights_bytes, memory),
    languages: languageWords(facts.languages, facts.n_languages),
    sound: words(`engines.sound_${facts.streams}`, { rate: words("engines.kilohertz", { n: facts.sample_rate / 1000 }) }),
    recording: recordingWords(facts),
    text: words("engines.characters", { n: facts.most_text_characters }),
    loaded: device && time && !elsewhere ? words("engines.loaded_in", { device, time }) : "",
    idle: idle === null ? "" : words("engines.unloads_in", { time: idle }),
    ...(elsewhere ? elsewhereFacts(elsewhere) : {}),
  };
  return Object.entries(said)
    .filter(([, shown]) => shown)
    .map(([name, shown]) => [words(`engines.fact_${name}`), shown, "", name]);
}

function licenceWords({ licences, forbids }) {
  const forbidden = forbids ? [words("figures.comma"), words("engines.forbids", { forbids })] : [];
  const limits = licences.filter(({ limit }) => limit).map(({ limit: textContent }) => make("div", { textContent }));
  return make("span", {}, ...licenceLinks(licences), ...forbidden, ...limits);
}

function elsewhereFacts({ hosts, health, reason, repeats }) {
  return {
    where: hosts.length ? hosts.join(words("figures.comma")) : words("engines.in_the_cluster"),
    health: words(`engines.health_${health}`, { reason }),
    repeats: repeats ? "" : words("engines.not_repeated"),
  };
}

function sizeWords(weights, memory) {
  if (weights && memory) return words("engines.size_both", { weights, memory });
  if (memory) return words("engines.size_memory", { memory });
  return weights ? bytes(weights) : "";
}

// codes: some of them.
function languageWords(codes, n) {
  const left = n - codes.length;
  const listed = codes.map(languageName);
  if (!left) return listed.join(words("figures.comma"));
  return words("engines.languages_and", { n: left, names: listed, all: number(n) });
}

function recordingWords({ clones_clips, least_clip_seconds: least, most_clip_seconds: most, transcript }) {
  if (!clones_clips) return words("engines.built_in");
  return `${words("engines.clip", { least, most })} ${words(`engines.words_${transcript}`)}`;
}
