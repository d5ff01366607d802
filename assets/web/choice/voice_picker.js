// Which voice speaks: those used lately, then all, each with its print and how the chosen engine knows it; built-in ones by language. Where the
// engine blends built-in voices, what is typed may be a blend.

import { chip } from "../drawings/states.js";
import { printOf } from "../drawings/voiceprint.js";
import { make } from "../kit/frame.js";
import { Picker } from "../kit/picker.js";
import { finder, folded } from "../kit/search.js";
import { openRoom } from "../navigation/navigation.js";
import { language as reader, words } from "../words/words.js";
import { choice } from "./choice.js";
import { languageName } from "./language.js";
import { grouped } from "./voice_order.js";

const KEPT = "studio-voices-lately"; // in the tab's storage; names alone
const MOST_LATELY = 3;
const ROW_PRINT = 28;
const SEXES = ["female", "male"];

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

/** of: whose voice it is: the choice of Speak, or one that looks like it.
 *  @param {{ known: any, voice: string | null, language: string, choose: (chosen: { voice: string }) => any }} of */
export function voicePicker(button, of = choice) {
  return new Picker(button, {
    label: words("speak.choose_voice"),
    find: words("speak.find_voice"),
    sections: (typed) => sections(typed, of),
    choose: (voice) => of.choose({ voice }),
    note: () => blendNote(of),
    end: () => ({ words: words("speak.new_voice"), icon: "plus", act: () => openRoom("create") }),
  });
}

function sections(typed, of) {
  const { voices = [] } = of.known;
  const holds = finder(typed);
  const found = voices.filter(({ name, language, sex }) => holds(name, nameOf(language), sexOf(sex)) && !isOtherSex(sex, typed));
  const recent = lately.map((name) => found.find((voice) => voice.name === name)).filter(Boolean);
  const first = recent.length < found.length ? recent : [];
  const others = found.filter((voice) => !first.includes(voice));
  const title = typed ? words("speak.found_voices", { n: found.length }) : words("speak.all_voices", { n: voices.length });
  const groups = grouped(others, of.language || reader, nameOf); // of the language that is chosen, or else the reader's
  return [
    { title: words("speak.blend"), items: isBlend(typed, of) ? [itemOf({ name: typed, print: "" }, of)] : [] },
    { title: words("speak.lately"), items: first.map((voice) => itemOf(voice, of)) },
    ...(groups.length > 1 ? groups.map((group) => sectionOf(group, of)) : [{ title, items: others.map((voice) => itemOf(voice, of)) }]),
  ];
}

const sectionOf = ({ isStored, language, voices }, of) => ({
  title: nameOf(language) || words(isStored ? "speak.saved" : "speak.any_language"),
  items: voices.map((voice) => itemOf(voice, of, true)),
});

const nameOf = (language) => (language ? languageName(language) : "");
const sexOf = (sex) => (sex ? words(`speak.${sex}`) : "");

// "Female" holds what somebody may have typed who means "male".
function isOtherSex(sex, typed) {
  const sought = folded(typed).split(/\s+/);
  return Boolean(sex) && SEXES.some((other) => other !== sex && sought.includes(folded(sexOf(other))));
}

// What of it is one, Python says.
const isBlend = (name, { known }) => Boolean(known.blends) && name.includes("+");

function blendNote(of) {
  const [one, other] = (of.known.voices ?? []).filter(({ name, is_stored: isStored }) => !isStored && !isBlend(name, of));
  return of.known.blends && other ? words("speak.blend_note", { blend: `${one.name}:0.6+${other.name}:0.4` }) : "";
}

// isGrouped: whether its language stands above it.
/** @param {{ name: string, print: string, state?: string, is_stored?: boolean, language?: string, sex?: string }} voice */
function itemOf({ name, print, state, is_stored: isStored, language, sex }, of, isGrouped = false) {
  const kind = isBlend(name, of) ? "blend" : name === of.known.designed ? "designed" : "built_in";
  const known = [words(`speak.${kind}`), sexOf(sex), isGrouped ? "" : nameOf(language)].filter(Boolean).join(" · ");
  const said = isStored ? state && words(`speak.voice_${state}`) : known;
  const sign = isStored ? state && chip(state, said) : make("small", { textContent: said });
  const parts = [printOf(print, ROW_PRINT), make("span", { className: "grow cut", dir: "auto", textContent: name }), sign].filter(Boolean);
  return { value: name, parts, isChosen: name === of.voice, label: [name, said].filter(Boolean).join(", ") };
}
