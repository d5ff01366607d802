// The matrix of voices and engines. Cells are changed in place, so that focus and an open card outlive the updates that come every two
// seconds. Names and words are set as text.

import { ask, make, onMount } from "./frame.js";

export let matrixView;

export const stateIcons = {
  none: "○",
  queued: "…",
  extracting: "◌",
  memory: "●",
  disk: "▤",
  stale: "↻",
  failed: "!",
  unsupported: "–",
  unavailable: "–",
};

// Says whether `element` shows something else already, and remembers that it shows this now.
export function shownChanges(element, shown) {
  const words = JSON.stringify(shown);
  if (element.dataset.shown === words) return false;
  element.dataset.shown = words;
  return true;
}

export function definitions(pairs) {
  return pairs.map(([label, words, about]) => {
    const line = make("div", { title: about ?? "" }, make("dt", { textContent: label }), make("dd", { textContent: words }));
    line.dataset.label = label;
    return line;
  });
}

function drawCell(button, cell) {
  if (!shownChanges(button, cell)) return;
  Object.assign(button.dataset, { state: cell.state, engine: cell.engine, pinned: cell.pinned });
  const hidden = (textContent) => make("span", { className: "visually-hidden", textContent });
  const icon = make("span", { className: "icon", textContent: stateIcons[cell.state] });
  icon.setAttribute("aria-hidden", "true");
  const state = make("span", { className: "state", textContent: cell.state });
  const pin = cell.pinned ? [make("span", { className: "pin", textContent: "pinned" })] : [];
  const size = cell.size ? [make("span", { className: "line", textContent: cell.size })] : [];
  const pace = cell.pace ? [make("span", { className: "line" }, hidden("last TTFP "), cell.pace)] : [];
  // What is seen is part of the name, so that whoever speaks to the browser can say it.
  button.replaceChildren(hidden(`${cell.title}: `), make("span", { className: "head" }, icon, state, ...pin), ...size, ...pace);
}

class Card {
  constructor(element, act) {
    this._element = element;
    this._opener = null;
    this._tell = act;
    this.at = null; // { voice, engine, id, pinned } of the cell that it is about
    this._verbs = element.querySelector(".cell-card-verbs");
    this._verbs.addEventListener("click", ({ target }) => {
      const { verb } = target.closest("button")?.dataset ?? {};
      if (!verb) return;
      const { voice, engine, pinned } = this.at;
      element.hidePopover();
      this._act({ voice, engine, verb }, pinned);
    });
    element.addEventListener("keydown", (event) => event.key === "Escape" && event.stopPropagation()); // closes the card, stops no speech
    element.addEventListener("toggle", ({ newState }) => {
      this._opener?.setAttribute("aria-expanded", String(newState === "open"));
      if (newState === "closed") this.at = null;
    });
  }

  open(button, at, cell) {
    this._opener = button;
    this.at = at;
    this.draw(cell);
    this._element.showPopover();
    const { left, bottom, top } = button.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this._element;
    const below = bottom + offsetHeight + 8 < window.innerHeight;
    this._element.style.left = `${Math.max(8, Math.min(left, window.innerWidth - offsetWidth - 8))}px`;
    this._element.style.top = `${below ? bottom + 4 : Math.max(8, top - offsetHeight - 4)}px`;
    (this._verbs.querySelector("button") ?? this._element).focus();
  }

  // A pin means kept: whoever drops it all the same is asked.
  async _act(asked, pinned) {
    const drops = { forget: "Forget it", "delete-file": "Delete the file" }[asked.verb];
    if (!pinned || !drops) return this._tell(asked);
    if (await ask(`${asked.voice} is pinned, which means kept. Drop it all the same?`, drops)) this._tell({ ...asked, sure: true });
  }

  draw(cell) {
    this.at.pinned = cell.pinned;
    if (!shownChanges(this._element, cell)) return;
    const part = (name) => this._element.querySelector(`.cell-card-${name}`);
    const focused = document.activeElement?.dataset?.verb;
    part("title").textContent = cell.title;
    part("state").textContent = cell.words + (cell.pinned ? ", pinned" : "");
    part("reason").textContent = cell.reason;
    this._element.querySelector("dl").replaceChildren(...definitions(cell.facts));
    this._verbs.replaceChildren(
      ...cell.verbs.map(([verb, textContent]) => {
        const button = make("button", { type: "button", className: "button", textContent });
        button.dataset.verb = verb;
        return button;
      }),
    );
    if (focused) (this._verbs.querySelector(`[data-verb="${focused}"]`) ?? this._verbs.querySelector("button"))?.focus();
  }

  close() {
    this._element.hidePopover();
  }
}

class Matrix {
  constructor({ element, props, watch, trigger }) {
    this._props = props;
    this._totals = element.querySelector(".totals");
    this._note = element.querySelector(".empty");
    this._scroll = element.querySelector(".matrix-scroll");
    this._head = element.querySelector("thead tr");
    this._body = element.querySelector("tbody");
    this._card = new Card(element.querySelector(".cell-card"), (asked) => trigger("act", asked));
    this._body.addEventListener("click", ({ target }) => this._open(target.closest("button.cell")));
    watch("value", () => this._show());
    this._show();
  }

  _show() {
    const { totals = [], engines = [], rows = [], note = "" } = this._props.value ?? {};
    if (shownChanges(this._totals, totals)) {
      this._totals.replaceChildren(...definitions(totals.map(({ label, words, about }) => [label, words, about])));
    }
    if (this._note.textContent !== note) this._note.textContent = note;
    this._scroll.hidden = !rows.length;
    if (shownChanges(this._head, engines)) this._drawHead(engines);
    const known = new Map([...this._body.children].map((row) => [row.dataset.id, row]));
    rows.forEach((row, index) => {
      const line = known.get(row.id) ?? this._newRow(row, engines);
      known.delete(row.id);
      if (this._body.children[index] !== line) this._body.insertBefore(line, this._body.children[index] ?? null);
      this._drawRow(line, row);
    });
    for (const gone of known.values()) gone.remove();
    this._redrawCard(rows);
  }

  _drawHead(engines) {
    const column = (textContent) => make("th", { scope: "col", textContent });
    this._head.replaceChildren(column("Voice"), ...engines.map(({ title }) => column(title)));
    this._body.replaceChildren();
  }

  _newRow({ id }, engines) {
    const name = make("th", { scope: "row" }, make("span", { className: "name" }), make("span", { className: "about" }));
    const cells = engines.map(() => {
      const button = make("button", { type: "button", className: "cell" });
      button.setAttribute("aria-haspopup", "dialog");
      button.setAttribute("aria-expanded", "false");
      return make("td", {}, button);
    });
    const line = make("tr", {}, name, ...cells);
    line.dataset.id = id;
    return line;
  }

  _drawRow(line, { voice, about, cells }) {
    line.dataset.voice = voice;
    const [name, aside] = line.firstElementChild.children;
    if (name.textContent !== voice) name.textContent = voice;
    if (aside.textContent !== about) aside.textContent = about;
    for (const [index, cell] of cells.entries()) drawCell(line.children[index + 1].firstElementChild, cell);
  }

  _open(button) {
    if (!button) return;
    const { voice, id } = button.closest("tr").dataset;
    const at = { voice, id, engine: button.dataset.engine };
    const cell = this._cellAt(at);
    if (cell) this._card.open(button, at, cell); // else it is gone, and its row is about to be
  }

  _cellAt({ id, engine }) {
    const row = (this._props.value?.rows ?? []).find((candidate) => candidate.id === id);
    return row?.cells.find((cell) => cell.engine === engine);
  }

  _redrawCard() {
    if (!this._card.at) return;
    const cell = this._cellAt(this._card.at);
    if (cell) this._card.draw(cell);
    else this._card.close();
  }
}

onMount("matrix", (tools) => {
  matrixView = new Matrix(tools);
});
