// The matrix of voices and engines. Rows and cells are changed in place, so that focus and an open card outlive the updates that come every
// two seconds. Names and words are set as text.

import { showMore } from "../choice/engines_here.js";
import { icon } from "../drawings/icons.js";
import { shape } from "../drawings/states.js";
import { printOf } from "../drawings/voiceprint.js";
import { make, onMount } from "../kit/frame.js";
import { closeMenu, isMenuOpen, openMenu } from "../kit/menu.js";
import { say, strip } from "../kit/notices.js";
import { shownChanges } from "../kit/shown.js";
import { words } from "../words/words.js";
import { CacheFigures } from "./cache_figures.js";
import { drawCell, isTeachable, newCell } from "./cell.js";
import { CellCard } from "./cell_card.js";
import { gettingActs } from "./engine_get.js";

const PLACE = "cache-message";
const PRINT_PIXELS = 28;
// Keys that go from cell to cell: by how many rows and cells.
const MOVES = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  Home: [0, Number.NEGATIVE_INFINITY],
  End: [0, Number.POSITIVE_INFINITY],
};
const phone = window.matchMedia("(max-width: 720px)"); // a row is a voice with chips there: what is not learned is no chip

export let matrixView;

const within = (at, length) => Math.max(0, Math.min(length - 1, at));
const isSeen = (button) => button.getClientRects().length > 0;

class Matrix {
  constructor({ element, props, watch, trigger }) {
    this._element = element;
    this._props = props;
    this._trigger = trigger;
    this._rows = new Map();
    this._stop = null;
    const part = (name) => element.querySelector(name);
    this._figures = new CacheFigures(part(".figures"));
    this._note = part("#cache-note");
    this._table = part("#matrix");
    this._head = part("thead tr");
    this._body = part("tbody");
    this._card = new CellCard(part(".cell-card"), (asked) => this._ask(asked));
    for (const line of element.querySelectorAll(".cell-legend li")) line.prepend(shape(line.dataset.state));
    this._body.addEventListener("click", ({ target }) => this._press(target.closest("button")));
    this._body.addEventListener("keydown", (event) => this._move(event));
    this._body.addEventListener("focusin", ({ target }) => this._stopAt(target.closest("button")));
    phone.addEventListener("change", () => this._keepStop());
    watch("value", () => this._show());
    this._show();
  }

  _show() {
    const { figures, engines = [], more = [], rows = [], note } = this._props.value ?? {};
    if (figures) this._figures.draw(figures);
    const said = note ? words(...note) : "";
    if (this._note.textContent !== said) this._note.textContent = said;
    for (const part of this._element.querySelectorAll(".matrix-card, .cell-legend")) part.hidden = !rows.length;
    if (shownChanges(this._head, [engines, more])) this._drawHead(engines, more);
    const gone = new Map(this._rows);
    rows.forEach((row, index) => {
      gone.delete(row.id);
      const line = this._rows.get(row.id) ?? this._newRow(row.id, engines, more);
      if (this._body.children[index] !== line) this._body.insertBefore(line, this._body.children[index] ?? null);
      if (shownChanges(line, row)) this._drawRow(line, row, engines);
    });
    for (const [id, line] of gone) this._drop(id, line);
    this._keepStop();
    this._redrawCard();
  }

  _drawHead(engines, more) {
    const column = (title, aside, about = "") => {
      const small = aside ? [make("small", { textContent: aside })] : [];
      const cell = make("th", { scope: "col", title: about }, make("span", { className: "cut", textContent: title }), ...small);
      cell.setAttribute("role", "columnheader");
      return cell;
    };
    const columns = engines.map(({ title, standing }) => column(title, words(`engines.column_${standing}`), title));
    if (more.length) columns.push(this._moreColumn(more));
    columns.push(make("td", { className: "row-teach" }));
    this._head.replaceChildren(column(words("cache.voice"), ""), ...columns);
    this._table.style.setProperty("--columns", engines.length + Math.min(1, more.length));
    for (const [id, line] of [...this._rows]) this._drop(id, line);
  }

  // Engines that are not there, and know nobody: one column, which leads to them.
  _moreColumn(more) {
    const line = make("span");
    showMore(line, more);
    const cell = make("th", { scope: "col", className: "more" }, line, make("small", { textContent: words("engines.column_absent") }));
    cell.setAttribute("role", "columnheader");
    return cell;
  }

  _newRow(id, engines, more) {
    const name = make(
      "th",
      { scope: "row" },
      make("span", { className: "beside" }, make("span", { className: "face" }), make("span", { className: "name cut", dir: "auto" })),
    );
    name.setAttribute("role", "rowheader");
    const cells = engines.map(() => gridCell(newCell()));
    if (more.length) cells.push(gridCell());
    const teach = make("button", { type: "button", className: "cell", tabIndex: -1 }, icon("plus", 14), words("cache.teach"));
    teach.setAttribute("aria-haspopup", "menu");
    teach.setAttribute("aria-expanded", "false");
    const last = gridCell(teach);
    last.className = "row-teach";
    const line = make("tr", {}, name, ...cells, last);
    line.setAttribute("role", "row");
    line.dataset.id = id;
    this._rows.set(id, line);
    return line;
  }

  _drop(id, line) {
    if (isMenuOpen(line.querySelector(".row-teach button"))) closeMenu();
    this._rows.delete(id);
    line.remove();
  }

  _drawRow(line, { voice, print, cells }, engines) {
    const [face, name] = line.firstElementChild.firstElementChild.children;
    if (shownChanges(face, print)) face.replaceChildren(printOf(print, PRINT_PIXELS));
    if (line.dataset.voice !== voice) Object.assign(name, { textContent: voice, title: voice });
    line.dataset.voice = voice;
    for (const [index, cell] of cells.entries()) {
      drawCell(line.children[index + 1].firstElementChild, cell, { voice, title: engines[index].title });
    }
    const teach = line.lastElementChild.firstElementChild;
    teach.hidden = !cells.some(isTeachable);
    teach.setAttribute("aria-label", words("cache.teach_voice", { voice }));
  }

  // --- the keyboard: the grid is one stop, arrows go on from there

  _stopAt(button) {
    if (!button) return;
    if (this._stop) this._stop.tabIndex = -1;
    this._stop = button;
    button.tabIndex = 0;
  }

  _keepStop() {
    const hidden = phone.matches ? this._stop?.dataset.state === "none" : this._stop?.closest(".row-teach");
    if (this._stop?.isConnected && !hidden) return;
    this._stopAt(this._body.querySelector(phone.matches ? '.cell:not([data-state="none"], [hidden])' : ".cell"));
  }

  _move(event) {
    const [rows, steps] = MOVES[event.key] ?? [];
    if (rows === undefined) return;
    event.preventDefault();
    const grid = [...this._body.children].map((line) => [...line.querySelectorAll("button")].filter(isSeen)).filter((line) => line.length);
    const at = grid.findIndex((line) => line.includes(event.target));
    const ends = { Home: 0, End: grid.length - 1 };
    const line = grid[event.ctrlKey && event.key in ends ? ends[event.key] : within(at + rows, grid.length)];
    line[within(grid[at].indexOf(event.target) + steps, line.length)].focus();
  }

  // --- what a press asks for

  _press(button) {
    if (!button) return;
    const line = button.closest("tr");
    const at = { id: line.dataset.id, voice: line.dataset.voice, engine: button.dataset.engine };
    const row = this._rowAt(at);
    if (!row) return; // it is gone, and its line is about to be
    if (!at.engine) return this._teach(button, row);
    const title = this._titleOf(at.engine);
    this._card.open(button, { ...at, title, print: row.print }, this._cellAt(at));
  }

  _teach(button, { voice, cells }) {
    const items = cells.filter(isTeachable).map(({ engine }) => ({
      words: this._titleOf(engine),
      act: () => this._ask({ voice, engine, verb: "extract" }),
    }));
    openMenu(button, words("cache.teach_voice", { voice }), items);
  }

  _ask(asked) {
    this.asked = asked.engine;
    this._trigger(asked.verb === "speak" ? "speak" : "act", asked);
  }

  _titleOf(engine) {
    return this._props.value.engines.find(({ id }) => id === engine).title;
  }

  _rowAt({ id }) {
    return (this._props.value?.rows ?? []).find((row) => row.id === id);
  }

  _cellAt(at) {
    return this._rowAt(at)?.cells.find(({ engine }) => engine === at.engine);
  }

  _redrawCard() {
    if (!this._card.at) return;
    const cell = this._cellAt(this._card.at);
    if (cell) this._card.draw(cell);
    else this._card.close();
  }
}

function gridCell(...children) {
  const cell = make("td", {}, ...children);
  cell.setAttribute("role", "gridcell");
  return cell;
}

onMount("matrix", (tools) => {
  matrixView = new Matrix(tools);
});

// What came of a press: a refusal stands below the matrix; what is done is seen in the cell, and the strip says it in words.
onMount("cache-answer", ({ props, watch }) => {
  watch("value", () => {
    const { kind, fact, hint, ...told } = props.value ?? {};
    if (kind === "problem") say(PLACE, { kind, fact, hint, ...told, acts: gettingActs(told, matrixView.asked, PLACE) });
    else if (fact) strip({ kind, text: fact, hint, key: "cache" });
  });
});
