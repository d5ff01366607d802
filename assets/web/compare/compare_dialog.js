// Who says the text in a lane, and how: voice, engine, language and options, asked in a dialog.

import { hereOf, showMore } from "../choice/engines_here.js";
import { languageName } from "../choice/language.js";
import { LanguageField } from "../choice/language_picker.js";
import { OptionField } from "../choice/option_field.js";
import { arranged } from "../choice/option_order.js";
import { grouped } from "../choice/voice_order.js";
import { make } from "../kit/frame.js";
import { agreed } from "../kit/library.js";
import { language as reader, words } from "../words/words.js";

export class LaneDialog {
  // dialog: of compare.html. ask({voice, engine}): what is known of such a lane, or null.
  constructor(dialog, ask) {
    this._dialog = dialog;
    this._ask = ask;
    this._title = dialog.querySelector("h3");
    this._form = dialog.querySelector("form").elements;
    const [usual, others] = dialog.querySelectorAll(".lane-options");
    this._usual = usual;
    this._others = others;
    this._fold = dialog.querySelector("details");
    this._language = new LanguageField(this._form.language, { more: () => [["", words("compare.language_found")]] });
    this._form.engine.addEventListener("change", () => this._change());
  }

  /** {known, options, language} of the lane as it is to be; null where it stays. title: of the dialog. */
  async open(lane, title) {
    this._title.textContent = title;
    this._show(lane.known, lane.voice, lane.language);
    for (const field of this._fields) field.value = lane.options[field.option.name] ?? field.option.default;
    if (!(await agreed(this._dialog))) return null;
    const { voice, language } = this._form;
    const known = { ...this._known, voice: voice.value || null };
    const changed = this._fields.filter(({ isChanged }) => isChanged);
    return { known, options: Object.fromEntries(changed.map((field) => [field.option.name, field.value])), language: language.value };
  }

  // Another engine has other voices, languages and options; what it has as well stays.
  async _change() {
    const { engine, voice, language } = this._form;
    const values = new Map(this._fields.filter(({ isChanged }) => isChanged).map((field) => [field.option.name, field.value]));
    const known = await this._ask({ voice: voice.value, engine: engine.value });
    if (!known || known.engine !== engine.value) return;
    this._show(known, known.voice, language.value);
    for (const field of this._fields) if (values.has(field.option.name)) field.value = values.get(field.option.name);
  }

  _show(known, voice, language) {
    this._known = known;
    const { voices, engines, languages, options } = known;
    const nobody = voice ? [] : [make("option", { value: "", textContent: words("compare.no_voice") })];
    const { voice: voiceField, engine: engineField } = this._form;
    voiceField.replaceChildren(...nobody, ...grouped(voices, language || reader, languageName).flatMap(voiceOptions));
    voiceField.value = voice ?? "";
    engineField.replaceChildren(...hereOf(engines, known.engine).map(({ id, title }) => make("option", { value: id, textContent: title })));
    engineField.value = known.engine;
    showMore(this._dialog.querySelector(".more-line"), engines);
    this._language.offer(languages);
    this._language.value = languages.includes(language) ? language : "";
    this._showOptions(options);
  }

  _showOptions(options) {
    const { usual, instructions, others } = arranged(options);
    const first = [...(instructions ? [instructions] : []), ...usual].map(laneField);
    const rest = others.map(laneField);
    this._fields = [...first, ...rest];
    this._usual.replaceChildren(...first.map(({ element }) => element));
    this._others.replaceChildren(...rest.map(({ element }) => element));
    this._fold.hidden = !rest.length;
  }
}

function voiceOptions({ language, voices }) {
  const options = voices.map(({ name }) => make("option", { value: name, textContent: name }));
  return language ? [make("optgroup", { label: languageName(language) }, ...options)] : options;
}

// A field whose ids are not those of the composer's, which has the same options.
function laneField(option) {
  const field = new OptionField(option);
  const { element } = field;
  for (const part of element.querySelectorAll("[id]")) part.id = `lane-${part.id}`;
  element.querySelector("#lane-seed-lock")?.remove(); // a lane keeps its variation until it gets another one
  for (const label of element.querySelectorAll("label[for]")) label.htmlFor = `lane-${label.htmlFor}`;
  for (const part of element.querySelectorAll("[aria-describedby]"))
    part.setAttribute("aria-describedby", part.getAttribute("aria-describedby").replace(/\S+/g, "lane-$&"));
  return field;
}
