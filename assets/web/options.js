// The fields of one engine's options, made from the schema that the engine declares. Names and summaries are set as text.

import { make, onMount } from "./frame.js";
import { LanguageSelect } from "./language.js";

export let speakOptions;

// "first_block_seconds" in "s" -> "First block (s)": a unit is said once
function captionOf({ name, unit }) {
  const words = name.split("_");
  const last = words[words.length - 1];
  if (unit && words.length > 1 && last.startsWith(unit)) words.pop();
  const caption = words.join(" ");
  return `${caption[0].toUpperCase()}${caption.slice(1)}${unit ? ` (${unit})` : ""}`;
}

function controlOf(option, id) {
  const { kind, default: preset, minimum, maximum, choices } = option;
  if (kind === "bool") return make("input", { id, type: "checkbox", checked: Boolean(preset) });
  if (kind === "choice") {
    const unset = preset === null ? [make("option", { value: "", textContent: "Automatic" })] : [];
    const select = make("select", { id }, ...unset, ...choices.map((choice) => make("option", { value: choice, textContent: choice })));
    select.value = preset ?? "";
    return select;
  }
  const most = maximum === null ? "" : Math.min(maximum, Number.MAX_SAFE_INTEGER); // a JSON number beyond it would be another number
  const step = kind === "int" ? 1 : "any";
  return make("input", { id, type: "number", step, min: minimum ?? "", max: most, value: preset ?? "", placeholder: "Automatic" });
}

function readControl({ kind }, control) {
  if (kind === "bool") return control.checked;
  if (kind === "choice") return control.value || null;
  return control.value === "" ? null : Number(control.value);
}

const MOST_DRAWN_SEED = 2 ** 31 - 1;
const isSeed = ({ name, kind }) => name === "seed" && kind === "int";

// The seed's field with its dice and its lock. Locked, every run has the seed in the field; else each run draws one first.
class Seed {
  constructor(option, control) {
    this._option = option;
    this._control = control;
    const dice = make("button", { type: "button", className: "button", textContent: "New", id: "seed-dice", onclick: () => this.draw() });
    dice.setAttribute("aria-label", "Draw a new seed");
    this._lock = make("button", { type: "button", className: "button", textContent: "Lock", id: "seed-lock" });
    this._lock.setAttribute("aria-pressed", "true");
    this._lock.title = "Locked: every run has this seed. Open: each run draws a new one.";
    this._lock.addEventListener("click", () => this._lock.setAttribute("aria-pressed", String(!this.isLocked)));
    this.element = make("div", { className: "seed" }, control, dice, this._lock);
  }

  get isLocked() {
    return this._lock.getAttribute("aria-pressed") === "true";
  }

  draw() {
    const low = this._option.minimum ?? 0;
    const high = Math.min(this._option.maximum ?? MOST_DRAWN_SEED, MOST_DRAWN_SEED);
    this._control.value = low + Math.floor(Math.random() * (high - low + 1));
  }
}

class Options {
  constructor({ element, props, watch }) {
    this._element = element.querySelector(".options");
    this.language = new LanguageSelect(element.querySelector(".select"), "Automatic");
    this._props = props;
    this._engine = null;
    watch("value", () => this._show());
    this._show();
  }

  // What the page knows about the chosen engine and voice: { engine, title, sample_rate, options, voice_is_stored, voice_is_own }
  get choice() {
    return this._props.value ?? {};
  }

  // Only what differs from the default, so that the request says what the person changed.
  read() {
    const changed = {};
    for (const [option, control] of this._controls ?? []) {
      const value = readControl(option, control);
      if (value !== null && value !== option.default) changed[option.name] = value;
    }
    return changed;
  }

  // Before a run: a new seed where it is not locked.
  drawSeed() {
    if (this._seed && !this._seed.isLocked) this._seed.draw();
  }

  // A control as it stands in the form, with its own buttons where it has some.
  _fieldOf([option, control]) {
    const caption = make("label", { htmlFor: control.id, textContent: captionOf(option) });
    if (isSeed(option)) this._seed = new Seed(option, control);
    const field = make("div", { className: "option", title: option.summary }, caption, isSeed(option) ? this._seed.element : control);
    field.dataset.name = option.name;
    return field;
  }

  // Sets all options of the chosen engine: those that are named here, and the others to their defaults.
  write(values, language) {
    for (const [option, control] of this._controls ?? []) {
      const value = values[option.name] ?? option.default;
      if (option.kind === "bool") control.checked = Boolean(value);
      else control.value = value ?? "";
    }
    this.language.value = language;
  }

  _show() {
    document.dispatchEvent(new Event("studio-choice"));
    const { engine, options = [] } = this.choice;
    if (engine === this._engine) return; // the same engine again: keep what was typed
    this._engine = engine;
    this._seed = null;
    const inOrder = [...options].sort((one, other) => isSeed(one) - isSeed(other)); // it is two columns wide: last, it leaves no hole
    this._controls = inOrder.map((option) => [option, controlOf(option, `option-${option.name}`)]);
    this._element.replaceChildren(
      this._element.firstElementChild, // the language
      ...this._controls.map((entry) => this._fieldOf(entry)),
    );
  }
}

onMount("options", (tools) => {
  speakOptions = new Options(tools);
});
