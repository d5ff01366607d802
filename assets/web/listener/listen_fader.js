// Fader: a score for one sound, such as 0 to 100. Dashed and without a number until the sound was heard.

import { make } from "../kit/frame.js";
import { number, words } from "../words/words.js";

const EDGE_PIXELS = 10; // above and below the way of the knob, as listen.css draws it
const STEPS = {
  ArrowUp: 1,
  ArrowRight: 1,
  ArrowDown: -1,
  ArrowLeft: -1,
  PageUp: 10,
  PageDown: -10,
  Home: -Infinity,
  End: Infinity,
  Enter: 0,
};

export class Fader {
  // scale: what it goes over, as faderScaleOf has it. onChange: told of each move.
  constructor(label, scale, onChange) {
    this._scale = scale;
    this._onChange = onChange;
    this._isAllowed = false;
    this.isRated = false;
    this.value = (scale.least + scale.most) / 2;
    this._knob = make("span", { className: "knob" });
    this.element = make("div", { className: "track", tabIndex: 0 }, make("span", { className: "level" }), this._knob);
    const attributes = { role: "slider", "aria-label": words("listen.score_of", { label }), "aria-orientation": "vertical" };
    for (const [name, value] of Object.entries({ ...attributes, "aria-valuemin": scale.least, "aria-valuemax": scale.most }))
      this.element.setAttribute(name, value);
    this.element.addEventListener("keydown", (event) => this._key(event));
    this.element.addEventListener("pointerdown", (event) => this._drag(event));
    this.element.addEventListener("pointermove", (event) => this.element.hasPointerCapture(event.pointerId) && this._drag(event));
    this._draw();
  }

  // Once its sound was heard.
  allow(isAllowed) {
    if (isAllowed === this._isAllowed) return;
    this._isAllowed = isAllowed;
    this._draw();
  }

  // by: steps.
  move(by) {
    this._set(this.value + by * this._scale.step);
  }

  _key(event) {
    if (!(event.key in STEPS) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.move(STEPS[event.key]);
  }

  _drag(event) {
    if (!this._isAllowed) return;
    if (event.type === "pointerdown") this.element.setPointerCapture(event.pointerId);
    const { bottom, height } = this.element.getBoundingClientRect();
    const { least, most } = this._scale;
    this._set(least + ((bottom - EDGE_PIXELS - event.clientY) / (height - 2 * EDGE_PIXELS)) * (most - least));
  }

  _set(value) {
    if (!this._isAllowed) return;
    const { least, most, decimals } = this._scale;
    this.value = Number(Math.max(least, Math.min(most, value)).toFixed(decimals));
    this.isRated = true;
    this._draw();
    this._onChange();
  }

  _draw() {
    const { least, most, decimals, wordOf } = this._scale;
    const shown = number(this.value, decimals, decimals);
    this.element.style.setProperty("--share", (this.value - least) / (most - least));
    this.element.setAttribute("aria-valuenow", this.value);
    this.element.setAttribute("aria-disabled", String(!this._isAllowed));
    const scored = () => words("listen.score_words", { n: shown, word: words(`listen.${wordOf(this.value)}`) });
    this.element.setAttribute("aria-valuetext", this._isAllowed && this.isRated ? scored() : words("listen.no_score"));
    this._knob.textContent = this._isAllowed ? shown : "–";
  }
}
