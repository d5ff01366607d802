// What of a text is not heard as it is written: a line below it, and its details above the parts. A plain text has neither.

import { choice } from "../choice/choice.js";
import { languageName } from "../choice/language.js";
import { make } from "../kit/frame.js";
import { words } from "../words/words.js";

const COUNTS = ["changed", "left_out", "misread", "untaken"];

export class Told {
  // element: the composer's. open(isOpen): the details. onChange(): directions are said as words now, or followed again.
  constructor(element, { open, onChange }) {
    const part = (selector) => element.querySelector(selector);
    this._line = part("#text-told");
    this._toggle = part("#told-toggle");
    this._directions = part("#told-directions");
    this._check = part("#say-directions");
    this._list = part(".segments-told");
    this._warnings = part(".segments-warnings");
    this._label = this._check.closest("label");
    this._toggle.addEventListener("click", () => open(this._toggle.getAttribute("aria-expanded") !== "true"));
    this._check.addEventListener("change", onChange);
  }

  /** Whether what the engine would follow is said as words. */
  get saysDirections() {
    return this._check.checked;
  }

  set saysDirections(isSaid) {
    this._check.checked = isSaid;
  }

  showOpen(isOpen) {
    this._toggle.setAttribute("aria-expanded", String(isOpen));
  }

  /** told: of segments.py, or null where nothing is known of the text. */
  show(told) {
    const counts = told ? COUNTS.map((name) => [name, countOf(told, name)]).filter(([, n]) => n) : [];
    const marks = told?.directions ?? [];
    this._toggle.textContent = counts.map(([name, n]) => words(`speak.n_${name}`, { n })).join(" · ");
    this._toggle.hidden = !counts.length;
    this._directions.hidden = this._label.hidden = !marks.length;
    if (marks.length) this._showDirections(marks);
    this._line.hidden = !counts.length && !marks.length;
    const rows = told ? rowsOf(told) : [];
    this._list.hidden = !rows.length;
    this._list.replaceChildren(...rows);
    this._warnings.replaceChildren(
      ...(told?.misread ?? []).map((limit) => make("p", { className: "note", textContent: misreadWords(limit) })),
    );
  }

  _showDirections(marks) {
    const n = marks.length;
    const said = words(this.saysDirections ? "speak.directions_said" : "speak.directed", { n, marks });
    if (this._directions.textContent !== said) this._directions.textContent = said; // which is read out
    this._label.querySelector("span").textContent = words("speak.say_directions", { n });
  }
}

function countOf(told, name) {
  if (name === "changed") return told.n_changed;
  if (name === "left_out") return told.left_out.reduce((n, { marks }) => n + marks.length, 0);
  return told[name].length;
}

function rowsOf({ changed, n_changed: n, left_out: left, untaken }) {
  const swaps = changed.map((one) => words("speak.changed_to", one));
  const more = n > changed.length ? [words("speak.changed_more", { n: n - changed.length })] : [];
  return [
    ...rowOf(words("speak.changed"), [...swaps, ...more]),
    ...left.flatMap(({ kind, marks }) => rowOf(words(`speak.left_out_${kind}`), marks)),
    ...rowOf(words("speak.untaken", { engine: choice.known.title }), untaken),
  ];
}

function rowOf(name, marks) {
  if (!marks.length) return [];
  const said = marks.map((textContent) => make("span", { textContent, dir: "auto" }));
  return [make("dt", { textContent: name }), make("dd", {}, ...said)];
}

function misreadWords({ language: code, fact, hint, engine }) {
  const said = words("speak.misread", { language: languageName(code), fact, hint });
  return engine ? `${said} ${words("speak.misread_other", { engine })}` : said;
}
