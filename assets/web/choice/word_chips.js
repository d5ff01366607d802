// The words that an engine knows, below the field in which they are said: each a button that puts it in or takes it out, of one group at most
// one. Typing does the same.

import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { holds, languageOf, withWord } from "./word_list.js";

export class WordChips {
  // field: whose text is the list. groups: of words, as the engine declares them.
  constructor(field, groups) {
    this._field = field;
    this._chips = groups.flatMap((group) => group.map((word) => this._chipOf(word, group)));
    const places = groups.map((group) => this._groupOf(this._chips.filter((chip) => chip.group === group)));
    const summary = make("summary", { textContent: words("options.known_words") });
    this.element = make("details", { className: "fold known-words" }, summary, make("div", { className: "word-groups" }, ...places));
    field.addEventListener("input", () => this.show());
    this.show();
  }

  show() {
    for (const { button, word } of this._chips) button.setAttribute("aria-pressed", String(holds(this._field.value, word)));
  }

  _chipOf(word, group) {
    const button = make("button", { type: "button", className: "button small", lang: languageOf(word), textContent: word });
    button.addEventListener("click", () => {
      this._field.value = withWord(this._field.value, word, group);
      this._field.dispatchEvent(new Event("input", { bubbles: true })); // the draft hears of it
    });
    return { button, word, group };
  }

  _groupOf(chips) {
    const place = make("div", {}, ...chips.map(({ button }) => button));
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", words("options.one_of_these"));
    return place;
  }
}
