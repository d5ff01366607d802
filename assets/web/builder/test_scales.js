// What somebody asks in place of a method's own question: for each a line with the question, its answers, and how many points it has.

import { icon } from "../drawings/icons.js";
import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { takesScales } from "./test_methods.js";

const BETWEEN = /\s*[;；]\s*/;

/** The answers in a line of them. */
export const labelsOf = (line) => line.trim().split(BETWEEN).filter(Boolean);

/** Whether a scale can be asked. most: points that it may have. */
export function isScale({ question, labels, points }, most) {
  const n = points ?? labels.length;
  return question.trim() !== "" && n >= 2 && n <= most && [2, n].includes(labels.length);
}

/** An id that none of scales has. */
export function freeId(scales) {
  const taken = new Set(scales.map(({ id }) => id));
  let at = 1;
  while (taken.has(`scale-${at}`)) at += 1;
  return `scale-${at}`;
}

export class TestScales {
  // part(id): an element of the tab. change(values) of the plan.
  constructor({ part, change }) {
    this._part = part;
    this._change = change;
    this._scales = [];
    part("builder-add-scale").addEventListener("click", () => this._add());
  }

  // limits: of the studio.
  show({ method, scales }, limits) {
    this._limits = limits;
    this._part("builder-scales-part").hidden = !takesScales(method);
    this._part("builder-add-scale").disabled = scales.length >= limits.scales;
    const list = this._part("builder-scales");
    const isShown = list.children.length === scales.length && scales.every(({ id }, at) => list.children[at].dataset.id === id);
    this._scales = scales;
    list.hidden = !scales.length;
    if (!isShown) list.replaceChildren(...scales.map((scale) => this._lineOf(scale)));
  }

  _add() {
    const [question, labels] = [words("tests.scales_new_question"), labelsOf(words("tests.scales_new_labels"))];
    this._change({ scales: [...this._scales, { id: freeId(this._scales), question, labels, points: null }] });
    this._part("builder-scales").lastElementChild.querySelector("input").focus();
  }

  _set(id, values) {
    this._change({ scales: this._scales.map((scale) => (scale.id === id ? { ...scale, ...values } : scale)) });
  }

  _lineOf({ id, question, labels, points }) {
    const asked = this._field("question", { value: question, maxLength: 300, dir: "auto" }, ({ value }) =>
      this._set(id, { question: value }),
    );
    const said = this._field("labels", { value: labels.join("; "), dir: "auto" }, ({ value }) =>
      this._set(id, { labels: labelsOf(value) }),
    );
    const range = { type: "number", min: 2, max: this._limits.points, value: points ?? "", className: "input num" };
    const n = this._field("points", range, ({ valueAsNumber }) =>
      this._set(id, { points: Number.isNaN(valueAsNumber) ? null : valueAsNumber }),
    );
    const remove = make("button", { type: "button", className: "button quiet square", title: words("tests.scales_remove") }, icon("close"));
    remove.setAttribute("aria-label", words("tests.scales_remove"));
    remove.addEventListener("click", () => this._change({ scales: this._scales.filter((scale) => scale.id !== id) }));
    const line = make("li", { className: "system scale-line" }, asked, said, n, remove);
    line.dataset.id = id;
    return line;
  }

  _field(name, attributes, hear) {
    const field = make("input", { dir: "auto", className: "input", ...attributes });
    field.addEventListener("input", () => hear(field));
    return make("label", { className: "field" }, make("span", { className: "name", textContent: words(`tests.scales_${name}`) }), field);
  }
}
