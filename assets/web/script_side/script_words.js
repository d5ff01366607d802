// The dictionary of the script: how its words are said, before that of the workspace. Each entry can be heard in the voice of who says it.

import { choice } from "../choice/choice.js";
import { LanguageField } from "../choice/language_picker.js";
import { entryLine } from "../dictionary/entry_line.js";
import { make } from "../kit/frame.js";
import { redraw } from "../kit/library.js";
import { fill } from "../kit/notices.js";
import { memberOf } from "../script_cast/cast_edits.js";
import { known } from "../script_cast/member_choice.js";
import { hearMember } from "../script_cast/member_sample.js";
import { cancelButton, closing, field, listField, opened, sheet } from "../script_sheets/sheet.js";
import { foldOf, playFace, signButton } from "../script_sheets/side_parts.js";
import { tellDone } from "../script_sheets/told_edits.js";
import { PlayButton } from "../sound/play_button.js";
import { player } from "../sound/player.js";
import { errorWords, words } from "../words/words.js";
import { entryKey, NO_ENTRY, withEntry, withoutEntry, wordSelected } from "./word_entries.js";

const FORM = "script-word";
const LINE_TEXT = "line-text"; // class of the fields in which lines are written

export class ScriptWords {
  constructor(state, tools) {
    this._state = state;
    this._tools = tools;
    this._selected = ""; // words of a line
    const { element, body, note } = foldOf("script-dictionary", words("dictionary.title"), false);
    this.element = element;
    this._note = note;
    this._list = make("ul", { className: "words" });
    this._list.setAttribute("aria-label", words("dictionary.list"));
    this._empty = make("p", { className: "note", textContent: words("scripts.dict_none") });
    const about = make("p", { className: "note", textContent: words("scripts.dict_about") });
    this._new = make("button", { type: "button", className: "button small", textContent: words("dictionary.new") });
    this._new.addEventListener("click", () => this.ask(""));
    body.append(about, this._list, this._empty, make("div", {}, this._new));
    this._list.addEventListener("click", ({ target }) => this._press(target.closest("button")));
    player.addEventListener("change", () => this._follow());
    document.addEventListener("studio-languages", () => this.show());
    this.offer = make("button", { type: "button", className: "button small", hidden: true });
    this.offer.addEventListener("mousedown", (event) => event.preventDefault()); // the words stay selected
    this.offer.addEventListener("click", () => this.ask(this._selected));
    for (const event of ["select", "keyup", "pointerup", "focusin"]) document.addEventListener(event, (told) => this._offer(told));
  }

  // Of words that are selected in a line, a button by which they are said otherwise.
  _offer({ target }) {
    if (target === this.offer) return;
    const isLine = target instanceof HTMLTextAreaElement && target.classList.contains(LINE_TEXT);
    this._selected = isLine ? wordSelected(target.value, target.selectionStart, target.selectionEnd) : "";
    this.offer.hidden = !this._selected;
    if (this._selected) this.offer.textContent = words("dictionary.say_word", { word: this._selected });
  }

  get _entries() {
    return this._state.script?.dictionary ?? [];
  }

  show() {
    if (!this._state.script) return;
    const entries = this._entries;
    this._note.textContent = entries.length ? words("dictionary.count", { n: entries.length }) : "";
    this._empty.hidden = entries.length > 0;
    this._list.hidden = !entries.length;
    redraw(
      this._list,
      entries.map((entry) => this._rowOf(entry)),
      this._new,
    );
    this._follow();
  }

  _rowOf(entry) {
    const { written } = entry;
    const about = entryLine(entry);
    const key = entryKey(entry);
    const hear = playFace(words("scripts.dict_hear", { word: written }));
    Object.assign(hear.dataset, { key, act: "hear" });
    const edit = signButton("pencil", words("dictionary.edit", { word: written }), null, { key, act: "edit" });
    const drop = signButton("trash", words("dictionary.delete", { word: written }), null, { key, act: "delete" });
    return make("li", {}, hear, about, edit, drop);
  }

  _follow() {
    for (const button of this._list.querySelectorAll("[data-act=hear]"))
      button.classList.toggle("strong", player.isSounding(`word ${this._state.id} ${button.dataset.key}`));
  }

  _press(button) {
    const { key, act } = button?.dataset ?? {};
    const entry = act && this._entries.find((one) => entryKey(one) === key);
    if (!entry) return;
    const complain = (problem) => this._tools.say({ ...problem, kind: "problem" });
    const sound = `word ${this._state.id} ${key}`;
    if (act === "hear") player.togglePlay(sound, () => this._hear(entry, sound, complain));
    if (act === "edit") this._edit(entry, entry);
    if (act === "delete") this._keep(withoutEntry(this._entries, entry), "dict_did_delete", entry);
  }

  /** How a word is said: as the dictionary has it, where it has it. */
  ask(written) {
    const found = this._entries.find((entry) => entry.written.toLowerCase() === written.toLowerCase());
    return this._edit(found ?? { ...NO_ENTRY, written, language: this._state.script.language ?? "" }, found ?? null);
  }

  async _edit(entry, before) {
    const form = this._formOf(entry);
    if ((await opened(form.sheet)) !== "yes") return;
    const after = form.read();
    if (!after.written) return;
    this._keep(withEntry(this._entries, after, before), "dict_did_keep", after);
  }

  _keep(entries, key, { written }) {
    tellDone(
      this._state,
      this._state.setDictionary(entries, { key, values: { word: written } }),
      words(`scripts.${key}`, { word: written }),
      words("scripts.dict_stale"),
    );
  }

  _formOf(entry) {
    const input = (name, more) =>
      make("input", {
        className: "input",
        dir: "auto",
        autocomplete: "off",
        autocapitalize: "off",
        spellcheck: false,
        value: entry[name],
        ...more,
      });
    const inputs = {
      written: input("written", { required: true }),
      said: input("said", { placeholder: words("dictionary.said_example") }),
      ipa: input("ipa", { placeholder: "wɪn" }),
    };
    const fields = Object.entries(inputs).map(([name, control]) => field(`${FORM}-${name}`, words(`dictionary.${name}`), control));
    const language = listField(`${FORM}-language`, words("dictionary.language"), "language");
    const likely = () => [this._state.script.language, entry.language].filter(Boolean);
    const code = new LanguageField(language.button, { more: () => [["", words("dictionary.any_language")]], likely });
    code.offer(choice.known.languages ?? []);
    code.value = entry.language;
    const read = () => ({
      ...entry,
      ...Object.fromEntries(Object.entries(inputs).map(([name, control]) => [name, control.value.trim()])),
      language: code.value,
    });
    const hear = playFace(words("dictionary.hear"));
    const acts = [hear, make("span", { className: "grow" }), cancelButton(), closing("yes", words("dictionary.save"), "primary")];
    const made = sheet(`${FORM}-dialog`, words("dictionary.say_title"), [...fields, language.element], acts);
    const complain = (problem) => fill(made.notice, { ...problem, kind: "problem" });
    new PlayButton(hear, {
      key: () => `word ${JSON.stringify(read())}`,
      start: () => this._hear(read(), `word ${JSON.stringify(read())}`, complain),
    });
    requestAnimationFrame(() => inputs[entry.written ? "said" : "written"].focus());
    return { sheet: made, read };
  }

  // In the voice of who says the current line, else of the narrator.
  async _hear(entry, key, complain) {
    player.unlock(); // inside of the click
    const line = this._state.line(this._state.current);
    const member = line ? this._state.memberOf(line) : (this._state.script.cast[0] ?? memberOf(""));
    const told = await known(member.voice, member.model);
    const asked = { ...entry, engine: told.engine ?? member.model, text: line?.text ?? "" };
    const answer = await choice.ask("heard_word", asked).catch(() => ({ problem: { code: "E-NET-1", values: {} } }));
    if (answer.problem) return complain(errorWords(answer.problem));
    const untaken = { fact: words("dictionary.untaken", { engine: told.title ?? "" }), hint: words("dictionary.untaken_hint") };
    if (!answer.text) return complain(untaken);
    return hearMember(this._state, { ...memberOf(member.name), ...member, language: answer.language || member.language }, complain, {
      text: answer.text,
      key,
    });
  }
}
