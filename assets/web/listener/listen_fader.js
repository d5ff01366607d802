// Fader: a score of 0 to 100 for one sound. Dashed and without a number until the sound was heard.

import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { scaleWord } from "./listen_methods.js";

const MIDDLE = 50;
const EDGE_PIXELS = 10; // above and below the way of the knob, as listen.css draws it
const STEPS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10, Home: -100, End: 100, Enter: 0 };

export class Fader {
  // onChange: told of each move.
  constructor(label, onChange) {
    this._onChange = onChange;
    this._isAllowed = false;
    this.isRated = false;
    this.value = MIDDLE;
    this._knob = make("span", { className: "knob" });
    this.element = make("div", { className: "track", tabIndex: 0 }, make("span", { className: "level" }), this._knob);
    const attributes = { role: "slider", "aria-label": words("listen.score_of", { label }), "aria-orientation": "vertical" };
    for (const [name, value] of Object.entries({ ...attributes, "aria-valuemin": 0, "aria-valuemax": 100 }))
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

  move(by) {
    this._set(this.value + by);
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
    this._set(((bottom - EDGE_PIXELS - event.clientY) / (height - 2 * EDGE_PIXELS)) * 100);
  }

  _set(value) {
    if (!this._isAllowed) return;
    this.value = Math.max(0, Math.min(100, Math.round(value)));
    this.isRated = true;
    this._draw();
    this._onChange();
  }

  _draw() {
    this.element.style.setProperty("--share", this.value / 100);
    this.element.setAttribute("aria-valuenow", this.value);
    this.element.setAttribute("aria-disabled", String(!this._isAllowed));
    const scored = () => words("listen.score_words", { n: this.value, word: words(`listen.${scaleWord(this.value)}`) });
    this.element.setAttribute("aria-valuetext", this._isAllowed && this.isRated ? scored() : words("listen.no_score"));
    this._knob.textContent = this._isAllowed ? this.value : "–";
  }
}
