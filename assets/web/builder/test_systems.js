// What a test compares: each line a voice with an engine and its options, or uploaded files, one for each text.

import { hereOf } from "../choice/engines_here.js";
import { OptionField } from "../choice/option_field.js";
import { icon } from "../drawings/icons.js";
import { printOf } from "../drawings/voiceprint.js";
import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { TestFiles } from "./test_files.js";
import { SYSTEM_LETTERS } from "./test_labels.js";

const LANES = "abcdef";
const PRINT_PIXELS = 28;
const SEED = "seed"; // has a field of its own in the plan

export const letterOf = (at) => SYSTEM_LETTERS[at];

/** The letter of a lane or system, in its colour. */
export function letterSign(at) {
  const sign = make("span", { className: "letter mini", textContent: SYSTEM_LETTERS[at] });
  sign.style.setProperty("--lane", `var(--lane-${LANES[at % LANES.length]})`);
  sign.setAttribute("aria-hidden", "true");
  return sign;
}

export const selectOption = (value, textContent) => make("option", { value, textContent });

export class TestSystems {
  // list: the <ul>. change(systems, isByHand): somebody chose otherwise. takeFiles(system, files, texts) sends files for texts.
  constructor(list, { change, takeFiles, texts, has }) {
    this._list = list;
    this._change = change;
    this._takeFiles = takeFiles;
    this._texts = texts;
    this._has = has;
    this._unfolded = new Set();
    this._lines = new Map(); // of files, by the system's id
  }

  // known: what there is to choose from. made: how many sounds are made, by system.
  show(systems, known, made) {
    this._systems = systems;
    this._known = known;
    this._made = made;
    const focus = document.activeElement?.closest?.(".system") ? document.activeElement.dataset : null;
    this._lines.clear();
    this._list.replaceChildren(...systems.map((system, at) => this._lineOf(system, at)));
    this._list.hidden = !systems.length;
    if (focus?.part) this._list.querySelector(`[data-part="${focus.part}"][data-key="${CSS.escape(focus.key)}"]`)?.focus();
  }

  /** What is made and what has come, drawn without taking the focus. */
  showMade(made) {
    this._made = made;
    for (const line of this._list.children) {
      const system = this._systems.find(({ id }) => id === line.dataset.key);
      line.querySelector(".system-made").textContent = this._madeWords(system);
    }
    for (const files of this._lines.values()) files.show();
  }

  _set(id, values) {
    this._change(this._systems.map((system) => (system.id === id ? { ...system, ...values } : system)));
  }

  _madeWords({ id }) {
    const n = this._texts().length;
    const made = this._made[id] ?? 0;
    return n && made >= n ? words("tests.made_all", { n }) : words("tests.made_some", { n, made });
  }

  _lineOf(system, at) {
    const { id } = system;
    const isFiles = system.source === "files";
    const fields = isFiles ? this._labelOf(system, at) : this._choicesOf(system, at);
    const sign = isFiles ? icon("wave", 20) : printOf(this._printOf(system), PRINT_PIXELS);
    const made = make("span", { className: "note system-made num", textContent: this._madeWords(system) });
    const acts = [this._removeButton(system, at)];
    if (!isFiles) acts.unshift(this._optionsButton(system, at));
    const head = make("div", { className: "system-head" }, letterSign(at), sign, fields, made, ...acts);
    const line = make("li", { className: "system" }, head);
    line.dataset.key = id;
    if (isFiles) line.append(this._filesOf(system));
    else if (this._unfolded.has(id)) line.append(this._optionsOf(system));
    return line;
  }

  _printOf({ voice, engine }) {
    const own = this._known.voices.find(({ name }) => name === voice)?.print;
    return own ?? this._known.engines.find(({ id }) => id === engine)?.presets[voice] ?? "";
  }

  _choicesOf({ id, voice, engine }, at) {
    const { engines } = this._known;
    const chosen = engines.find((one) => one.id === engine) ?? engines[0];
    const names = [...new Set([...(chosen?.voices ?? []), ...(voice ? [voice] : [])])];
    const voices = this._select(
      id,
      "voice",
      words("tests.voice_of", { letter: SYSTEM_LETTERS[at] }),
      names.map((name) => [name, name]),
      voice,
    );
    const titles = hereOf(engines, engine).map((one) => [one.id, one.title]);
    const engineSelect = this._select(id, "engine", words("tests.engine_of", { letter: SYSTEM_LETTERS[at] }), titles, engine);
    return make("span", { className: "system-choice grow" }, voices, engineSelect);
  }

  _select(id, part, label, choices, value) {
    const select = make("select", { className: "select small" }, ...choices.map(([one, said]) => selectOption(one, said)));
    select.setAttribute("aria-label", label);
    select.value = value ?? "";
    Object.assign(select.dataset, { part, key: id });
    select.addEventListener("change", () => this._set(id, { [part]: select.value, ...(part === "engine" ? { options: {} } : {}) }));
    return select;
  }

  _labelOf({ id, label }, at) {
    const field = make("input", { className: "input", value: label, maxLength: 120, dir: "auto", placeholder: words("tests.own_files") });
    field.setAttribute("aria-label", words("tests.label_of", { letter: SYSTEM_LETTERS[at] }));
    Object.assign(field.dataset, { part: "label", key: id });
    field.addEventListener("change", () => this._set(id, { label: field.value.trim() }));
    return make("span", { className: "system-choice grow" }, field);
  }

  _optionsButton({ id }, at) {
    const label = words("tests.options_of", { letter: SYSTEM_LETTERS[at] });
    const button = make("button", { type: "button", className: "button quiet square small", title: label }, icon("sliders"));
    button.setAttribute("aria-label", label);
    button.setAttribute("aria-expanded", String(this._unfolded.has(id)));
    Object.assign(button.dataset, { part: "options", key: id });
    button.addEventListener("click", () => {
      this._unfolded[this._unfolded.has(id) ? "delete" : "add"](id);
      this.show(this._systems, this._known, this._made);
    });
    return button;
  }

  _removeButton({ id }, at) {
    const label = words("tests.remove", { letter: SYSTEM_LETTERS[at] });
    const button = make("button", { type: "button", className: "button quiet square small", title: label }, icon("close"));
    button.setAttribute("aria-label", label);
    Object.assign(button.dataset, { part: "remove", key: id });
    button.addEventListener("click", () => this._change(this._systems.filter((system) => system.id !== id)));
    return button;
  }

  _optionsOf(system) {
    const { id, engine, options, seed, cold } = system;
    const known = this._known.engines.find((one) => one.id === engine)?.options ?? [];
    const fields = known.filter(({ name }) => name !== SEED).map((option) => this._optionOf(system, option, options[option.name]));
    const seedId = `system-${id}-${SEED}`;
    const seedField = make("input", {
      className: "input num",
      type: "number",
      min: 0,
      max: 2 ** 31 - 1,
      step: 1,
      id: seedId,
      value: seed ?? "",
    });
    seedField.placeholder = words("options.automatic");
    seedField.addEventListener("change", () => this._set(id, { seed: seedField.value === "" ? null : seedField.valueAsNumber }));
    const name = make("span", { className: "name", textContent: words("options.name_seed") });
    const label = make("label", { className: "field", htmlFor: seedId }, name, seedField);
    const box = make("input", { type: "checkbox", checked: cold });
    box.addEventListener("change", () => this._set(id, { cold: box.checked }));
    Object.assign(box.dataset, { part: "cold", key: id });
    const check = make("label", { className: "check" }, box, make("span", { textContent: words("tests.cold") }));
    const hasSeed = known.some((option) => option.name === SEED);
    return make("div", { className: "system-options" }, ...(hasSeed ? [label] : []), ...fields, check);
  }

  _optionOf({ id }, option, value) {
    const field = new OptionField(option);
    if (value !== undefined) field.value = value;
    for (const part of field.element.querySelectorAll("[id]")) part.id = `system-${id}-${part.id}`; // Speak has the same fields
    for (const label of field.element.querySelectorAll("label[for]")) label.htmlFor = `system-${id}-${label.htmlFor}`;
    for (const part of field.element.querySelectorAll("[aria-describedby]")) {
      const named = part.getAttribute("aria-describedby").split(" ");
      part.setAttribute("aria-describedby", named.map((one) => `system-${id}-${one}`).join(" "));
    }
    field.element.addEventListener("change", () => {
      const { [option.name]: _, ...others } = this._systems.find((system) => system.id === id).options;
      this._set(id, { options: field.isChanged ? { ...others, [option.name]: field.value } : others });
    });
    return field.element;
  }

  _filesOf({ id }) {
    const files = new TestFiles({
      name: id,
      texts: this._texts,
      has: (text) => this._has(id, text),
      take: (list, first) => this._takeFiles(id, list, first),
    });
    this._lines.set(id, files);
    return files.element;
  }
}
