// The questions beside the sounds, as they are written: one part of a questionnaire, before or after.

import { icon } from "../drawings/icons.js";
import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { selectOption } from "./test_systems.js";

const KINDS = ["choice", "several", "number", "text"];
const WITH_CHOICES = ["choice", "several"];
const PRESETS = { age: "choice", gender: "choice", native: "text", hearing: "choice", listened: "choice" };
const MOST = { questions: 20, text: 300, choice: 120, choices: 40 }; // as a plan has them

export class TestForm {
  // canScreenOut: whether an answer may end it. change(): something is another now.
  constructor({ title, canScreenOut, change }) {
    this._canScreenOut = canScreenOut;
    this._change = change;
    this._rows = make("ol", { className: "stack form-rows" });
    this._shown = [];
    this._ids = [];
    const add = make("button", { type: "button", className: "button small" }, icon("plus", 14), words("tests.form_add"));
    add.addEventListener("click", () => this._add({ text: "", kind: "choice", choices: [], required: false }).focus());
    const presets = make("select", { className: "select small" });
    presets.setAttribute("aria-label", words("tests.form_preset"));
    const known = Object.keys(PRESETS).map((key) => selectOption(key, words(`tests.preset_${key}`)));
    presets.append(selectOption("", words("tests.form_preset")), ...known);
    presets.addEventListener("change", () => this._addPreset(presets));
    const head = make("h4", { className: "name", textContent: title });
    this.element = make("section", { className: "stack" }, head, this._rows, make("div", { className: "beside wraps" }, add, presets));
  }

  begin() {
    this._shown = [];
    this._rows.replaceChildren();
  }

  /** questions: of the plan. What is being written is left alone. */
  show(questions) {
    if (JSON.stringify(questions.map(plain)) === JSON.stringify(this._shown)) return;
    this._shown = questions.map(plain);
    this._rows.replaceChildren();
    for (const question of questions) this._rows.append(this._rowOf(question));
    this._number();
  }

  /** Those that are whole. others: questions whose ids are taken. */
  questions(others) {
    const taken = new Set(others.map(({ id }) => id));
    this._shown = [...this._rows.children].map((row) => row.told()).filter(isWhole);
    for (const question of this._shown) {
      if (taken.has(question.id)) question.id = newId(taken);
      taken.add(question.id);
    }
    return this._shown;
  }

  _addPreset(select) {
    const key = select.value;
    select.value = "";
    if (!key) return;
    const kind = PRESETS[key];
    const choices = kind === "choice" ? words(`tests.preset_${key}_choices`).split(" | ") : [];
    this._add({ id: key, text: words(`tests.preset_${key}`), kind, choices, required: true });
    this._change();
  }

  _add(question) {
    if (this._rows.children.length >= MOST.questions) return this._rows.lastChild.querySelector("input");
    const taken = new Set([...this._rows.children].map((row) => row.told().id));
    const id = question.id && !taken.has(question.id) ? question.id : newId(taken);
    const row = this._rowOf({ ...question, id });
    this._rows.append(row);
    this._number();
    return row.querySelector("input");
  }

  _rowOf({ id, text, kind, choices, required, screens_out: out = [], least = null, most = null }) {
    const name = make("input", { className: "input grow", value: text, maxLength: MOST.text, dir: "auto" });
    const kinds = make("select", { className: "select" }, ...KINDS.map((one) => selectOption(one, words(`tests.form_kind_${one}`))));
    kinds.value = kind;
    const wanted = make("input", { type: "checkbox", checked: required });
    const check = make("label", { className: "check" }, wanted, make("span", { textContent: words("tests.form_required") }));
    const remove = make("button", { type: "button", className: "button quiet square small" }, icon("trash", 14));
    const lines = make("textarea", { className: "input", rows: 3, value: choices.join("\n"), dir: "auto" });
    const ends = make("textarea", { className: "input", rows: 1, value: out.join("\n"), dir: "auto" });
    const ended = make("label", { className: "field" }, make("span", { className: "name", textContent: words("tests.form_out") }), ends);
    const row = make("li", { className: "stack form-row" });
    row.append(make("div", { className: "beside" }, name, remove), make("div", { className: "beside wraps" }, kinds, check), lines, ended);
    row.named = { name, kinds, lines, remove };
    row.told = () => {
      const has = WITH_CHOICES.includes(kinds.value);
      const own = has ? linesOf(lines.value) : [];
      const screens = this._canScreenOut ? linesOf(ends.value).filter((line) => own.includes(line)) : [];
      const bounds = kinds.value === "number" ? { least, most } : { least: null, most: null };
      return plain({
        id,
        text: name.value.trim(),
        kind: kinds.value,
        choices: own,
        required: wanted.checked,
        screens_out: screens,
        ...bounds,
      });
    };
    const look = () => {
      lines.hidden = !WITH_CHOICES.includes(kinds.value);
      ended.hidden = lines.hidden || !this._canScreenOut;
      row.toggleAttribute("data-lacking", !isWhole(row.told()));
    };
    row.addEventListener("input", () => {
      look();
      this._change();
    });
    remove.addEventListener("click", () => this._remove(row));
    look();
    return row;
  }

  _remove(row) {
    (row.nextElementSibling ?? row.previousElementSibling ?? this.element).querySelector("input, button")?.focus();
    row.remove();
    this._number();
    this._change();
  }

  _number() {
    for (const [at, { named }] of [...this._rows.children].entries()) {
      const n = at + 1;
      named.name.setAttribute("aria-label", words("tests.form_question", { n }));
      named.kinds.setAttribute("aria-label", words("tests.form_kind", { n }));
      named.lines.setAttribute("aria-label", words("tests.form_choices", { n }));
      named.lines.placeholder = words("tests.form_choices", { n });
      named.remove.setAttribute("aria-label", words("tests.form_remove", { n }));
    }
  }
}

// In one order of members, so that two are compared as they are written.
const plain = ({ id, text, kind, choices, required, least = null, most = null, screens_out: out = [] }) => ({
  id,
  text,
  kind,
  choices,
  required,
  least,
  most,
  screens_out: out,
});

const isWhole = ({ text, kind, choices }) => Boolean(text) && (!WITH_CHOICES.includes(kind) || choices.length > 1);

const linesOf = (value) => {
  const lines = value.split("\n").map((line) => line.trim().slice(0, MOST.choice));
  return [...new Set(lines.filter(Boolean))].slice(0, MOST.choices);
};

function newId(taken) {
  let n = 1;
  while (taken.has(`q${n}`)) n += 1;
  return `q${n}`;
}
