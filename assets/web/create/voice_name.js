// Whether a voice's name is free: asked while it is typed. If it is not, two ways out stand below the field: to replace the voice that has it,
// where that is one's own, and the next name that is free.

import { make } from "../kit/frame.js";
import { words } from "../words/words.js";

const REST_MILLISECONDS = 250; // after the last key

export class NameCheck {
  // field: the input. line: the element below it. ask(name, values): calls a handler of the studio. but(): the voice that may have the name.
  constructor({ field, line, ask, but, onChange = () => {} }) {
    this._field = field;
    this._line = line;
    this._ask = ask;
    this._but = but;
    this._onChange = onChange;
    this._replaced = null;
    field.addEventListener("input", () => this.look(REST_MILLISECONDS));
  }

  // Whether the voice that has the name shall go.
  get replaces() {
    return Boolean(this._replaced) && this._replaced === this._field.value.trim();
  }

  // Why the name cannot be had as things are: { fact, hint }, or null.
  get problem() {
    if (!this._clash || this.replaces) return null;
    return { fact: this._said, hint: words(this._clash.can_replace ? "create.name_replace_hint" : "create.name_other_hint") };
  }

  get _said() {
    return words(`create.name_${this._clash.held_by}`, this._clash);
  }

  // What was chosen about a taken name was chosen for another voice.
  forget() {
    this._replaced = null;
    this._clash = undefined;
    this._judged = undefined;
    this._draw();
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
    const { free_name: free, can_replace: canReplace } = this._clash;
    const said = (textContent) => make("span", { textContent });
    const button = (textContent, onclick) => make("button", { type: "button", className: "button small", textContent, onclick });
    if (this.replaces) return [said(words("create.name_replaced")), button(words("create.name_keep"), () => this._choose(null))];
    const another = button(words("create.name_call", { name: free }), () => this._rename(free));
    if (!canReplace) return [said(this._said), another];
    return [said(this._said), button(words("create.name_replace"), () => this._choose(this._field.value.trim())), another];
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
