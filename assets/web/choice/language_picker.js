// In which language the text is read: found in the text, those of one's voices, all of the engine. Accents are one row that unfolds.

import { icon } from "../drawings/icons.js";
import { make } from "../kit/frame.js";
import { Picker } from "../kit/picker.js";
import { language as reader, words } from "../words/words.js";
import { choice } from "./choice.js";
import { languageGroups, languageNameIn, search } from "./languages.js";

const SMALL = 14;
const unfolded = new Set(); // languages whose accents are listed

/** What stands for the choice on its button. */
export const languageWords = (code) => (code ? languageNameIn(code, reader) : words("speak.language_found"));

export function languagePicker(button) {
  return new Picker(button, {
    label: words("speak.choose_language"),
    find: words("speak.find_language"),
    sections,
    choose: (code) => choice.say(code),
  });
}

function sections(typed) {
  const { languages: codes = [], voices = [], title } = choice.known;
  const spoken = voices.filter(({ own, language }) => own && language).map(({ language }) => language);
  const groups = search(languageGroups(codes, reader, spoken), typed);
  const of = (...wanted) => groups.filter(({ group }) => wanted.includes(group)).flatMap(({ languages }) => languages.flatMap(rowsOf));
  return [
    { title: words("speak.for_this_text"), items: [...(typed ? [] : [foundRow()]), ...of("first")] },
    { title: words("speak.of_your_voices"), items: of("voices") },
    { title: words("speak.all_languages", { n: codes.length, engine: title }), items: of("others", "unnamed") },
  ];
}

function foundRow() {
  const parts = [tickOf(""), make("span", { className: "grow cut", textContent: words("speak.language_found_long") })];
  return { value: "", parts, isChosen: choice.language === "" };
}

// One row, or where its accents are unfolded one for each.
function rowsOf({ code, own, name, english, accents }) {
  if (!accents.length) return [rowOf(code, own, name || english)];
  if (unfolded.has(code)) return accents.map((accent) => rowOf(accent.code, accent.name));
  const said = words("speak.accents", { language: own, n: accents.length });
  const parts = [
    tickOf(null),
    make("span", { className: "grow cut", textContent: said }),
    make("small", { textContent: name }),
    icon("down", SMALL),
  ];
  const isChosen = accents.some((accent) => accent.code === choice.language);
  return [{ value: `${code} accents`, parts, isChosen, unfold: () => unfolded.add(code) }];
}

function rowOf(code, said, about = "") {
  const misread = choice.known.misread?.[code];
  const beside = misread ? words("speak.misread_short", { misread }) : about;
  const parts = [tickOf(code), make("span", { className: "grow cut", textContent: said }), make("small", { textContent: beside })];
  return { value: code, parts, isChosen: choice.language === code };
}

function tickOf(code) {
  return code === choice.language ? icon("check", SMALL) : make("span", { className: "tick" });
}
