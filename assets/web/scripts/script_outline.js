// The chapters of a script, to go to: each heading with how many lines it has. One is shown as the present one.

import { make } from "../kit/frame.js";
import { words } from "../words/words.js";

export class ScriptOutline {
  // go(id): to a line.
  constructor(state, element, { go }) {
    this._state = state;
    this._element = element;
    this._list = make("ol");
    element.setAttribute("aria-label", words("scripts.outline"));
    element.append(make("h3", { className: "note", textContent: words("scripts.outline") }), this._list);
    this._list.addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (button) go(button.dataset.line);
    });
    state.addEventListener("changed", ({ detail }) => detail.isScript && this._show());
    state.addEventListener("selected", () => this._mark());
    state.addEventListener("playing", () => this._mark());
  }

  _show() {
    const chapters = (this._state.script?.chapters ?? []).filter(({ title }) => title);
    this._element.hidden = chapters.length < 2;
    this._element.closest(".scripts-editor").toggleAttribute("data-outline", !this._element.hidden); // for the columns
    const drawn = JSON.stringify(chapters);
    if (this._list.dataset.shown !== drawn) {
      this._list.dataset.shown = drawn;
      this._list.replaceChildren(...chapters.map(itemOf));
    }
    this._mark();
  }

  _mark() {
    const { script, playing, current } = this._state;
    const at = this._state.indexOf(playing || current);
    const now = (script?.chapters ?? []).findLast(({ first }) => first <= at)?.line;
    for (const button of this._list.querySelectorAll("button")) {
      if (button.dataset.line === now) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }
}

function itemOf({ title, line, n_lines: n }) {
  const count = make("small", { className: "num soft", textContent: String(n) });
  const button = make(
    "button",
    { type: "button", className: "outline-item" },
    make("span", { className: "cut", textContent: title, dir: "auto" }),
    count,
  );
  button.dataset.line = line;
  button.title = words("scripts.chapter_of", { title, n });
  return make("li", {}, button);
}
