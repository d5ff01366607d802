// One option of an engine as a field: its name above, unit and range below. What it means is said at its name.

import { make } from "../kit/frame.js";
import { number, words } from "../words/words.js";
import { captionOf } from "./option_caption.js";
import { WordChips } from "./word_chips.js";
import { exampleOf } from "./word_list.js";

const SEED = "seed";
const DURATION = "duration";
const STRENGTH = "strength"; // how much of what was learned of a voice is heard
// Which are sliders: nobody means a number by them. A slider always says one, so an option is none without a default.
const SLIDERS = new Set(["temperature", STRENGTH]);
const MOST_DRAWN_SEED = 2 ** 31 - 1;
const SLIDER_STEPS = 40;
const UNITS = new Set(["x", "s", "semitones"]); // said in the reader's language

export class OptionField {
  // option: {name, kind, default, summary, minimum, maximum, choices, unit, labels, suggestions}, as the engine declares it; repeats:
  // whether the same seed is the same take.
  constructor(option) {
    this.option = option;
    this._control = this._controlOf(`option-${option.name}`);
    this._name = make("label", { className: "name", htmlFor: this._control.id, textContent: captionOf(option) });
    this._hint = make("span", { className: "note", textContent: hintOf(option), id: `${this._control.id}-hint` });
    if (this.isStrength) this._showEnds();
    this._problem = make("span", { className: "note refused", id: `${this._control.id}-problem`, hidden: true });
    this._control.setAttribute("aria-describedby", `${this._hint.id} ${this._problem.id}`);
    this.element = make("div", { className: "field", title: option.summary }, this._name, this._control, this._hint, this._problem);
    if (option.suggestions.length) this._chips = new WordChips(this._control, option.suggestions);
    if (this._chips) this.element.append(this._chips.element);
    for (const event of ["input", "change"]) this._control.addEventListener(event, () => this.refuse(""));
    if (this.isSeed) this._addButtons(this._hint);
    this.element.dataset.name = option.name;
  }

  get isSeed() {
    return this.option.name === SEED && this.option.kind === "int";
  }

  get isStrength() {
    return this.option.name === STRENGTH;
  }

  get value() {
    if (this.option.kind === "bool") return this._control.checked;
    if (this.option.kind === "choice") return this._control.value || null;
    if (this.option.kind === "text") return this._control.value.trim();
    return this._control.value === "" ? null : Number(this._control.value);
  }

  set value(value) {
    if (this.option.kind === "bool") this._control.checked = Boolean(value);
    else this._control.value = value ?? "";
    this._slide();
    this._chips?.show();
    this.refuse("");
  }

  get isChanged() {
    return this.value !== null && this.value !== this.option.default;
  }

  /** Of a text: what it is called, what stands below it, and an example for as long as it is empty, unless the engine knows better. */
  call(caption, hint, example) {
    this._name.textContent = caption;
    this._hint.textContent = hint;
    this._control.placeholder = exampleOf(this.option.suggestions) || example;
  }

  /** said: why its value was not taken; "" takes that back. */
  refuse(said) {
    this._problem.textContent = said;
    this._problem.hidden = !said;
    this._control.setAttribute("aria-invalid", String(Boolean(said)));
  }

  // --- of the variation: the same number is the same take. Kept, every run has the number in the field; else each run draws one first.

  get isKept() {
    return this._keep.getAttribute("aria-pressed") === "true";
  }

  set isKept(isKept) {
    this._keep.setAttribute("aria-pressed", String(isKept));
  }

  draw() {
    const low = this.option.minimum ?? 0;
    const high = Math.min(this.option.maximum ?? MOST_DRAWN_SEED, MOST_DRAWN_SEED);
    this.value = low + Math.floor(Math.random() * (high - low + 1));
  }

  _addButtons(hint) {
    const another = make("button", { type: "button", className: "link-button", id: "seed-dice", textContent: words("options.another") });
    another.addEventListener("click", () => this.draw());
    this._keep = make("button", { type: "button", className: "link-button", id: "seed-lock", textContent: words("options.keep") });
    this._keep.title = words("options.keep_about");
    this._keep.addEventListener("click", () => {
      this.isKept = !this.isKept;
    });
    this.isKept = true;
    if (this.option.repeats ?? true) hint.classList.add("visually-hidden"); // the buttons have its place
    this.element.append(make("div", { className: "seed" }, another, this._keep));
  }

  _showEnds() {
    const ends = ["least_strength", "most_strength"].map((end) => make("span", { textContent: words(`options.${end}`) }));
    this._hint.classList.add("ends");
    this._hint.replaceChildren(...ends);
  }

  _controlOf(id) {
    const { name, kind, default: preset } = this.option;
    if (kind === "bool") return make("input", { id, type: "checkbox", checked: Boolean(preset) });
    if (kind === "choice") return selectOf(id, this.option);
    if (kind === "text") return make("textarea", { id, className: "input", dir: "auto", rows: 1, value: preset });
    return SLIDERS.has(name) && preset !== null ? this._slider(id) : numberOf(id, this.option);
  }

  _slider(id) {
    const { default: preset, minimum, maximum } = this.option;
    const step = (maximum - minimum) / SLIDER_STEPS;
    const slider = make("input", { id, type: "range", className: "slider", min: minimum, max: maximum, step, value: preset });
    slider.addEventListener("input", () => this._slide());
    requestAnimationFrame(() => this._slide());
    return slider;
  }

  _slide() {
    if (this._control.type !== "range") return;
    const { minimum, maximum } = this.option;
    this._control.style.setProperty("--at", `${(100 * (this._control.valueAsNumber - minimum)) / (maximum - minimum)}%`);
  }
}

function selectOf(id, { default: preset, choices, labels }) {
  const unset = preset === null ? [make("option", { value: "", textContent: words("options.automatic") })] : [];
  const named = choices.map((value, at) => make("option", { value, textContent: labels[at] ?? value }));
  const select = make("select", { id, className: "select" }, ...unset, ...named);
  select.value = preset ?? "";
  return select;
}

function numberOf(id, { kind, default: preset, minimum, maximum }) {
  const max = maximum === null ? "" : Math.min(maximum, Number.MAX_SAFE_INTEGER); // a JSON number beyond it would be another number
  const step = kind === "int" ? 1 : "any";
  const placeholder = words("options.automatic");
  return make("input", { id, className: "input num", type: "number", step, min: minimum ?? "", max, value: preset ?? "", placeholder });
}

function hintOf({ name, kind, unit, minimum, maximum, repeats = true }) {
  if (name === SEED) return words(repeats ? "options.seed_hint" : "options.seed_elsewhere");
  if (kind === "bool" || kind === "choice") return "";
  if (kind === "text") return words("options.text_hint", { most: maximum });
  if (minimum === null || maximum === null || maximum > Number.MAX_SAFE_INTEGER) return unit ?? "";
  const range = words("options.range", { least: number(minimum), most: number(maximum) });
  if (name === DURATION) return words("options.duration_hint", { range });
  if (UNITS.has(unit)) return words(`options.range_${unit}`, { range });
  return `${range}${/^\d/.test(unit) ? " × " : " "}${unit ?? ""}`.trim(); // of pieces such as "80 ms" there are so many
}
