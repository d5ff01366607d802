// The mixer: two to five built-in voices, each with a slider for its share. One blend comes out of it.

import { languageName } from "../choice/language.js";
import { icon } from "../drawings/icons.js";
import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { FEWEST, MOST, sharesOf, voicesOf } from "./blend.js";

const USUAL_WEIGHT = 50;

export class Mixer {
  // list: the ul of its rows. add: the button of one more. onChange: the blend is another.
  constructor(list, add, onChange) {
    this._list = list;
    this._add = add;
    this._onChange = onChange;
    this._rows = [];
    this._presets = [];
    this._isTouched = false;
    add.addEventListener("click", () => this._addOne());
  }

  /** [{name, weight}]. */
  get parts() {
    return this._rows.map(({ voice, slider }) => ({ name: voice.value, weight: Number(slider.value) }));
  }

  set parts(parts) {
    this._rows = parts.map((part) => this._rowOf(part));
    this._draw();
  }

  /** Of an engine and a language: what somebody has mixed stays as long as the engine has its voices. */
  show(presets, language) {
    this._presets = presets;
    this._language = language;
    const isKnown = this.parts.every(({ name }) => presets.some((preset) => preset.name === name));
    if (this._isTouched && isKnown) return;
    this._isTouched = false;
    const own = voicesOf(presets, language);
    this.parts = own.slice(0, FEWEST).map(({ name }) => ({ name, weight: USUAL_WEIGHT }));
  }

  /** What was drawn by chance, to be changed here. */
  take(parts) {
    this._isTouched = true;
    const largest = Math.max(...parts.map(({ weight }) => weight));
    this.parts = parts.map(({ name, weight }) => ({ name, weight: Math.round((100 * weight) / largest) }));
    this._rows[0].slider.focus();
  }

  _addOne() {
    const taken = new Set(this.parts.map(({ name }) => name));
    const order = [...voicesOf(this._presets, this._language), ...this._presets];
    const next = order.find(({ name }) => !taken.has(name)) ?? order[0];
    this._isTouched = true;
    this._rows.push(this._rowOf({ name: next.name, weight: USUAL_WEIGHT }));
    this._draw();
    this._rows.at(-1).voice.focus();
  }

  _remove(row) {
    const at = this._rows.indexOf(row);
    this._isTouched = true;
    this._rows.splice(at, 1);
    this._draw();
    this._rows[Math.min(at, this._rows.length - 1)].voice.focus();
  }

  _rowOf({ name, weight }) {
    const voice = make("select", { className: "select", ariaLabel: words("design.voice") }, ...this._choices());
    voice.value = name;
    const slider = make("input", { type: "range", className: "slider", min: 1, max: 100, step: 1, value: weight });
    const share = make("output", { className: "num" });
    const remove = make("button", { type: "button", className: "button square quiet small" }, icon("close"));
    const line = make("li", { className: "mix-row" }, voice, slider, share, remove);
    const row = { voice, slider, share, remove, line };
    remove.addEventListener("click", () => this._remove(row));
    for (const control of [voice, slider]) {
      control.addEventListener("input", () => {
        this._isTouched = true;
        this._tell();
      });
    }
    return row;
  }

  _choices() {
    const languages = [...new Set(this._presets.map(({ language }) => language))];
    return languages.map((language) => {
      const own = this._presets.filter((preset) => preset.language === language);
      const options = own.map(({ name }) => make("option", { value: name, textContent: name }));
      return make("optgroup", { label: language ? languageName(language) : words("design.other_voices") }, ...options);
    });
  }

  _draw() {
    this._list.replaceChildren(...this._rows.map(({ line }) => line));
    for (const { remove } of this._rows) remove.hidden = this._rows.length <= FEWEST;
    this._add.hidden = this._rows.length >= Math.min(MOST, this._presets.length);
    this._tell();
  }

  _tell() {
    const shares = sharesOf(this.parts);
    this._rows.forEach(({ voice, slider, share, remove }, at) => {
      share.textContent = words("design.share", { n: shares[at] });
      slider.style.setProperty("--at", `${slider.value}%`);
      slider.setAttribute("aria-label", words("design.share_of", { voice: voice.value }));
      slider.setAttribute("aria-valuetext", share.textContent);
      remove.title = words("design.remove", { voice: voice.value });
      remove.setAttribute("aria-label", remove.title);
    });
    this._onChange();
  }
}
