// Below the text: how long it is and takes, and what of it is not heard as it is written (told.js); on request the parts in which it will be
// spoken. Asked once somebody rests from typing.

import { choice } from "../choice/choice.js";
import { make } from "../kit/frame.js";
import { errorWords, number, seconds, words } from "../words/words.js";
import { Told } from "./told.js";

const REST_MILLISECONDS = 250; // after the last key

export class Segments {
  // element: the composer's. field: its text. server: the composer's functions.
  constructor(element, field, server) {
    this._field = field;
    this._server = server;
    this._rest = null;
    this._asked = 0;
    this._length = null;
    this._count = element.querySelector("#text-count");
    this._cost = element.querySelector("#gpu-cost");
    this._list = element.querySelector("#segments-list");
    this._close = element.querySelector("#segments-close");
    this._told = new Told(element, { open: () => this.toggle(), onChange: () => this._ask() });
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

  /** Whether what the engine would follow is said as words. */
  get saysDirections() {
    return this._told.saysDirections;
  }

  set saysDirections(isSaid) {
    this._told.saysDirections = isSaid;
    this.changed();
  }

  toggle() {
    this._list.hidden = !this._list.hidden;
    this._told.showOpen(this.isOpen);
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
    const asked = { text, engine: choice.engine, language: choice.language, directions: !this.saysDirections };
    const length = await this._server.preview_text(asked).catch(() => null);
    if (turn !== this._asked || !length) return;
    this._length = { ...length, text };
    this._showCount();
    this._told.show(length.problem ? null : length);
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
    const cost = about && !isOver ? this._length.gpu_seconds : null;
    this._cost.hidden = !cost;
    this._cost.textContent = cost ? words("speak.gpu_cost", { about: seconds(cost) }) : "";
  }

  _showParts() {
    if (!this.isOpen || !this._length) return;
    const { segments = [], lead = 0, problem } = this._length;
    this._list.querySelector("p").textContent = problem ? Object.values(errorWords(problem)).join(" ") : noteOf(this._length);
    this._list.querySelector("ol").replaceChildren(...silenceOf(lead), ...segments.flatMap(rowsOf));
  }
}

function noteOf({ segments, n_parts: n, n_turns: turns, seconds: all }) {
  if (!n) return words("speak.parts_none");
  const said = [words("speak.parts_note", { n, about: seconds(all) })];
  if (turns > 1) said.push(words("speak.parts_turns", { n: turns }));
  if (n > segments.length) said.push(words("speak.parts_first", { n: segments.length }));
  return said.join(" ");
}

function rowsOf({ text, seconds: about, silence }) {
  const row = make(
    "li",
    {},
    make("span", { textContent: text, dir: "auto" }),
    make("span", { className: "figure", textContent: seconds(about) }),
  );
  return [row, ...silenceOf(silence)];
}

function silenceOf(length) {
  return length ? [make("li", { className: "silence", textContent: words("speak.silence", { length: seconds(length) }) })] : [];
}
