// Who speaks and how, as fields of a dialog: voice, engine, language, instructions, speed, loudness and the engine's options.

import { enginePicker } from "../choice/engine_picker.js";
import { LanguageField } from "../choice/language_picker.js";
import { OptionField } from "../choice/option_field.js";
import { arranged } from "../choice/option_order.js";
import { voicePicker } from "../choice/voice_picker.js";
import { printOf } from "../drawings/voiceprint.js";
import { make } from "../kit/frame.js";
import { listField, numberField } from "../script_sheets/sheet.js";
import { number, words } from "../words/words.js";
import { MemberChoice } from "./member_choice.js";
import { printDigest } from "./member_words.js";

const PRINT_PIXELS = 24;
const GAIN = { min: -12, max: 12, step: 0.5 };
const SPEED = { min: 0.25, max: 4, step: 0.05 };
const OF_THE_MEMBER = ["speed", "instructions", "seed", "duration"]; // fields of its own, or of a line

export class MemberFields {
  // member: CastMember. id: begins the ids of its fields. onChange: any of them is otherwise.
  constructor(member, { id, onChange }) {
    this._member = member;
    this._id = id;
    this._onChange = onChange;
    this._options = new Map(Object.entries(member.options ?? {}));
    this.choice = new MemberChoice(member, () => this._show());
    const [voice, engine, language] = ["voice", "engine", "language"].map((name) =>
      listField(`${id}-${name}`, words(`scripts.cast_${name}`)),
    );
    this._voice = voice.button;
    this._engine = engine.button;
    this._voicePicker = voicePicker(this._voice, this.choice);
    this._enginePicker = enginePicker(this._engine, this.choice);
    this._language = new LanguageField(language.button, { more: () => [["", words("scripts.cast_language_usual")]] });
    this._language.addEventListener("change", () => {
      this.choice.language = this._language.value;
      onChange();
    });
    this._speed = numberField(`${id}-speed`, words("scripts.cast_speed"), member.speed, SPEED);
    this._gain = numberField(`${id}-gain`, words("scripts.cast_gain"), member.gain_db, { ...GAIN, hint: words("scripts.cast_gain_hint") });
    this._how = make("div", { className: "stack" });
    this._fold = make("details", { className: "sheet-fold" }, make("summary", { textContent: words("scripts.cast_options") }));
    this._rest = make("div", { className: "stack" });
    this._fold.append(this._rest);
    this._gone = make("p", { className: "note refused", role: "status" });
    const pair = (...parts) => make("div", { className: "sheet-pair" }, ...parts);
    this.element = make(
      "div",
      { className: "stack" },
      pair(voice.element, engine.element),
      this._gone,
      pair(language.element, this._speed.element, this._gain.element),
      this._how,
      this._fold,
    );
    this.element.addEventListener("input", onChange);
    this._language.value = member.language ?? "";
    this._fields = [];
    this._show();
    this.ready = this.choice.choose({});
  }

  /** CastMember as it is typed by now. */
  read() {
    const { voice, engine } = this.choice;
    const instructions = this._instructions ? this._instructions.value.trim() : (this._member.instructions ?? "");
    return {
      ...this._member,
      voice,
      model: engine ?? this._engineOfVoice,
      language: this._language.value || null,
      instructions: instructions || null,
      speed: this._speed.read() ?? 1,
      gain_db: this._gain.read() ?? 0,
      options: this._engineSeen === this.choice.known.engine ? this._readOptions() : this._member.options,
    };
  }

  // A built-in voice is one of its engine, and stays that where another engine becomes the usual one.
  get _engineOfVoice() {
    const { voiceKnown, known } = this.choice;
    return voiceKnown && !voiceKnown.is_stored ? known.engine : null;
  }

  _readOptions() {
    const changed = this._fields.filter(({ isChanged }) => isChanged);
    return Object.fromEntries(changed.map((field) => [field.option.name, field.value]));
  }

  _show() {
    const { known, voice } = this.choice;
    const digest = printDigest(known);
    const name = make("span", { className: "cut", dir: "auto", textContent: voice ?? words("scripts.cast_voice_usual") });
    this._voice.replaceChildren(...(voice && digest ? [printOf(digest, PRINT_PIXELS)] : []), name);
    this._engine.replaceChildren(
      make("span", { className: "cut", textContent: known.title ?? this.choice.engine ?? words("scripts.cast_engine_usual") }),
    );
    this._gone.textContent = this.choice.isGone ? words("scripts.cast_voice_gone", { voice, engine: known.title }) : "";
    this._gone.hidden = !this._gone.textContent;
    for (const picker of [this._voicePicker, this._enginePicker]) picker.refresh();
    if (!known.engine) return;
    this._language.offer(known.languages);
    if (this._engineSeen !== known.engine) this._showOptions(known);
    this._onChange();
  }

  // Another engine has other options; what it has as well stays as it was.
  _showOptions({ engine, options }) {
    if (this._engineSeen) this._options = new Map(Object.entries(this._readOptions()));
    this._engineSeen = engine;
    const { instructions } = arranged(options);
    const typed = this._instructions?.value ?? this._member.instructions ?? "";
    this._instructions = instructions && this._fieldOf(instructions);
    if (this._instructions) {
      this._instructions.call(
        words("scripts.cast_instructions"),
        words("options.text_hint", { most: instructions.maximum }),
        words("options.example_instructions"),
      );
      this._instructions.value = typed;
    }
    this._how.replaceChildren(...(this._instructions ? [this._instructions.element] : typed ? [this._unheard()] : []));
    this._fields = options.filter(({ name }) => !OF_THE_MEMBER.includes(name)).map((option) => this._fieldOf(option));
    for (const field of this._fields) field.value = this._options.get(field.option.name) ?? field.option.default;
    this._rest.replaceChildren(...this._fields.map(({ element }) => element));
    this._fold.hidden = !this._fields.length;
  }

  _unheard() {
    return make("p", { className: "note", textContent: words("scripts.cast_instructions_unheard", { engine: this.choice.known.title }) });
  }

  // Its ids are not those of Speak, which has the same options.
  _fieldOf(option) {
    const field = new OptionField(option);
    const { element } = field;
    element.querySelector("#seed-lock")?.remove();
    for (const part of element.querySelectorAll("[id]")) part.id = `${this._id}-${part.id}`;
    for (const label of element.querySelectorAll("label[for]")) label.htmlFor = `${this._id}-${label.htmlFor}`;
    for (const part of element.querySelectorAll("[aria-describedby]"))
      part.setAttribute("aria-describedby", part.getAttribute("aria-describedby").replace(/\S+/g, `${this._id}-$&`));
    return field;
  }
}

/** "+3 dB" */
export const gainWords = (gain) => words("scripts.cast_gain_of", { n: `${gain > 0 ? "+" : ""}${number(gain)}` });
