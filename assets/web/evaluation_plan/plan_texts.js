// What is said: sentences of the built-in set, lines of one's own, or a file.

import { languageName } from "../choice/language.js";
import { icon } from "../drawings/icons.js";
import { takeDrops } from "../kit/dropped.js";
import { make } from "../kit/frame.js";
import { number, words } from "../words/words.js";
import { linesOfText, MOST_SENTENCES } from "./evaluation_order.js";

const KINDS = ["builtin", "lines", "list"];
const FILES = ".txt,.csv,.tsv,.lst,.json,.jsonl,.md";
const MOST_FILE_BYTES = 8 << 20; // more is no list of texts

export class PlanTexts {
  // change(values, how): of the draft. refuse(problem): a file cannot be read.
  constructor({ change, refuse }) {
    this._change = change;
    this._refuse = refuse;
    const kinds = KINDS.map((kind) =>
      make("button", { type: "button", value: kind, textContent: words(`evaluations.page_texts_${kind}`) }),
    );
    for (const button of kinds) button.addEventListener("click", () => this._set({ kind: button.value }));
    this._kinds = make("div", { className: "switch" }, ...kinds);
    this._kinds.setAttribute("role", "group");
    this._kinds.setAttribute("aria-label", words("evaluations.page_texts"));
    this._parts = { builtin: this._builtinPart(), lines: this._linesPart(), list: this._listPart() };
    this._language = make("select", { className: "select" });
    this._language.addEventListener("change", () => this._set({ language: this._language.value }));
    const name = make("span", { className: "name", textContent: words("evaluations.page_text_language") });
    this._languageField = make("label", { className: "field plan-language" }, name, this._language);
    this.element = make("div", { className: "card pad stack plan-texts" }, this._kinds, ...Object.values(this._parts), this._languageField);
  }

  /** languages: codes of the built-in set. spoken: codes that the systems speak. */
  show(draft, languages, spoken) {
    this._draft = draft;
    for (const button of this._kinds.children) button.setAttribute("aria-pressed", String(button.value === draft.kind));
    for (const [kind, part] of Object.entries(this._parts)) part.hidden = kind !== draft.kind;
    this._languageField.hidden = draft.kind === "builtin";
    this._showLanguages(languages);
    const codes = [...spoken].map((code) => [code, languageName(code)]).toSorted(([, one], [, other]) => one.localeCompare(other));
    const choices = [["", words("evaluations.page_language_found")], ...codes];
    if (this._language.children.length !== choices.length)
      this._language.replaceChildren(...choices.map(([value, textContent]) => make("option", { value, textContent })));
    this._language.value = draft.language;
    if (this._n.value !== String(draft.builtin.n)) this._n.value = draft.builtin.n;
    if (this._lines.value !== draft.lines) this._lines.value = draft.lines;
    this._count();
    this._named.textContent = draft.list?.name ?? words("evaluations.page_no_file");
  }

  _set(values) {
    this._change(values);
  }

  _count() {
    this._counted.textContent = words("figures.texts", { n: linesOfText(this._draft.lines).length });
  }

  _builtinPart() {
    this._boxes = make("div", { className: "plan-languages" });
    this._boxes.setAttribute("role", "group");
    this._boxes.setAttribute("aria-label", words("evaluations.page_languages"));
    this._boxes.addEventListener("change", () => {
      const chosen = [...this._boxes.querySelectorAll("input")].filter(({ checked }) => checked);
      this._set({ builtin: { ...this._draft.builtin, languages: chosen.map(({ value }) => value) } });
    });
    this._n = make("input", { type: "number", className: "input num", min: "1", max: String(MOST_SENTENCES), step: "1" });
    this._n.addEventListener("change", () => {
      const n = Math.max(1, Math.min(MOST_SENTENCES, Math.round(this._n.valueAsNumber) || 1));
      this._n.value = String(n);
      this._set({ builtin: { ...this._draft.builtin, n } });
    });
    const name = make("span", { className: "name", textContent: words("evaluations.page_n_sentences") });
    const hint = make("span", { className: "note", textContent: words("evaluations.page_builtin_about", { most: MOST_SENTENCES }) });
    return make("div", { className: "stack" }, this._boxes, make("label", { className: "field plan-number" }, name, this._n, hint));
  }

  _showLanguages(codes) {
    const chosen = new Set(this._draft.builtin.languages);
    if (this._boxes.children.length !== codes.length) {
      const lines = codes.map((value) => {
        const box = make("input", { type: "checkbox", value });
        return make("label", { className: "check" }, box, make("span", { textContent: languageName(value) }));
      });
      this._boxes.replaceChildren(...lines);
    }
    for (const box of this._boxes.querySelectorAll("input")) box.checked = chosen.has(box.value);
  }

  _linesPart() {
    this._lines = make("textarea", { className: "input", rows: 6, dir: "auto" });
    this._lines.addEventListener("input", () => {
      this._draft = { ...this._draft, lines: this._lines.value };
      this._count();
      this._change({ lines: this._lines.value }, { isDrawn: true });
    });
    this._counted = make("span", { className: "note num" });
    const name = make("span", { className: "name", textContent: words("evaluations.page_one_a_line") });
    return make("label", { className: "field" }, name, this._lines, this._counted);
  }

  _listPart() {
    this._chooser = make("input", { type: "file", accept: FILES, className: "visually-hidden", id: "evaluation-file" });
    this._chooser.addEventListener("change", () => this._take(this._chooser.files[0]));
    this._named = make("span", { className: "note", dir: "auto" });
    const label = make(
      "label",
      { className: "button", htmlFor: "evaluation-file" },
      icon("upload"),
      words("evaluations.page_choose_file"),
      this._chooser,
    );
    const about = make("p", { className: "note", textContent: words("evaluations.page_list_about") });
    const part = make("div", { className: "stack plan-file" }, make("div", { className: "beside wraps" }, label, this._named), about);
    takeDrops(part, ([file]) => this._take(file));
    return part;
  }

  async _take(file) {
    if (!file) return undefined;
    if (file.size > MOST_FILE_BYTES) {
      const fact = words("evaluations.page_file_large", { most: number(MOST_FILE_BYTES >> 20) });
      return this._refuse({ fact, hint: words("evaluations.page_list_about") });
    }
    return this._set({ list: { text: await file.text(), name: file.name } });
  }
}
