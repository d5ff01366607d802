// Which voice speaks: those used lately, then all, each with its print and how the chosen engine knows it.

import { chip } from "../drawings/states.js";
import { printOf } from "../drawings/voiceprint.js";
import { make } from "../kit/frame.js";
import { Picker } from "../kit/picker.js";
import { finder } from "../kit/search.js";
import { language as reader, words } from "../words/words.js";
import { choice } from "./choice.js";
import { languageName } from "./language.js";
import { inOrder } from "./voice_order.js";

const KEPT = "studio-voices-lately"; // in the tab's storage; names alone
const MOST_LATELY = 3;
const LEADS_TO = "#create-section-button";
const ROW_PRINT = 28;

let lately = readLately();

function readLately() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT)) ?? [];
  } catch {
    return [];
  }
}

/** The voice was spoken with. */
export function noteVoice(voice) {
  lately = [voice, ...lately.filter((other) => other !== voice)].slice(0, MOST_LATELY);
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(lately));
  } catch {
    // storage is off or full: known as long as the page
  }
}

export function voicePicker(button) {
  return new Picker(button, {
    label: words("speak.choose_voice"),
    find: words("speak.find_voice"),
    sections,
    choose: (voice) => choice.choose({ voice }),
    end: { words: words("speak.new_voice"), icon: "plus", act: () => document.querySelector(LEADS_TO).click() },
  });
}

function sections(typed) {
  const { voices = [] } = choice.known;
  const holds = finder(typed);
  const all = inOrder(voices, choice.language || reader); // of the language that is chosen, or else the reader's
  const found = all.filter(({ name, language }) => holds(name, language && languageName(language)));
  const recent = lately.map((name) => found.find((voice) => voice.name === name)).filter(Boolean);
  const first = recent.length < found.length ? recent : [];
  const others = found.filter((voice) => !first.includes(voice));
  const title = typed ? words("speak.found_voices", { n: found.length }) : words("speak.all_voices", { n: voices.length });
  return [
    { title: words("speak.lately"), items: first.map(itemOf) },
    { title, items: others.map(itemOf) },
  ];
}

function itemOf({ name, print, state, is_stored: isStored, language }) {
  const builtIn = [words(name === choice.known.designed ? "speak.designed" : "speak.built_in"), language && languageName(language)];
  const said = isStored ? state && words(`speak.voice_${state}`) : builtIn.filter(Boolean).join(" · ");
  const sign = isStored ? state && chip(state, said) : make("small", { textContent: said });
  const parts = [printOf(print, ROW_PRINT), make("span", { className: "grow cut", textContent: name }), sign].filter(Boolean);
  return { value: name, parts, isChosen: name === choice.voice, label: [name, said].filter(Boolean).join(", ") };
}
