// Whose voices are evaluated: a list that is searched and filtered, of which any are chosen.

import { languageName } from "../choice/language.js";
import { icon } from "../drawings/icons.js";
import { printOf } from "../drawings/voiceprint.js";
import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { CHOSEN, STORED, voicesFound } from "./voices_found.js";

const PRINT_PIXELS = 24;

export class PlanVoices {
  // change(names): others are chosen.
  constructor(change) {
    this._change = change;
    this._voices = [];
    this._chosen = new Set();
    this._sought = make("input", { type: "search", className: "input", placeholder: words("evaluations.page_find_voice"), dir: "auto" });
    this._sought.setAttribute("aria-label", words("evaluations.page_find_voice"));
    this._of = selectNamed(words("evaluations.page_voices_of"));
    this._language = selectNamed(words("evaluations.page_voices_language"));
    for (const field of [this._sought, this._of, this._language]) field.addEventListener("input", () => this._draw());
    const search = make("div", { className: "search" }, icon("search"), this._sought);
    const tools = make("div", { className: "toolbar" }, search, this._of, this._language);
    this._list = make("div", { className: "plan-voices", tabIndex: -1 });
    this._list.setAttribute("role", "group");
    this._list.setAttribute("aria-label", words("evaluations.page_voices"));
    this._list.addEventListener("change", ({ target }) => this._check(target));
    this._said = make("span", { className: "note num" });
    this._said.setAttribute("role", "status");
    this._all = linkButton(words("evaluations.page_choose_found"), () => this._choose(this._found.map(({ name }) => name)));
    this._none = linkButton(words("evaluations.page_choose_none"), () => this._choose([]));
    const foot = make("div", { className: "plan-voices-foot" }, this._said, make("span", { className: "grow" }), this._all, this._none);
    this.element = make("div", { className: "stack" }, tools, make("div", { className: "card plan-voices-card" }, this._list, foot));
  }

  /** voices: as voicesToChoose of voices_found.js gives them. chosen: names. */
  show(voices, chosen) {
    this._voices = voices;
    this._chosen = new Set(chosen);
    const engines = new Map(voices.flatMap((voice) => voice.engines.map(({ id, title }) => [id, title])));
    const groups = [
      ["", words("evaluations.page_all_voices")],
      ...(voices.some(({ isStored }) => isStored) ? [[STORED, words("evaluations.page_stored")]] : []),
      ...[...engines].map(([id, title]) => [id, words("evaluations.page_built_in", { engine: title })]),
      [CHOSEN, words("evaluations.page_chosen_ones")],
    ];
    offer(this._of, groups);
    const codes = [...new Set(voices.map(({ language }) => language?.split("-")[0]).filter(Boolean))];
    const named = codes.map((code) => [code, languageName(code)]).toSorted(([, one], [, other]) => one.localeCompare(other));
    offer(this._language, [["", words("evaluations.page_any_language")], ...named]);
    this._language.hidden = codes.length < 2;
    this._draw();
  }

  get _found() {
    const wanted = { typed: this._sought.value, of: this._of.value, language: this._language.value };
    return voicesFound(this._voices, wanted, this._chosen, languageName);
  }

  _draw() {
    const found = this._found;
    const lines = found.map((voice) => this._lineOf(voice));
    const none = make("p", { className: "note plan-none", textContent: words("evaluations.page_no_voice_found") });
    this._list.replaceChildren(...(lines.length ? lines : [none]));
    this._tell(found);
  }

  _tell(found) {
    this._said.textContent = words("evaluations.page_n_chosen", { n: this._chosen.size });
    this._all.disabled = found.every(({ name }) => this._chosen.has(name));
    this._none.disabled = !this._chosen.size;
  }

  _lineOf({ name, print, language, engines, isStored }) {
    const box = make("input", { type: "checkbox", value: name, checked: this._chosen.has(name) });
    const about = [
      isStored ? words("evaluations.page_recording") : words("evaluations.page_built_in", { engine: engines.map(({ title }) => title) }),
      language ? languageName(language) : "",
    ];
    const sign = print ? printOf(print, PRINT_PIXELS) : icon("wave", PRINT_PIXELS);
    const said = make("span", { className: "note cut", textContent: about.filter(Boolean).join(" · ") });
    return make(
      "label",
      { className: "check plan-voice" },
      box,
      sign,
      make("span", { className: "cut", dir: "auto", textContent: name }),
      said,
    );
  }

  _check({ value, checked }) {
    this._chosen[checked ? "add" : "delete"](value);
    this._tell(this._found);
    this._change([...this._chosen]);
  }

  // All that are found, beside those that are chosen already; none: nobody any more.
  _choose(names) {
    this._chosen = new Set(names.length ? [...this._chosen, ...names] : []);
    this._draw();
    this._change([...this._chosen]);
  }
}

function selectNamed(label) {
  const select = make("select", { className: "select" });
  select.setAttribute("aria-label", label);
  return select;
}

function offer(select, choices) {
  const { value } = select;
  select.replaceChildren(...choices.map(([one, textContent]) => make("option", { value: one, textContent })));
  select.value = choices.some(([one]) => one === value) ? value : "";
}

function linkButton(said, press) {
  const button = make("button", { type: "button", className: "link-button", textContent: said });
  button.addEventListener("click", press);
  return button;
}
