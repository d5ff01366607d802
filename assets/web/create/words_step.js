// Step three of creating a voice: what is said in the clip, and in which language.

import { hereOf } from "../choice/engines_here.js";
import { LanguageField } from "../choice/language_picker.js";
import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { TranscriptCheck } from "./transcript.js";

export class WordsStep {
  // ask(name, values): calls a handler of the studio. reading(): { language, text } that was read aloud, or null.
  // onChange: told whenever the words are others.
  constructor(find, { ask, reading, onChange }) {
    this._find = find;
    this._reading = reading;
    this._onChange = onChange;
    const likely = () => [this._reading()?.language].filter(Boolean);
    this._language = new LanguageField(find("clip-language-code"), { more: () => [["", words("create.language_unset")]], likely });
    this._check = new TranscriptCheck(find("transcript-check"), ask);
    find("voice-transcript").addEventListener("input", () => onChange());
    find("transcript-reading").addEventListener("click", () => this._insert());
  }

  get text() {
    return this._find("voice-transcript").value.trim();
  }

  get language() {
    return this._language.value;
  }

  set language(code) {
    this._language.value = code;
  }

  // The language of words that came from elsewhere, where engines know it.
  suggest(code) {
    if (this._language.offers(code)) this.language = code;
  }

  // n: the number of the recording that the words are of, 0 where there is one in all; isThere: whether there is such a recording.
  showNumber(n, isThere) {
    this._find("transcript-own").textContent = n ? words("create.recording_number", { n }) : "";
    this._find("transcript-own").hidden = !n || !isThere;
    for (const id of ["voice-transcript", "transcript-check"]) this._find(id).hidden = !isThere;
  }

  // speechSeconds: of the region, 0 where that is not known.
  judge(speechSeconds) {
    this._check.show(this.text, speechSeconds);
  }

  showReading() {
    this._find("transcript-reading").hidden = !this._reading();
  }

  // A line for those that need the words, and one for those that are better with them. codes of all languages that engines know.
  showEngines(engines, codes) {
    const lines = ["required", "optional"].map((wish) => caring(engines, wish)).filter(Boolean);
    this._find("transcript-notes").replaceChildren(...lines.map((textContent) => make("li", { textContent })));
    this._language.offer(codes);
  }

  _insert() {
    const { text, language } = this._reading();
    this._find("voice-transcript").value = text;
    this.suggest(language);
    this._onChange();
  }
}

// Which engines here care for the words, in a line; "" where none does.
function caring(engines, wish) {
  const titles = hereOf(engines)
    .filter(({ transcript }) => transcript === wish)
    .map(({ title }) => title);
  return titles.length ? words(`create.words_for_${wish}`, { engines: titles, n: titles.length }) : "";
}
