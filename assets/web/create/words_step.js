// Step three of creating a voice: what is said in the clip, and in which language.

import { hereOf } from "../choice/engines_here.js";
import { languageGroups } from "../choice/languages.js";
import { make } from "../kit/frame.js";
import { language as reader, words } from "../words/words.js";
import { TranscriptCheck } from "./transcript.js";

export class WordsStep {
  // ask(name, values): calls a handler of the studio. reading(): { language, text } that was read aloud, or null.
  // onChange: told whenever the words are others.
  constructor(find, { ask, reading, onChange }) {
    Object.assign(this, { _find: find, _reading: reading, _onChange: onChange, _language: "" });
    this._check = new TranscriptCheck(find("transcript-check"), ask);
    find("voice-transcript").addEventListener("input", () => onChange());
    find("transcript-reading").addEventListener("click", () => this._insert());
  }

  get text() {
    return this._find("voice-transcript").value.trim();
  }

  get language() {
    return this._find("clip-language-code").value || this._language;
  }

  // Of a draft; its list may come later.
  set language(code) {
    const select = this._find("clip-language-code");
    if (select.options.length) select.value = code;
    else this._language = code;
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
    const select = this._find("clip-language-code");
    const groups = languageGroups(codes, reader);
    if (groups === this._groups) return;
    const { language } = this;
    this._groups = groups;
    const unset = make("option", { value: "", textContent: words("create.language_unset") });
    select.replaceChildren(unset, ...groups.flatMap(({ languages }) => [make("hr"), ...languages.flatMap(optionsOf)]));
    select.value = language;
    this._language = "";
    select.disabled = false;
  }

  _insert() {
    const { text, language } = this._reading();
    this._find("voice-transcript").value = text;
    const select = this._find("clip-language-code");
    if ([...select.options].some(({ value }) => value === language)) select.value = language;
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

// One of a language, or one of each accent; its own name and the reader's.
function optionsOf({ code, own, name, accents }) {
  if (accents.length) return accents.map((accent) => make("option", { value: accent.code, textContent: accent.name }));
  return [make("option", { value: code, textContent: [own, name].filter(Boolean).join(" · ") })];
}
