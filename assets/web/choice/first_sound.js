// When the first sound comes, as one choice over two options of an engine: how long its first piece is, and how long the later ones are.

import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { firstSoundOf } from "./option_order.js";

export class FirstSound {
  // first: {piece, later} of option_order.js. fields: those of all options of the engine.
  constructor(first, fields) {
    this._first = first;
    this._fields = fields.filter(({ option }) => option === first.piece || option === first.later);
    this._select = make("select", { id: "first-sound", className: "select" });
    for (const kind of ["early", "smooth"]) {
      this._select.append(make("option", { value: kind, textContent: words(`options.first_sound_${kind}`) }));
    }
    this._other = make("option", { value: "", textContent: words("options.first_sound_other"), hidden: true });
    this._select.append(this._other);
    this._select.addEventListener("change", () => this._write());
    const name = make("label", { className: "name", htmlFor: this._select.id, textContent: words("options.first_sound") });
    const hint = make("span", { className: "note", textContent: words("options.first_sound_hint") });
    this.element = make("div", { className: "field" }, name, this._select, hint);
  }

  /** Says what the two options hold by now. */
  show() {
    const values = Object.fromEntries(this._fields.map(({ option, value }) => [option.name, value ?? option.default]));
    const kind = firstSoundOf(this._first, values);
    this._other.hidden = kind !== "";
    this._select.value = kind;
  }

  _write() {
    if (!this._select.value) return;
    const { piece, later } = this._first;
    for (const field of this._fields) {
      const isEarly = field.option !== piece || this._select.value === "early";
      field.value = isEarly ? field.option.default : later.default;
    }
  }
}
