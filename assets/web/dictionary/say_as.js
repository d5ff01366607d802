// "Say it as ...": how a word is said, in a dialog: heard at once, and kept in the dictionary. A word that is selected in the text is offered.

import { choice } from "../choice/choice.js";
import { LanguageField } from "../choice/language_picker.js";
import { speakOptions } from "../choice/options.js";
import { fill, say } from "../kit/notices.js";
import { openDialog } from "../navigation/navigation.js";
import { PlayButton } from "../sound/play_button.js";
import { player } from "../sound/player.js";
import { speech } from "../transport/gradio_transport.js";
import { requestOf } from "../transport/request.js";
import { called } from "../transport/server_call.js";
import { words } from "../words/words.js";

const LINE = "speak-message";
const MOST_SELECTED = { characters: 60, words: 4 };
const NO_ENTRY = { said: "", ipa: "", case: false, whole_word: true };
const FORMS = ["written", "said", "ipa", "language"];

export class SayAs {
  // element: the composer's. field: its text. server: its functions. onKept(): the dictionary is another.
  constructor(element, field, { server, onKept }) {
    this._field = field;
    this._server = server;
    this._onKept = onKept;
    this._entry = NO_ENTRY;
    this._instead = null;
    this._open = element.querySelector("#say-as-open");
    this._dialog = element.querySelector("#say-as");
    this._form = this._dialog.querySelector("form");
    this._notice = this._dialog.querySelector(".notice");
    this._open.addEventListener("click", () => this.ask(this.selected));
    this._open.addEventListener("mousedown", (event) => event.preventDefault()); // the text stays selected, and in focus
    for (const part of [field, this._open]) part.addEventListener("blur", ({ relatedTarget }) => this._left(relatedTarget));
    this._form.addEventListener("submit", (event) => this._submit(event));
    for (const name of ["input", "select", "keyup", "pointerup", "focus"]) field.addEventListener(name, () => this._offer());
    this._dialog.addEventListener("close", () => this._giveBack());
    const likely = () => [choice.language, choice.voiceKnown?.language].filter(Boolean);
    this._language = new LanguageField(this._form.elements.language, { more: () => [["", words("dictionary.any_language")]], likely });
    this._language.addEventListener("change", () => this._showSounds());
    new PlayButton(this._dialog.querySelector("#say-as-hear"), { key: () => this._key, start: () => this._hear() });
  }

  /** The word, or few of them, that is selected in the text; "" where none is. */
  get selected() {
    const { value, selectionStart: start, selectionEnd: end } = this._field;
    const said = this._field.hidden ? "" : value.slice(start, end).trim();
    const isShort = said.length <= MOST_SELECTED.characters && said.split(/\s+/).length <= MOST_SELECTED.words;
    return isShort && !said.includes("\n") && /[\p{L}\p{N}]/u.test(said) ? said : "";
  }

  _offer() {
    const word = this.selected;
    this._open.hidden = !word;
    if (word) this._open.textContent = words("dictionary.say_word", { word });
  }

  // The focus, to the text where what opened the dialog is hidden by now. What is hidden may have it until the next frame.
  _giveBack() {
    const { activeElement: at } = document;
    if (at === document.body || this._dialog.contains(at) || at === this._open) this._field.focus();
  }

  // next: what has the focus now.
  _left(next) {
    if (![this._field, this._open].includes(next)) this._open.hidden = true;
  }

  /** How a word is said: as the dictionary has it, where it has it. */
  async ask(written) {
    const { entries = [] } = written ? await called(this._server, "list_words", { written }, "E-NET-1") : {};
    const known = entries.find(({ language }) => !language || !choice.language || language === choice.language);
    return known ? this.edit(known) : this._show({ ...NO_ENTRY, written, language: choice.language }, null);
  }

  /** An entry of the dictionary. */
  edit(entry) {
    return this._show(entry, { written: entry.written, language: entry.language });
  }

  // instead: key of the entry that this one takes the place of.
  _show(entry, instead) {
    this._entry = entry;
    this._instead = instead;
    const { elements } = this._form;
    this._language.offer(choice.known.languages ?? []);
    for (const name of FORMS) elements[name].value = entry[name];
    this._language.value = entry.language;
    this._showSounds();
    fill(this._notice, {});
    openDialog(this._dialog);
    elements[entry.written ? "said" : "written"].focus();
  }

  // Whether the engine says sounds, in texts of that language.
  _showSounds() {
    const { title: engine, phone_languages: codes } = choice.known;
    const [code] = this._form.elements.language.value.split("-");
    const isTaken = codes && (!code || !codes.length || codes.includes(code));
    this._dialog.querySelector("#say-as-ipa").textContent = words(`dictionary.ipa_${isTaken ? "taken" : "untaken"}`, { engine });
  }

  /** @returns {Record<string, any>} */
  get _written() {
    const said = Object.fromEntries(FORMS.map((name) => [name, this._form.elements[name].value]));
    return { ...this._entry, ...said, instead: this._instead };
  }

  async _submit(event) {
    if (event.submitter?.value !== "yes") return;
    event.preventDefault();
    const { problem, entry } = await called(this._server, "keep_word", this._written, "E-NET-1");
    if (problem) return this._complain(problem);
    this._dialog.close();
    this._onKept();
    say(LINE, { kind: "done", fact: words("dictionary.kept", { word: entry.written }) });
  }

  _complain(problem) {
    fill(this._notice, { ...problem, kind: "problem" });
  }

  // Of what is heard: another one once a form is another.
  get _key() {
    const { written, said, ipa, language } = this._written;
    return ["word", written, said, ipa, language, choice.voice, choice.engine].join("\n");
  }

  async _hear() {
    fill(this._notice, {});
    const { voice, engine, title, sample_rate: rate } = choice.known;
    if (!voice) return this._complain({ fact: words("dictionary.no_voice"), hint: words("dictionary.choose_voice") });
    player.unlock(rate); // inside the click
    const controller = new AbortController();
    const cancel = () => controller.abort();
    const about = { voice, engine, engineTitle: title, text: this._written.written, print: choice.voiceKnown?.print ?? "" };
    player.wait(words("dictionary.word", { word: this._written.written }), cancel, { key: this._key, about });
    try {
      const { text, language } = await this._heardWord(engine);
      if (controller.signal.aborted) return;
      const request = requestOf({ voice, engine, text, language, options: speakOptions.read() });
      await player.play(await speech(request, controller.signal, null, { isKept: false }), { cancel });
    } catch (error) {
      if (controller.signal.aborted) return;
      player.fail();
      this._complain({ fact: error.message ?? error.fact, hint: error.hint });
    }
  }

  // What the engine is to be asked for, or a problem is thrown.
  async _heardWord(engine) {
    const asked = { ...this._written, engine, text: this._field.value };
    const answer = await called(this._server, "heard_word", asked, "E-NET-1");
    if (answer.problem) throw answer.problem;
    const untaken = { fact: words("dictionary.untaken", { engine: choice.known.title }), hint: words("dictionary.untaken_hint") };
    if (!answer.text) throw untaken;
    return answer;
  }
}
