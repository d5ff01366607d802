// Below the text: how long it is and takes; on request the parts in which it will be spoken. Asked once somebody rests from typing.

import { choice } from "../choice/choice.js";
import { languageName } from "../choice/language.js";
import { make } from "../kit/frame.js";
import { errorWords, number, seconds, words } from "../words/words.js";

const REST_MILLISECONDS = 250; // after the last key

export class Segments {
  // element: the composer's. field: its text. server: the composer's functions.
  constructor(element, field, server) {
    Object.assign(this, { _field: field, _server: server, _rest: null, _asked: 0, _length: null });
    [this._count, this._list, this._close] = ["#text-count", "#segments-list", "#segments-close"].map((part) =>
      element.querySelector(part),
    );
    this._close.addEventListener("click", () => this.toggle());
    field.addEventListener("input", () => this.changed());
    document.addEventListener("studio-choice", () => this.changed());
    this.changed();
  }

  /** How many parts the text has, as far as that is known; null while it is not. */
  get n() {
    return this._length?.n_parts ?? null;
  }

  get isOpen() {
    return !this._list.hidden;
  }

  toggle() {
    this._list.hidden = !this._list.hidden;
    this._showParts();
  }

  /** The text, the engine or the language is another. */
  changed() {
    this._showCount();
    clearTimeout(this._rest);
    this._rest = setTimeout(() => this._ask(), REST_MILLISECONDS);
  }

  async _ask() {
    if (!choice.isSettled) return; // it is asked again once it is
    const text = this._field.value;
    this._asked += 1;
    const turn = this._asked;
    const length = await this._server.preview_text({ text, engine: choice.engine, language: choice.language }).catch(() => null);
    if (turn !== this._asked || !length) return;
    this._length = { ...length, text };
    this._showCount();
    this._showParts();
  }

  _showCount() {
    const most = choice.known.most_text_characters;
    const n = [...this._field.value].length;
    const isOver = Boolean(most) && n > most;
    const about = this._length?.text === this._field.value && this._length.seconds ? seconds(Math.round(this._length.seconds) || 1) : "";
    const said = isOver ? "over" : about ? "count_about" : "count";
    this._count.textContent = words(`speak.${said}`, { n, count: number(n), most: number(most ?? 0), about });
    this._count.dataset.over = String(isOver);
  }

  _showParts() {
    if (!this.isOpen || !this._length) return;
    const { segments = [], problem } = this._length;
    this._list.querySelector("p").textContent = problem ? Object.values(errorWords(problem)).join(" ") : noteOf(this._length);
    const told = problem ? [] : warningsOf(this._length).map((textContent) => make("p", { className: "note", textContent }));
    this._list.querySelector(".segments-warnings").replaceChildren(...told);
    this._list.querySelector("ol").replaceChildren(...segments.map(rowOf));
  }
}

function noteOf({ segments, n_parts: n, n_turns: turns, seconds: all }) {
  if (!n) return words("speak.parts_none");
  const said = [words("speak.parts_note", { n, about: seconds(all) })];
  if (turns > 1) said.push(words("speak.parts_turns", { n: turns }));
  if (n > segments.length) said.push(words("speak.parts_first", { n: segments.length }));
  return said.join(" ");
}

function warningsOf({ left_out: marks, misread }) {
  const left = marks.length ? [words("speak.left_out", { engine: choice.known.title, marks })] : [];
  return [...left, ...misread.map(misreadWords)];
}

function misreadWords({ language: code, fact, hint, engine }) {
  const said = words("speak.misread", { language: languageName(code), fact, hint });
  return engine ? `${said} ${words("speak.misread_other", { engine })}` : said;
}

function rowOf({ text, seconds: about }) {
  return make("li", {}, make("span", { textContent: text }), make("span", { className: "figure", textContent: seconds(about) }));
}
