// The options of one engine, folded: what people use in one line, all others in a fold of their own; and, beside the text, what is said of how
// it should sound. Made from what the engine declares.

import { words } from "../words/words.js";
import { choice } from "./choice.js";
import { FirstSound } from "./first_sound.js";
import { OptionField } from "./option_field.js";
import { arranged } from "./option_order.js";

export let speakOptions;

class Options {
  constructor(element) {
    const part = (selector) => element.querySelector(selector);
    this._toggle = part("#options-toggle");
    this._box = part("#options");
    this._usual = part("#options > .options");
    this._fold = part("#options .fold");
    this._others = part("#options .fold .options");
    this._reset = part("#options-reset");
    this._dot = part("#options-toggle .dot");
    this._place = part("#instructions");
    this._engine = null;
    this._fields = [];
    this._instructions = null;
    this._typed = ""; // as instructions, until an engine listens to them again
    this._toggle.addEventListener("click", () => this.open(this._box.hidden));
    this._reset.addEventListener("click", () => this.write(this._said)); // which has its own place, and stays
    for (const event of ["input", "change", "click"]) this._box.addEventListener(event, () => this._changed());
    document.addEventListener("studio-choice", () => this._show());
    this._show();
  }

  open(isOpen) {
    this._box.hidden = !isOpen;
    this._toggle.setAttribute("aria-expanded", String(isOpen));
  }

  /** Only what differs from the default, so that a request says what the person changed. */
  read() {
    const changed = this._fields.filter(({ isChanged }) => isChanged);
    return Object.fromEntries(changed.map(({ option, value }) => [option.name, value]));
  }

  /** All options of the chosen engine: those that are named here, and the others to their defaults. */
  write(values) {
    this._typed = "";
    for (const field of this._fields) field.value = values[field.option.name] ?? field.option.default;
    this._changed();
  }

  get isSeedKept() {
    return this._seed?.isKept ?? true;
  }

  set isSeedKept(isKept) {
    if (this._seed) this._seed.isKept = isKept;
    this._changed();
  }

  /** An engine did not take the value of an option; what it said stands at the field, too. */
  refuse(name, said) {
    this._fields.find(({ option }) => option.name === name)?.refuse(said);
  }

  /** Before a run: another variation, where none is kept. */
  drawSeed() {
    if (this.isSeedKept) return;
    this._seed.draw();
    this._changed();
  }

  _show() {
    const { engine, options = [] } = choice.known;
    this._toggle.disabled = !engine;
    if (engine !== this._engine) this._make(options); // the same engine again: keep what was typed
    this._engine = engine;
    for (const field of this._fields) field.element.hidden = field.isStrength && !choice.voiceKnown?.is_stored; // nothing was learned
    this._callInstructions();
  }

  _make(options) {
    this._typed = this._instructions?.value ?? this._typed;
    const { instructions, usual, first, others } = arranged(options);
    this._fields = [...usual, ...others].map((option) => new OptionField(option));
    this._seed = this._fields.find(({ isSeed }) => isSeed) ?? null;
    this._firstSound = first && new FirstSound(first, this._fields);
    const rows = this._fields.map(({ element }) => element);
    this._usual.replaceChildren(...rows.slice(0, usual.length), ...(first ? [this._firstSound.element] : []));
    this._others.replaceChildren(...rows.slice(usual.length));
    this._instructions = instructions && new OptionField(instructions);
    if (instructions) {
      this._fields.push(this._instructions);
      this._instructions.value = this._typed;
    }
    this._place.hidden = !instructions;
    this._place.replaceChildren(...(instructions ? [this._instructions.element] : []));
    this._fold.hidden = !others.length;
    this._fold.querySelector(".all").textContent = words("options.all", { n: options.length });
    this._changed();
  }

  // With the voice that is made of them they say who speaks, with any other one how.
  _callInstructions() {
    if (!this._instructions) return;
    const { designed, voice } = choice.known;
    const what = designed && voice === designed ? "design" : "instructions";
    const { maximum: most, suggestions } = this._instructions.option;
    const hint = words(`options.${what === "design" ? "design" : "text"}_${suggestions.length ? "list_" : ""}hint`, { most });
    this._instructions.call(words(`options.name_${what}`), hint, words(`options.example_${what}`));
  }

  get _said() {
    return this._instructions ? { [this._instructions.option.name]: this._instructions.value } : {};
  }

  _changed() {
    this._firstSound?.show();
    const isChanged = this._fields.some((field) => field !== this._instructions && field.isChanged);
    this._reset.hidden = this._dot.hidden = !isChanged;
    this._toggle.title = isChanged ? words("options.some_changed") : "";
  }
}

export function mountOptions(element) {
  speakOptions = new Options(element);
}
