// The five steps of Create: which one is seen, which ones are done, and the way from one to the next. What is in them is not known here.

import { icon } from "../drawings/icons.js";
import { words } from "../words/words.js";

const STEPS = ["clip", "check", "transcript", "consent", "extract"];

export class Steps {
  // onOpen(step): told of the step that is seen now. onNext: somebody wants to go on from it.
  constructor(element, { onOpen, onNext }) {
    this._element = element;
    this._onOpen = onOpen;
    this.step = STEPS[0];
    for (const name of STEPS) this._find(`step-${name}`).addEventListener("click", () => this.open(name));
    for (const button of element.querySelectorAll(".next")) button.addEventListener("click", onNext);
    for (const button of element.querySelectorAll(".back")) button.addEventListener("click", () => this.open(this._after(-1)));
    this.mark({});
  }

  // isAsked: somebody wants to go there, and the focus follows.
  open(step, isAsked = true) {
    this.step = step;
    this._element.dataset.step = step;
    for (const name of STEPS) {
      this._find(`panel-${name}`).hidden = name !== step;
      const button = this._find(`step-${name}`);
      if (name === step) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
    if (isAsked) this._find(`title-${step}`).focus({ preventScroll: true });
    if (isAsked) this._element.querySelector(".steps").scrollIntoView({ block: "nearest" });
    this._onOpen(step);
  }

  openNext() {
    this.open(this._after(1));
  }

  // done: by step, whether it has what it needs.
  mark(done) {
    for (const [index, step] of STEPS.entries()) {
      const button = this._find(`step-${step}`);
      const isDone = String(Boolean(done[step]));
      if (button.dataset.done === isDone) continue;
      button.dataset.done = isDone;
      button.querySelector(".number").replaceChildren(done[step] ? icon("check", 14) : String(index + 1));
      button.querySelector(".done").textContent = done[step] ? words("create.step_done") : "";
    }
  }

  _after(n) {
    return STEPS[STEPS.indexOf(this.step) + n];
  }

  _find(id) {
    return this._element.querySelector(`#${id}`);
  }
}
