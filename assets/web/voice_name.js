// Whether a voice's name is free: asked while it is typed. If it is not, two ways out stand below the field: to replace the voice that has it,
// where that is one's own, and the next name that is free.

import { make } from "./frame.js";

const REST_MILLISECONDS = 250; // after the last key

export class NameCheck {
  // field: the input. line: the element below it. ask(name, values): calls a handler of the studio. but(): the voice that may have the name.
  constructor({ field, line, ask, but, onChange = () => {} }) {
    Object.assign(this, { _field: field, _line: line, _ask: ask, _but: but, _onChange: onChange, _replaced: null });
    field.addEventListener("input", () => this.look(REST_MILLISECONDS));
  }

  // Whether the voice that has the name shall go.
  get replaces() {
    return Boolean(this._replaced) && this._replaced === this._field.value.trim();
  }

  // Why the name cannot be had as things are: { fact, hint }, or null.
  get problem() {
    if (!this._clash || this.replaces) return null;
    const { words, can_replace: canReplace } = this._clash;
    return { fact: words, hint: canReplace ? "Replace it, or take another name." : "Take another name." };
  }

  // Ask again, when the names that are taken may be others.
  look(rest = 0) {
    clearTimeout(this._resting);
    if (this._judged !== this._field.value.trim()) this._show(null);
    this._resting = setTimeout(() => this._judge(), rest);
  }

  async _judge() {
    const name = this._field.value.trim();
    const { clash = null } = name ? await this._ask("judge_name", { name, but: this._but() ?? "" }) : {};
    if (name !== this._field.value.trim()) return; // typed on
    this._judged = name;
    this._show(clash);
  }

  _show(clash) {
    if (JSON.stringify(clash) === JSON.stringify(this._clash ?? null)) return;
    this._clash = clash;
    if (!clash) this._replaced = null;
    this._draw();
  }

  _draw() {
    const focused = this._line.contains(document.activeElement);
    this._field.setCustomValidity(this.problem?.fact ?? "");
    this._field.setAttribute("aria-invalid", String(Boolean(this.problem)));
    this._line.replaceChildren(...(this._clash ? this._parts() : []));
    if (focused) (this._line.querySelector("button") ?? this._field).focus();
    this._onChange();
  }

  _parts() {
    const { words, free_name: free, can_replace: canReplace } = this._clash;
    const button = (textContent, onclick) => make("button", { type: "button", className: "button", textContent, onclick });
    const another = button(`Call it “${free}”`, () => this._rename(free));
    if (!canReplace) return [make("span", { textContent: words }), another];
    if (!this.replaces)
      return [make("span", { textContent: words }), button("Replace it", () => this._choose(this._field.value.trim())), another];
    const told = "It will be replaced: its recording goes, and what engines learned of it.";
    return [make("span", { textContent: told }), button("Keep it", () => this._choose(null))];
  }

  _choose(name) {
    this._replaced = name;
    this._draw();
  }

  _rename(name) {
    this._field.value = name;
    this._field.focus();
    for (const event of ["input", "change"]) this._field.dispatchEvent(new Event(event, { bubbles: true }));
  }
}
