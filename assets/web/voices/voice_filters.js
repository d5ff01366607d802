// The filters of the library, in its toolbar: what is sought, language, engine and tag, and the order.

import { languageName } from "../choice/language.js";
import { LanguageField } from "../choice/language_picker.js";
import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { counted, enginesOf, languagesOf, NO_LANGUAGE, UNLEARNED, wantedOf, writtenOf } from "./found_voices.js";

export class VoiceFilters {
  // part(id): an element of the tab. onChange(): what is wanted is another.
  constructor(part, onChange) {
    this._part = part;
    this._onChange = onChange;
    this._languages = new Map();
    const [sought, engine, tag, sort] = ["find", "engine", "tag", "sort"].map((name) => part(`voices-${name}`));
    this._language = new LanguageField(part("voices-language"), {
      more: () => [
        ["", words("voices.any_language")],
        ...(this._languages.has(NO_LANGUAGE) ? [[NO_LANGUAGE, words("voices.no_language")]] : []),
      ],
      noteOf: (code) => String(this._languages.get(code) ?? ""),
    });
    this._fields = { sought, language: this._language, engine, tag, sort };
    for (const field of Object.values(this._fields)) field.addEventListener(field === this._language ? "change" : "input", onChange);
    const fold = part("voices-filter");
    fold.addEventListener("click", () => fold.setAttribute("aria-expanded", String(fold.getAttribute("aria-expanded") !== "true")));
    part("voices-clear").addEventListener("click", () => this.clear());
  }

  get wanted() {
    return Object.fromEntries(Object.entries(this._fields).map(([name, field]) => [name, field.value.trim()]));
  }

  /** What an address keeps of them. */
  get written() {
    return writtenOf(this.wanted);
  }

  /** Takes what an address says, once there are the choices that it names; whether it is one of filters. */
  take(written) {
    this._asked = wantedOf(written);
    return Boolean(this._asked);
  }

  // The choices that there are for these voices. One that nobody has any more is taken back.
  show(voices) {
    const asked = this._asked ?? {};
    this._asked = null;
    this._choose(["sought", "language", "sort"], asked);
    const tags = [...counted(voices.flatMap((voice) => voice.tags)).keys()].sort((one, other) => one.localeCompare(other));
    const byTag = [["", words("voices.any_tag")], ...tags.map((tag) => [tag, tag])];
    this._offer(this._fields.tag, byTag.map(option));
    this._fields.tag.hidden = !tags.length;
    const engines = enginesOf(voices).flatMap(({ way, choices }) => {
      const options = choices.map(option);
      return way === UNLEARNED ? options : [make("optgroup", { label: words(`voices.filter_${way}`) }, ...options)];
    });
    this._offer(this._fields.engine, [option(["", words("voices.any_engine")]), ...engines]);
    this._choose(["engine", "tag"], asked);
    this._languages = languagesOf(voices);
    if (this._language.value && !this._languages.has(this._language.value)) this._language.value = "";
    this._language.offer([...this._languages.keys()].filter((code) => code !== NO_LANGUAGE));
    for (const field of [this._fields.sought, this._fields.engine, this._fields.tag, this._fields.sort]) field.disabled = false;
    this._showSet();
  }

  /** How many filters are set, and what it says of voices that none of them is. */
  get _set() {
    const { language, engine, tag } = this._fields;
    const named = language.value === NO_LANGUAGE ? words("voices.no_language") : language.value && languageName(language.value);
    const [chosen] = engine.value ? engine.selectedOptions : [];
    const ofEngine = chosen && [chosen.parentElement.label, chosen.dataset.title].filter(Boolean).join(": ");
    return [named, ofEngine, tag.value].filter(Boolean);
  }

  get noneWords() {
    const { sought } = this.wanted;
    if (!this._set.length) return words("voices.none_found", { words: sought });
    const quoted = sought ? [words("voices.sought", { words: sought })] : [];
    return words("voices.none_filtered", { filters: [...quoted, ...this._set] });
  }

  // n: of all voices.
  wayBack(n) {
    return this._set.length ? words("voices.clear_filters") : words("voices.show_all", { n });
  }

  /** Lets every voice be seen. */
  reset() {
    for (const name of ["sought", "language", "engine", "tag"]) this._fields[name].value = "";
  }

  clear() {
    this.reset();
    this._onChange();
    this._fields.sought.focus();
  }

  _choose(names, asked) {
    for (const name of names.filter((one) => one in asked)) choose(this._fields[name], asked[name]);
  }

  _showSet() {
    const { length: n } = this._set;
    this._part("voices-clear").hidden = !n;
    this._part("voices-filter").lastElementChild.textContent = n ? words("voices.filter_n", { n }) : words("voices.filter");
  }

  _offer(select, options) {
    const html = options.map(({ outerHTML }) => outerHTML).join("");
    if (select.dataset.offered === html) return;
    const { value } = select;
    select.dataset.offered = html;
    select.replaceChildren(...options);
    choose(select, value);
  }
}

// A select takes no choice that it does not have.
function choose(field, value) {
  field.value = value;
  if (field.selectedIndex < 0) field.value = "";
}

/** @param {[string, string, number?]} choice */
function option([value, title, n]) {
  const element = make("option", { value, textContent: n === undefined ? title : words("voices.of_filter", { title, n }) });
  element.dataset.title = title;
  return element;
}
