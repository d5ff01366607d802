// Lanes without their names: in an order of chance, A, B, C, until somebody has said which is best, or wants to know. What is hidden is not on
// the page at all, for eyes, screen readers and scripts alike.

import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { LETTERS } from "./compare_row.js";

/** The numbers below n in an order of chance. draw(): from 0 to below 1. */
export function drawnOrder(n, draw = Math.random) {
  const order = Array.from({ length: n }, (_, at) => at);
  for (let at = n - 1; at > 0; at -= 1) {
    const other = Math.floor(draw() * (at + 1));
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}

/** What was chosen, once names are told. best: as `reveal` has it. */
export const chosenWords = (best, lanes) =>
  best < 0 ? words("pairs.no_difference") : words("compare.you_chose", { letter: LETTERS[best], name: lanes[best].name });

export class BlindNames {
  // find(id): an element of the section. acts: {hide(), reveal(best)}: best is the place of the chosen lane, -1 for no difference, null for none.
  constructor(find, acts) {
    this._check = find("blind");
    this._box = find("vote");
    this._acts = acts;
    this._check.addEventListener("change", () => (this._check.checked ? acts.hide() : acts.reveal(null)));
  }

  /** Whether names are hidden. */
  get isOn() {
    return this._check.checked;
  }

  set isOn(isOn) {
    this._check.checked = isOn;
  }

  /** n: lanes. canVote: all of them can be heard. */
  show({ n, canVote, isDisabled }) {
    this._check.disabled = isDisabled;
    this._box.hidden = !this.isOn;
    const key = this.isOn ? `${n} ${canVote}` : "";
    if (this._shown === key) return;
    this._shown = key;
    this._box.replaceChildren(...(this.isOn ? this._parts(n, canVote) : []));
  }

  _parts(n, canVote) {
    const best = Array.from({ length: n }, (_, at) => this._button(words("compare.is_best", { letter: LETTERS[at] }), at, !canVote));
    const none = this._button(words("compare.no_best"), -1, !canVote);
    const reveal = make("button", { type: "button", className: "link-button", textContent: words("compare.reveal") });
    reveal.addEventListener("click", () => this._acts.reveal(null));
    const note = make("p", { className: "note", textContent: words(canVote ? "compare.which_best" : "compare.blind_speak") });
    return [note, ...best, none, reveal];
  }

  _button(textContent, at, disabled) {
    const button = make("button", { type: "button", className: "button small", textContent, disabled });
    button.addEventListener("click", () => this._acts.reveal(at));
    return button;
  }
}
