// Words in a line, of which some that stand together are selected: by a press, a press on the one beside, Shift and a press, and by keys.

import { make } from "../kit/frame.js";
import { piecesOf, selectedBy } from "./mend_words.js";

export class MendLine {
  // onSelect(): other words are selected.
  constructor(label, onSelect) {
    this._onSelect = onSelect;
    this._options = [];
    this._gaps = []; // [{between, before}]: what stands behind which word
    this.selected = null; // {first, last}
    this.element = make("div", { className: "mend-line", dir: "auto" });
    for (const [name, value] of Object.entries({ role: "listbox", "aria-label": label, "aria-multiselectable": "true" }))
      this.element.setAttribute(name, value);
    this.element.addEventListener("click", (event) => this._press(event));
    this.element.addEventListener("keydown", (event) => this._key(event));
  }

  /** words: [{from, to}] of the text. */
  show(text, words) {
    const hadFocus = this.element.contains(document.activeElement);
    this._options = [];
    this._gaps = [];
    const parts = piecesOf(text, words).map(({ said, word }) => {
      if (word < 0) return this._between(said);
      const option = make("span", { className: "mend-word", textContent: said });
      option.setAttribute("role", "option");
      option.dataset.word = String(word);
      this._options[word] = option;
      return option;
    });
    this.element.replaceChildren(...parts);
    this.selected = null;
    this._follow(0, hadFocus);
  }

  /** The first word has the focus. */
  focus() {
    this._follow(0, true);
  }

  _between(said) {
    const between = make("span", { className: "mend-between", textContent: said, ariaHidden: "true" });
    this._gaps.push({ between, before: this._options.length - 1 });
    return between;
  }

  _press({ target, shiftKey }) {
    const at = this._options.indexOf(target.closest("[role=option]"));
    if (at >= 0) this._select(selectedBy(this.selected, at, shiftKey), at);
  }

  // Arrows go, with Shift they select as they go, and a space bar selects what has the focus.
  _key(event) {
    const at = this._options.indexOf(document.activeElement);
    const isRight = getComputedStyle(this.element).direction === "rtl";
    const steps = { ArrowRight: isRight ? -1 : 1, ArrowLeft: isRight ? 1 : -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    const to = { Home: 0, End: this._options.length - 1 }[event.key] ?? (steps ? at + steps : at);
    const isSelecting = event.key === " " || event.key === "Enter";
    if (at < 0 || (!isSelecting && to === at) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(this._options.length - 1, to));
    if (isSelecting) this._select(selectedBy(this.selected, at, event.shiftKey), at);
    else if (event.shiftKey) this._select(selectedBy(this.selected ?? selectedBy(null, at), next, true), next);
    else this._follow(next, true);
  }

  _select(selected, at) {
    if (this.element.hasAttribute("data-busy")) return;
    this.selected = selected;
    this._follow(at, true);
    this._onSelect();
  }

  // One of them is reached by Tab.
  _follow(at, isFocused) {
    const { first, last } = this.selected ?? { first: 0, last: -1 };
    for (const [index, option] of this._options.entries()) {
      option.tabIndex = index === at ? 0 : -1;
      option.setAttribute("aria-selected", String(index >= first && index <= last));
    }
    for (const { between, before } of this._gaps) between.toggleAttribute("data-in", before >= first && before < last);
    if (isFocused) this._options[at]?.focus();
  }
}
