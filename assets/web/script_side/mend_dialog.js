// Words of a take become others: they are selected in a line, typed anew, and all else of the take stays as it sounds. Or the same words are
// said otherwise, as the engine can.

import { choice } from "../choice/choice.js";
import { hereOf } from "../choice/engines_here.js";
import { icon } from "../drawings/icons.js";
import { make } from "../kit/frame.js";
import { fill } from "../kit/notices.js";
import { closing, opened, pressing, selectField, sheet, textField } from "../script_sheets/sheet.js";
import { askServer } from "../transport/speech_transport.js";
import { words } from "../words/words.js";
import { kindWords, optionField } from "./mend_kind_fields.js";
import { MendLine } from "./mend_line.js";
import { editorsOf, kindsOf, selectedText, wishOf } from "./mend_words.js";
import { TakeSounds } from "./take_sounds.js";

const ID = "script-mend";

const editors = () => editorsOf(hereOf(choice.known.engines ?? []));

/** Whether words of the chosen take of a line can be mended: an engine is here that can, and it is known when they are heard. */
export const canMend = (line) => Boolean(line?.takes.find(({ id }) => id === line.chosen)?.has_words) && editors().length > 0;

/** For the chosen take of a line. Resolves once it is closed. */
export async function openMend(state, line) {
  const dialog = new MendDialog(state, line);
  await dialog.open();
}

class MendDialog {
  constructor(state, line) {
    this._state = state;
    this._id = line;
    this._engines = editors();
    this._mends = ""; // id of the take that is being mended
    this._isAsking = false;
    this._sounds = new TakeSounds(() => this._follow());
    this._line = new MendLine(words("scripts.mend_select"), () => this._selected());
    this._engine = selectField(
      `${ID}-engine`,
      words("scripts.mend_engine"),
      this._engines.map(({ id, title }) => [id, title]),
      this._engines[0].id,
    );
    this._engine.element.hidden = this._engines.length < 2;
    this._kind = selectField(`${ID}-kind`, words("scripts.mend_kind"), [], "");
    this._new = textField(`${ID}-new`, words("scripts.mend_new"), "", { maxLength: 1000, spellcheck: true });
    this._options = make("div", { className: "sheet-pair" });
    this._hint = make("p", { className: "note" });
    this._progress = make("progress", { hidden: true });
    this._progress.setAttribute("aria-label", words("scripts.mend_saying"));
    this._heard = make("div", { className: "beside wraps mend-heard", hidden: true });
    this._go = pressing(words("scripts.mend_go"), () => this._press(), "primary");
    this._made = sheet(ID, words("scripts.mend_title"), this._parts(), [closing("", words("scripts.export_close")), this._go]);
    this._engine.select.addEventListener("change", () => this._showKinds());
    this._kind.select.addEventListener("change", () => this._showKind());
    this._new.input.addEventListener("input", () => this._show());
    this._new.input.addEventListener("keydown", (event) => this._enter(event));
    this._look = () => this._changed();
    for (const event of ["changed", "progress"]) state.addEventListener(event, this._look);
  }

  _parts() {
    const about = make(
      "p",
      { className: "note" },
      make("span", { className: "chip plain", textContent: words("scripts.mend_experimental") }),
      ` ${words("scripts.mend_about")}`,
    );
    const fields = make("div", { className: "sheet-pair" }, this._kind.element, this._engine.element);
    return [about, this._line.element, fields, this._new.element, this._options, this._hint, this._progress, this._heard];
  }

  async open() {
    this._showKinds();
    const closed = opened(this._made);
    await this._read();
    if (this._words?.length) this._line.focus();
    await closed;
    for (const event of ["changed", "progress"]) this._state.removeEventListener(event, this._look);
    this._sounds.clear();
  }

  get _told() {
    return this._state.line(this._id);
  }

  get _kinds() {
    return kindsOf(this._engines.find(({ id }) => id === this._engine.select.value)?.edits ?? []);
  }

  get _kindNow() {
    return this._kinds.find(({ name }) => name === this._kind.select.value);
  }

  // The words of the chosen take.
  async _read() {
    const take = this._told?.chosen ?? "";
    try {
      const told = await (await askServer(this._state.takeAddress(this._id, take, "words"))).json();
      this._text = told.text ?? "";
      this._words = this._text ? (told.words ?? []) : [];
      this._line.show(this._text, this._words);
      this._selected();
    } catch (error) {
      this._refuse(error);
    }
  }

  _showKinds() {
    const before = this._kind.select.value;
    this._kind.select.replaceChildren(...this._kinds.map((kind) => make("option", { value: kind.name, textContent: kindWords(kind) })));
    this._kind.select.value = this._kinds.some(({ name }) => name === before) ? before : this._kinds[0].name;
    this._kind.element.hidden = this._kinds.length < 2;
    this._showKind();
  }

  _showKind() {
    const kind = this._kindNow;
    this._fields = kind.options.map((option) => ({ name: option.name, ...optionField(`${ID}-${option.name}`, option) }));
    this._options.replaceChildren(...this._fields.map(({ element }) => element));
    this._options.hidden = !this._fields.length;
    this._new.element.hidden = kind.name !== "words";
    this._hint.textContent = words(kind.name === "words" ? "scripts.mend_new_hint" : `scripts.mend_${kind.place}_hint`);
    this._show();
  }

  // Other words are selected: they stand in the field, to be written otherwise.
  _selected() {
    const { selected } = this._line;
    this._new.input.value = selected ? selectedText(this._text, this._words, selected) : "";
    this._show();
  }

  _show() {
    const isSaying = Boolean(this._mends);
    const isTyped = this._kindNow.name !== "words" || this._new.input.value.trim() !== this._selectedText.trim();
    this._new.input.disabled = !this._line.selected || isSaying;
    this._go.textContent = words(isSaying ? "scripts.mend_stop" : "scripts.mend_go");
    this._go.disabled = !isSaying && !(this._line.selected && isTyped);
    this._progress.hidden = !isSaying;
    this._line.element.toggleAttribute("data-busy", isSaying);
  }

  get _selectedText() {
    return this._line.selected ? selectedText(this._text, this._words, this._line.selected) : "";
  }

  // Enter in the field mends, and does not close.
  _enter(event) {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    if (!this._go.disabled && !this._mends) this._press();
  }

  async _press() {
    if (this._mends) return this._state.stop();
    const values = Object.fromEntries(
      this._fields.map(({ name, read }) => [name, read()]).filter(([, value]) => value !== null && value !== ""),
    );
    const asked = { text: this._text, words: this._words, selected: this._line.selected, typed: this._new.input.value, values };
    this._mends = this._told.chosen;
    this._isAsking = true; // until then nothing that is told is about it
    fill(this._made.notice, {});
    this._show();
    try {
      const wish = wishOf(this._kindNow, asked);
      await this._state.mend(this._id, { ...wish, take: this._mends, engine: this._engine.select.value });
    } catch (error) {
      this._mends = "";
      this._refuse(error);
    }
    this._isAsking = false;
    return this._changed();
  }

  // What came of it: another take, a reason why there is none, or nothing where it was stopped.
  async _changed() {
    const line = this._told;
    if (!this._mends || this._isAsking || !line) return;
    const made = line.takes.find(({ id, mended_from: from }) => id === line.chosen && from?.take === this._mends);
    const isOver = !["waiting", "saying"].includes(line.state) && !this._state.progress?.is_running;
    if (!made && !isOver) return;
    const before = this._mends;
    this._mends = "";
    if (made) {
      this._showHeard(before, made.id);
      fill(this._made.notice, { kind: "done", fact: words("scripts.mend_made") });
      await this._read();
    } else if (line.failure) {
      fill(this._made.notice, { kind: "problem", ...told(line.failure) });
    }
    this._show();
  }

  _showHeard(before, after) {
    const button = (take, said) => {
      const made = pressing(said, () => this._hear(take), "small");
      made.prepend(icon("play", 14));
      made.dataset.key = take;
      return made;
    };
    this._heard.hidden = false;
    this._heard.replaceChildren(button(before, words("scripts.mend_before")), button(after, words("scripts.mend_after")));
    this._follow();
  }

  async _hear(take) {
    try {
      await this._sounds.toggle(take, this._state.takeAddress(this._id, take));
    } catch (error) {
      this._refuse(error);
    }
  }

  _follow() {
    for (const button of this._heard.children) button.setAttribute("aria-pressed", String(button.dataset.key === this._sounds.wanted));
  }

  _refuse(error) {
    fill(this._made.notice, { kind: "problem", ...told({ ...error, message: error.message }) });
    this._show();
  }
}

// As errors are told, by the page or by a line.
const told = ({ reason_code: reason, code = reason ?? "", values = {}, message = "", hint = "" }) => ({
  code,
  values,
  fact: message,
  hint,
});
