// Find and replace: what is typed is sought in all lines; hits stand in a list with their places, one or all are replaced, and that can be undone.

import { make } from "../kit/frame.js";
import { checkField } from "../script_sheets/sheet.js";
import { signButton } from "../script_sheets/side_parts.js";
import { tellDone } from "../script_sheets/told_edits.js";
import { words } from "../words/words.js";
import { excerptOf, placesIn, replacedAt } from "./find_hits.js";

const WAIT_MILLISECONDS = 150; // after the last key
const MOST_SHOWN = 100;

export class FindBar {
  constructor(state) {
    this._state = state;
    this._lines = []; // ids that hold it
    this._at = -1; // of the line that is shown
    this._place = 0; // of the places in it
    this._turn = 0;
    this._timer = null;
    this.element = make("section", { id: "script-find", className: "find-bar card", hidden: true });
    this.element.setAttribute("role", "search");
    this.element.setAttribute("aria-label", words("scripts.find_title"));
    this._build();
    state.addEventListener("changed", () => this._isOpen && this._seek());
  }

  get _isOpen() {
    return !this.element.hidden;
  }

  _build() {
    const input = (name) => {
      const made = make("input", {
        className: "input",
        dir: "auto",
        autocomplete: "off",
        spellcheck: false,
        id: `script-${name}`,
        placeholder: words(`scripts.${name}`),
      });
      made.setAttribute("aria-label", words(`scripts.${name}`));
      return made;
    };
    this._sought = input("find_sought");
    this._by = input("find_by");
    this._case = checkField(words("scripts.find_case"), false);
    this._whole = checkField(words("scripts.find_whole"), false);
    this._count = make("p", { className: "note num", role: "status" });
    this._list = make("ol", { className: "find-hits" });
    this._list.setAttribute("aria-label", words("scripts.find_hits"));
    this._one = make("button", { type: "button", className: "button small", textContent: words("scripts.find_one") });
    this._all = make("button", { type: "button", className: "button small", textContent: words("scripts.find_all") });
    const [before, next] = [
      signButton("up", words("scripts.find_before"), () => this._go(-1)),
      signButton("down", words("scripts.find_next"), () => this._go(1)),
    ];
    const close = signButton("close", words("scripts.find_close"), () => this.close());
    this._replacing = make("div", { className: "beside wraps" }, make("div", { className: "grow" }, this._by), this._one, this._all);
    this.element.append(
      make("div", { className: "beside" }, make("div", { className: "grow" }, this._sought), before, next, close),
      make("div", { className: "beside wraps" }, this._case.element, this._whole.element),
      this._replacing,
      this._count,
      this._list,
    );
    for (const field of [this._sought, this._case.box, this._whole.box]) field.addEventListener("input", () => this._seekLater());
    this._one.addEventListener("click", () => this._replaceOne());
    this._all.addEventListener("click", () => this._replaceAll());
    this._list.addEventListener("click", ({ target }) => this._goTo(Number(target.closest("button")?.dataset.at ?? -1)));
    this.element.addEventListener("keydown", (event) => this._key(event));
  }

  /** sought: what is selected in a line, "" to seek what was sought before. */
  open(sought = "") {
    this._before = document.activeElement;
    this.element.hidden = false;
    if (sought) this._sought.value = sought;
    this._sought.focus();
    this._sought.select();
    this._seek();
  }

  close() {
    this.element.hidden = true;
    if (this._before?.isConnected) this._before.focus();
  }

  get _how() {
    return { case: this._case.box.checked, whole_word: this._whole.box.checked };
  }

  _key(event) {
    if (event.key === "Escape") {
      event.stopPropagation(); // stops no speech
      event.preventDefault();
      return this.close();
    }
    if (event.key !== "Enter" || event.target.closest("button") || event.isComposing) return undefined;
    event.preventDefault();
    if (event.target === this._by) return event.ctrlKey || event.metaKey ? this._replaceAll() : this._replaceOne();
    return this._go(event.shiftKey ? -1 : 1);
  }

  _seekLater() {
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this._seek(), WAIT_MILLISECONDS);
  }

  async _seek() {
    this._turn += 1;
    const turn = this._turn;
    const sought = this._sought.value;
    const current = this._lines[this._at];
    const lines = sought && this._state.script ? await this._state.find(sought, this._how) : [];
    if (turn !== this._turn) return;
    this._lines = lines;
    this._at = lines.indexOf(current);
    const shown = lines.slice(0, MOST_SHOWN);
    await Promise.all(shown.filter((id) => !this._state.line(id)).map((id) => this._fetch(id)));
    if (turn === this._turn) this._show();
  }

  async _fetch(id) {
    const at = this._state.indexOf(id);
    if (at >= 0 && !this._state.line(id)) await this._state.want(at, at);
  }

  _placesOf(id) {
    return placesIn(this._state.line(id)?.text ?? "", this._sought.value, this._how);
  }

  _show() {
    const n = this._lines.length;
    const isAny = Boolean(this._sought.value);
    this._count.textContent = !isAny ? "" : n ? words("scripts.find_n", { n }) + this._whereWords() : words("scripts.find_none");
    for (const button of [this._one, this._all]) button.disabled = !n;
    this._list.replaceChildren(...this._lines.slice(0, MOST_SHOWN).map((id, at) => this._rowOf(id, at)));
    this._list.hidden = !n;
  }

  _whereWords() {
    return this._at >= 0 ? ` · ${words("scripts.find_where", { at: this._at + 1, n: this._lines.length })}` : "";
  }

  _rowOf(id, at) {
    const line = this._state.line(id);
    const [place] = this._placesOf(id);
    const { before, found, after } = place ? excerptOf(line.text, place) : { before: line?.text ?? "", found: "", after: "" };
    const number = make("span", { className: "note num", textContent: String(this._state.indexOf(id) + 1) });
    const text = make("span", { className: "cut grow", dir: "auto" }, before, make("mark", { textContent: found }), after);
    const button = make("button", { type: "button", className: "find-hit" }, number, text);
    button.dataset.at = at;
    if (at === this._at) button.setAttribute("aria-current", "true");
    return make("li", {}, button);
  }

  _go(step) {
    if (!this._lines.length) return;
    const from = this._at < 0 && step < 0 ? 0 : this._at;
    this._goTo((from + step + this._lines.length) % this._lines.length);
  }

  async _goTo(at) {
    const id = this._lines[at];
    if (!id) return;
    this._at = at;
    this._place = 0;
    await this._fetch(id);
    this._state.select([], id);
    this._show();
    this._list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  async _replaceOne() {
    if (this._at < 0) return this._go(1);
    const id = this._lines[this._at];
    const place = this._placesOf(id)[this._place] ?? this._placesOf(id)[0];
    if (!place) return this._go(1);
    const values = { text: this._sought.value, by: this._by.value };
    const text = replacedAt(this._state.line(id).text, place, this._by.value);
    const done = this._state.put([id], { text }, { key: "did_replace", values });
    await tellDone(this._state, done, words("scripts.find_did_one", values));
    return undefined;
  }

  async _replaceAll() {
    if (!this._lines.length) return;
    const [text, by] = [this._sought.value, this._by.value];
    const done = this._state.replace(text, by, this._how);
    const lines = await done;
    if (lines) await tellDone(this._state, done, words("scripts.find_did_all", { n: lines.length, text, by }));
  }
}
