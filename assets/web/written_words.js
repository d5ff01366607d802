// The words of a recording as the studio's transcriber hears them, in step three of creating a voice; marked until somebody changes them.

import { complain } from "./create_notice.js";
import { ask as askPerson } from "./frame.js";
import { words } from "./words.js";

export class WrittenWords {
  // ask(name, values): calls a handler of the studio. region(): { draft, start, end } of the clip, whose draft may be missing.
  constructor(find, { ask, region }) {
    Object.assign(this, { _ask: ask, _region: region, _wrote: "", _isWriting: false });
    [this._button, this._field, this._mark] = ["transcript-write", "voice-transcript", "transcript-written"].map(find);
    this._language = find("clip-language-code");
    this._button.hidden = false;
    this._button.addEventListener("click", () => this._press());
  }

  /** The words may be others by now. */
  look() {
    this._say(this._wrote && this._field.value === this._wrote ? words("create.written_by_machine") : "");
  }

  // What a person wrote is not replaced unasked.
  async _press() {
    const before = this._field.value.trim();
    if (this._isWriting) return;
    if (before && before !== this._wrote) {
      if (!(await askPerson(words("create.replace_words"), words("create.replace_words_yes"), words("create.replace_words_no")))) return;
    }
    this._show(true);
    await this._write();
    this._show(false);
  }

  async _write() {
    const region = this._region();
    const answer = await this._ask("write_words", { ...region, language: this._language.value });
    const now = this._region();
    if (now.start !== region.start || now.end !== region.end) return; // another part by now
    if (answer.problem) return complain(answer.problem);
    if (!answer.text) return this._say(words("create.no_words_heard"));
    this._wrote = answer.text;
    this._field.value = answer.text;
    const { options } = this._language;
    if (!this._language.value && [...options].some(({ value }) => value === answer.language)) this._language.value = answer.language;
    this._field.dispatchEvent(new Event("input", { bubbles: true })); // they are judged and kept
  }

  // The button stays a button, so that the focus stays on it.
  _show(isWriting) {
    this._isWriting = isWriting;
    this._button.setAttribute("aria-busy", String(isWriting));
    this._button.textContent = words(isWriting ? "create.writing_words" : "create.write_words");
  }

  _say(line) {
    if (this._mark.textContent !== line) this._mark.textContent = line;
  }
}
