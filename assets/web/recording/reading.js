// Reading: a text to read aloud while recording, in a language and one of three lengths. The texts come from assets/texts/reading/.

import { LanguageField } from "../choice/language_picker.js";
import { make } from "../kit/frame.js";
import { language as reader, words } from "../words/words.js";

export class Reading {
  // answer: of the server's reading_texts: { lengths: [[name, seconds]], texts: { language: [short, medium, long] } }.
  // chosen: a choice of before, { language, length }.
  constructor(element, { lengths, texts }, chosen) {
    this._texts = texts;
    this._language = new LanguageField(element.querySelector("#reading-language"), { more: () => [] });
    this._length = element.querySelector("#reading-length");
    this._text = element.querySelector("#reading-text");
    const codes = Object.keys(texts);
    this._language.offer(codes);
    this._length.replaceChildren(
      ...lengths.map(([, seconds], value) => make("option", { value, textContent: words("create.about_seconds", { n: seconds }) })),
    );
    const own = reader;
    this._language.value = codes.includes(own) ? own : "en";
    this._length.value = "1";
    this._length.disabled = false;
    for (const field of [this._language, this._length]) field.addEventListener("change", () => this._show());
    this.choose(chosen);
  }

  get choice() {
    return { language: this._language.value, length: this._length.value };
  }

  /** @param {{ language?: string, length?: string }} [choice] */
  choose({ language, length } = {}) {
    if (language in this._texts) this._language.value = language;
    if (length in this._texts[this._language.value]) this._length.value = length;
    this._show();
  }

  // What is being read: { language, text }.
  get chosen() {
    const language = this._language.value;
    return { language, text: this._texts[language][Number(this._length.value)] };
  }

  _show() {
    const { language, text } = this.chosen;
    this._text.lang = language;
    this._text.textContent = text;
  }
}
