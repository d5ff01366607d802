// Language selects: codes come from the chosen engine, names from the browser, in the reader's language.

import { make } from "./frame.js";
import { languageName as nameIn } from "./languages.js";
import { speakOptions } from "./options.js";
import { language as reader } from "./words.js";

export const languageName = (code) => nameIn(code, reader);

// Options of a select, by their names in the reader's order. unset: what no choice is called.
export function languageOptions(codes, unset, labelOf = languageName) {
  const known = codes.map((code) => [labelOf(code), code]).sort(([one], [other]) => one.localeCompare(other));
  return [[unset, ""], ...known].map(([textContent, value]) => make("option", { textContent, value }));
}

export class LanguageSelect {
  // unset: what no choice is called. onChange: told of the chosen code.
  constructor(element, unset, onChange = () => {}) {
    this._select = element.querySelector("select");
    this._unset = unset;
    this._select.addEventListener("change", () => onChange(this._select.value));
    document.addEventListener("studio-choice", () => this._show());
    this._show();
  }

  get value() {
    return this._select.value;
  }

  set value(code) {
    this._select.value = code;
  }

  // The codes of another engine: a choice that it does not have is dropped.
  _show() {
    const { languages: codes = [], engine, misread = {} } = speakOptions?.choice ?? {};
    if (`${engine} ${codes.join()}` === this._codes) return;
    this._codes = `${engine} ${codes.join()}`;
    const wanted = codes.includes(this.value) ? this.value : "";
    const labelOf = (code) => (misread[code] ? `${languageName(code)} (${misread[code]})` : languageName(code));
    this._select.replaceChildren(...languageOptions(codes, this._unset, labelOf));
    this.value = wanted;
    this._select.disabled = !codes.length;
  }
}
