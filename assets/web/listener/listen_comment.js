// The line for a comment, and the button that sends an answer with it.

import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { button } from "./listen_parts.js";

export class CommentLine {
  // onNext: told when somebody presses Next.
  constructor(onNext) {
    const name = make("span", { className: "name", textContent: words("listen.comment") });
    this._field = make("textarea", { className: "input", dir: "auto", rows: 2, maxLength: Number(document.body.dataset.mostComment) });
    this._next = button(words("listen.next"), onNext, { look: "primary" });
    this._next.disabled = true;
    this.element = make("div", { className: "stack" }, make("label", { className: "field" }, name, this._field));
    this.element.append(make("div", { className: "verbs" }, this._next));
  }

  get text() {
    return this._field.value.trim();
  }

  allow(isAllowed) {
    this._next.disabled = !isAllowed;
  }

  press() {
    this._next.click();
  }
}
