// The words of recordings as the studio's transcriber hears them, in step three of creating a voice; marked until somebody changes them.
// Those that somebody wrote are compared with them before a voice is made.

import { make } from "../kit/frame.js";
import { ask as askPerson } from "../kit/library.js";
import { words } from "../words/words.js";
import { complain, tell } from "./create_notice.js";

export class WrittenWords {
  // recordings(): of each { field, region, ask }: of its words, { draft, start, end }, and what calls a handler of the studio. step: has the
  // language.
  constructor(find, recordings, step) {
    this._recordings = recordings;
    this._step = step;
    this._wrote = new WeakMap();
    this._kept = new Set();
    this._isWriting = false;
    this._button = find("transcript-write");
    this._mark = find("transcript-written");
    this._button.hidden = false;
    this._button.addEventListener("click", () => this._press());
  }

  /** The words, or the recordings, may be others by now. */
  look() {
    this._say(this._recordings().some(({ field }) => this._isMine(field)) ? words("create.written_by_machine") : "");
  }

  /** Whether the words are what is heard, as far as the studio can tell, or whoever wrote them keeps them all the same. */
  async fit() {
    const written = this._recordings().filter(({ field }) => field.value.trim() && !this._isMine(field));
    for (const recording of written) if (!(await this._fits(recording))) return false;
    return true;
  }

  async _fits({ field, region, ask }) {
    const text = field.value.trim();
    const asked = { ...region, text, language: this._step.language };
    const key = JSON.stringify(asked);
    if (this._kept.has(key)) return true;
    tell({ fact: words("ears.comparing") });
    const { heard, is_doubtful: isDoubtful } = await ask("transcript_warning", asked);
    tell();
    const take = heard ? [takeButton(() => this._fill(field, { text: heard }))] : [];
    const question = [words("ears.doubt"), words("ears.keep"), words("ears.correct")];
    const isKept = !isDoubtful || (await askPerson(...question, [...both(text, heard), ...take]));
    if (isKept) this._kept.add(key);
    return isKept;
  }

  // What a person wrote is not replaced unasked: the others' words are written, and all of them where there are no others.
  async _press() {
    if (this._isWriting) return;
    const all = this._recordings();
    if (!all.length) return complain({ code: "clip_absent", values: {} });
    const free = all.filter(({ field }) => !field.value.trim() || this._isMine(field));
    if (
      !free.length &&
      !(await askPerson(words("create.replace_words"), words("create.replace_words_yes"), words("create.replace_words_no")))
    )
      return;
    this._show(true);
    for (const recording of free.length ? free : all) if (!(await this._write(recording))) break;
    this._show(false);
  }

  // Whether one may go on with the next.
  async _write({ field, region, ask }) {
    const answer = await ask("write_words", { ...region, language: this._step.language });
    const now = this._recordings().find((recording) => recording.field === field)?.region;
    if (now?.start !== region.start || now.end !== region.end) return false; // it is another part by now, or gone
    if (answer.problem) complain(answer.problem);
    else if (!answer.text) this._say(words("create.no_words_heard"));
    else this._fill(field, answer);
    return Boolean(answer.text);
  }

  /** @type {(field: HTMLTextAreaElement, answer: { text: string, language?: string }) => void} */
  _fill(field, { text, language }) {
    this._wrote.set(field, text);
    if (language && !this._step.language) this._step.suggest(language);
    writeWords(field, text);
  }

  _isMine(field) {
    return Boolean(field.value) && field.value === this._wrote.get(field);
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

/** Puts words into the field of a recording, where they are judged and kept. */
export function writeWords(field, text) {
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

// What was heard takes the place of what was written, to be read through: its press agrees to nothing.
function takeButton(onclick) {
  return make("button", { value: "", className: "button take-heard", textContent: words("ears.take_heard"), onclick });
}

function both(text, heard) {
  const said = [words("ears.you_wrote"), text, words("ears.studio_heard"), heard || words("ears.heard_nothing")];
  return [
    make("dl", { className: "two-texts" }, ...said.map((textContent, at) => make(at % 2 ? "dd" : "dt", { textContent, dir: "auto" }))),
  ];
}
