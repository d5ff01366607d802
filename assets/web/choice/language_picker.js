// Lists of languages: likely ones first, then those of one's voices, those of the chosen engine, and all. Accents are one row that unfolds.

import { icon } from "../drawings/icons.js";
import { make } from "../kit/frame.js";
import { Picker } from "../kit/picker.js";
import { finder } from "../kit/search.js";
import { language as reader, words } from "../words/words.js";
import { choice } from "./choice.js";
import { languageName } from "./language.js";
import { areNamesToCome } from "./language_names.js";
import { languageGroups, search } from "./languages.js";

const SMALL = 14;
const unfolded = new Set(); // languages whose accents are listed

/** What stands for the choice on its button. */
export const languageWords = (code) => (code ? languageName(code) : words("speak.language_found"));

/** That of Speak: in which language the text is read. */
export function languagePicker(button) {
  return new Picker(button, {
    label: words("speak.choose_language"),
    find: words("speak.find_language"),
    sections: (typed) => {
      const { languages: codes = [], title } = choice.known;
      const of = languageRows(codes, typed, choice.language);
      return [
        { title: words("speak.for_this_text"), items: [...(typed ? [] : [foundRow()]), ...of("first")] },
        { title: words("speak.of_your_voices"), items: of("voices") },
        { title: words("speak.all_languages", { n: codes.length, engine: title }), items: of("others", "unnamed") },
      ];
    },
    choose: (code) => choice.say(code),
  });
}

/**
 * A field in a form: a button whose `value` is the code that is chosen, "" for none. It tells of what a person chooses by "change".
 */
export class LanguageField {
  /** more(): [[value, words]] of choices that are no languages, the first of them what is chosen at first. likely(): codes. noteOf(code): what
   *  stands beside a name, "" for nothing. */
  constructor(button, { more, likely = () => [], noteOf = null }) {
    this._button = button;
    this._more = more;
    this._likely = likely;
    this._noteOf = noteOf;
    this._codes = [];
    this._picker = new Picker(button, {
      label: words("speak.choose_language"),
      find: words("speak.find_language"),
      sections: (typed) => this._sections(typed),
      choose: (code) => {
        this.value = code;
        button.dispatchEvent(new Event("change", { bubbles: true }));
      },
    });
    document.addEventListener("studio-languages", () => this._show());
    this._show();
  }

  get value() {
    return this._button.value;
  }

  /** One that is not among those that are offered is there all the same: a voice may have any. */
  set value(code) {
    this._button.value = code;
    this._show();
  }

  addEventListener(name, hear) {
    this._button.addEventListener(name, hear);
  }

  offers(code) {
    return this._codes.includes(code);
  }

  /** codes: of the languages that there are. */
  offer(codes) {
    this._codes = codes;
    this._button.disabled = false;
    this._show();
  }

  _show() {
    const { value } = this;
    const [, said] = this._more().find(([other]) => other === value) ?? [];
    this._button.replaceChildren(make("span", { className: "cut", textContent: said ?? languageName(value) }));
    this._picker.refresh();
  }

  _sections(typed) {
    const { value } = this;
    const codes =
      !value || this._codes.includes(value) || this._more().some(([other]) => other === value) ? this._codes : [...this._codes, value];
    const { languages: ofEngine = [], title: engine } = choice.known;
    const isPart = codes.some((code) => !ofEngine.includes(code));
    const of = languageRows(codes, typed, value, { likely: this._likely(), ofEngine: isPart ? ofEngine : [], noteOf: this._noteOf });
    const holds = finder(typed);
    const more = this._more().filter(([, said]) => holds(said));
    return [
      { title: "", items: more.map(([code, said]) => rowOf(code, said, "", value)) },
      { title: words("languages.most_likely"), items: of("first") },
      { title: words("speak.of_your_voices"), items: of("voices") },
      { title: words("languages.of_engine", { engine }), items: of("engine") },
      { title: words("speak.n_languages", { n: codes.length }), items: of("others", "unnamed") },
    ];
  }
}

// A function of names of groups (languages.js), that gives their rows. While names are on their way, what has none waits for them.
function languageRows(codes, typed, chosen, { likely = [], ofEngine = [], noteOf = misreadNote } = {}) {
  const spoken = (choice.known.voices ?? []).filter(({ own, language }) => own && language).map(({ language }) => language);
  const groups = languageGroups(codes, reader, spoken, { likely, ofEngine });
  const found = search(groups, typed);
  const rowsOfGroup = ({ group, languages }) => {
    const rows = languages.flatMap((language) => rowsOf(language, chosen, group === "unnamed", noteOf ?? (() => "")));
    return group === "unnamed" && areNamesToCome() ? [] : rows;
  };
  return (...wanted) => found.filter(({ group }) => wanted.includes(group)).flatMap(rowsOfGroup);
}

function misreadNote(code) {
  const misread = choice.known.misread?.[code];
  return misread ? words("speak.misread_short", { misread }) : "";
}

function foundRow() {
  const parts = [tickOf(choice.language === ""), make("span", { className: "grow cut", textContent: words("speak.language_found_long") })];
  return { value: "", parts, isChosen: choice.language === "" };
}

// One row, or where its accents are unfolded one for each; the plain language is a row of its own.
function rowsOf({ code, own, name, english, accents }, chosen, isUnnamed, noteOf) {
  const plain = rowOf(code, isUnnamed ? languageName(code) : own, noteOf(code) || name || english, chosen);
  if (!accents.length) return [plain];
  if (unfolded.has(code)) return accents.map((accent) => rowOf(accent.code, accent.name, noteOf(accent.code), chosen));
  const [first, ...others] = accents;
  const isPlainThere = first.name === own || first.name === name;
  const folded = isPlainThere ? others : accents;
  if (folded.length === 1) return [plain, rowOf(folded[0].code, folded[0].name, noteOf(folded[0].code), chosen)];
  const said = words("speak.accents", { language: own, n: folded.length });
  const parts = [
    tickOf(false),
    make("span", { className: "grow cut", textContent: said }),
    make("small", { textContent: name }),
    icon("down", SMALL),
  ];
  const isChosen = folded.some((accent) => accent.code === chosen);
  return [...(isPlainThere ? [plain] : []), { value: `${code} accents`, parts, isChosen, unfold: () => unfolded.add(code) }];
}

function rowOf(code, said, about, chosen) {
  const isChosen = code === chosen;
  const parts = [tickOf(isChosen), make("span", { className: "grow cut", textContent: said }), make("small", { textContent: about })];
  return { value: code, parts, isChosen };
}

const tickOf = (isChosen) => (isChosen ? icon("check", SMALL) : make("span", { className: "tick" }));
