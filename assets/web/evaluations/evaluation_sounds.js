// The sounds, by any figure, worst first: what was to be said, what was heard of it, and each system's sound beside the others'.

import { letterSign } from "../builder/test_systems.js";
import { icon } from "../drawings/icons.js";
import { evaluationAnswer } from "../evaluation_state/evaluation_calls.js";
import { figureName, figureWords, whyLine } from "../evaluation_state/evaluation_words.js";
import { make } from "../kit/frame.js";
import { PlayButton } from "../sound/play_button.js";
import { player } from "../sound/player.js";
import { seconds, words } from "../words/words.js";
import { cellKey, hearCell } from "./sound_hearing.js";

const AT_ONCE = 20; // that are asked for
const ORDERS = ["worst", "best", "plan"];

export class EvaluationSounds {
  constructor(refuse) {
    this._refuse = refuse;
    this._turn = 0;
    this._figure = named(words("evaluations.page_by"));
    this._system = named(words("evaluations.page_whose"));
    this._order = named(words("evaluations.page_order"));
    this._order.replaceChildren(...ORDERS.map((value) => make("option", { value, textContent: words(`evaluations.page_order_${value}`) })));
    this._isChosen = false; // the figure, by somebody
    for (const field of [this._figure, this._system, this._order]) field.addEventListener("change", () => this._look());
    this._figure.addEventListener("change", () => {
      this._isChosen = true;
    });
    this._rows = make("ol", { className: "card evaluation-sounds" });
    this._said = make("p", { className: "note num", role: "status" });
    this._more = make("button", { type: "button", className: "button small", textContent: words("evaluations.page_more_sounds") });
    this._more.addEventListener("click", () => this._look(this._cells.length));
    const tools = make("div", { className: "toolbar" }, this._figure, this._system, this._order);
    this.element = make("div", { className: "stack" }, tools, this._said, this._rows, make("div", {}, this._more));
    this.clear();
  }

  clear() {
    this._turn += 1;
    this._evaluation = null;
    this._results = null;
    this._cells = [];
    this._rows.replaceChildren();
    this._rows.hidden = this._more.hidden = true;
    this._said.textContent = "";
  }

  /** What is heard and chosen stays where it can. */
  show(evaluation, results) {
    const isFirst = this._evaluation?.id !== evaluation.id;
    if (isFirst) this._isChosen = false;
    this._evaluation = evaluation;
    this._results = results;
    const figures = results.figures.filter(({ better }) => better && better !== "none");
    offer(
      this._figure,
      figures.map((figure) => [figure.name, figureName(figure)]),
      isFirst || !this._isChosen,
    );
    offer(this._system, [["", words("evaluations.page_all_systems")], ...results.systems.map(({ id, label }) => [id, label])], isFirst);
    this._figure.hidden = !figures.length;
    this._order.value ||= "worst";
    if (isFirst || !this._isHeld) this._look();
  }

  // Whether somebody is at the list, which then stays as it is.
  get _isHeld() {
    const isSounding = this._cells.some((cell) => player.isSounding(cellKey(this._evaluation.id, cell)));
    return isSounding || this._rows.contains(document.activeElement) || this._cells.length > AT_ONCE;
  }

  async _look(first = 0) {
    this._turn += 1;
    const turn = this._turn;
    const { id } = this._evaluation;
    const [figure, system] = [this._figure.value, this._system.value];
    const order = figure ? this._order.value : "plan";
    try {
      const { n, cells } = await evaluationAnswer(`/${id}/cells`, { figure, system, order, first, count: AT_ONCE });
      if (turn !== this._turn) return;
      this._cells = first ? [...this._cells, ...cells] : cells;
      const rows = cells.map((cell) => this._rowOf(cell));
      if (first) this._rows.append(...rows);
      else this._rows.replaceChildren(...rows);
      this._rows.hidden = !this._cells.length;
      this._more.hidden = this._cells.length >= n;
      this._said.textContent = words("evaluations.page_shown_of", { n: this._cells.length, of: n });
      if (first) rows[0]?.querySelector("button")?.focus();
    } catch (error) {
      if (turn === this._turn) this._refuse(error);
    }
  }

  _rowOf(cell) {
    const { voice, text, seed, written, heard, warning, language } = cell;
    const { plan } = this._evaluation;
    const said = written ?? plan?.texts?.find(({ id }) => id === text)?.text ?? text;
    const label = plan?.voices?.find(({ id }) => id === voice)?.label ?? voice;
    const about = [label, plan?.seeds?.length > 1 ? words("evaluations.page_seed", { seed }) : ""].filter(Boolean).join(" · ");
    const line = make("p", { className: "sound-text", dir: "auto", textContent: said });
    if (language) line.lang = language;
    const row = make("li", { className: "evaluation-sound" }, line, make("p", { className: "note cut", dir: "auto", textContent: about }));
    const cells = [cell, ...(cell.beside ?? []).map((other) => ({ voice, text, seed, ...other }))];
    const ordered = this._results.systems.map(({ id }) => cells.find(({ system }) => system === id)).filter(Boolean);
    row.append(
      make("div", { className: "sound-players" }, ...ordered.map((one) => this._playerOf(one, { said, label, isMeant: one === cell }))),
    );
    if (heard !== null && heard !== undefined && heard !== said)
      row.append(make("p", { className: "note", dir: "auto", textContent: words("evaluations.page_heard", { heard }) }));
    for (const told of [warning, ...ordered.map((one) => this._refusalOf(one))].filter(Boolean))
      row.append(make("p", { className: "note sound-told", dir: "auto", textContent: told }));
    return row;
  }

  // Why a system did not say it, "" where it did.
  _refusalOf({ system, refused }) {
    if (!refused) return "";
    const { label } = this._results.systems.find(({ id }) => id === system);
    return words("evaluations.page_refused", { label, why: whyLine(refused) });
  }

  _playerOf(cell, { said, label, isMeant }) {
    const { systems, figures } = this._results;
    const at = systems.findIndex(({ id }) => id === cell.system);
    const { label: system } = systems[at];
    const figure = figures.find(({ name }) => name === this._figure.value);
    const value = figure && cell.values?.[figure.name];
    const parts = [letterSign(at), make("span", { className: "cut", dir: "auto", textContent: system })];
    const length = Number.isFinite(cell.seconds) ? seconds(Math.round(cell.seconds * 10) / 10) : "";
    const told = cell.sound ? [figure ? figureWords(figure, value) : "", length] : [words("evaluations.page_not_said")];
    parts.push(make("span", { className: "note num", textContent: told.filter(Boolean).join(" · ") }));
    if (cell.sound) parts.unshift(this._buttonOf(cell, { said, label, system }));
    const made = make("span", { className: "sound-player" }, ...parts);
    if (isMeant && systems.length > 1) made.dataset.meant = "";
    return made;
  }

  _buttonOf(cell, { said, label, system }) {
    const { id } = this._evaluation;
    const title = words("evaluations.page_hear", { system, voice: label });
    const button = make("button", { type: "button", className: "play small", title }, icon("play", 16));
    button.setAttribute("aria-label", title);
    const key = cellKey(id, cell);
    const play = new PlayButton(button, { key: () => key, start: () => hearCell(id, cell, { voice: label, text: said, system }) });
    play.show();
    return button;
  }
}

function named(label) {
  const select = make("select", { className: "select small" });
  select.setAttribute("aria-label", label);
  return select;
}

function offer(select, choices, isFirst) {
  const value = isFirst ? "" : select.value;
  select.replaceChildren(...choices.map(([one, textContent]) => make("option", { value: one, textContent })));
  select.value = choices.some(([one]) => one === value) ? value : (choices[0]?.[0] ?? "");
}
