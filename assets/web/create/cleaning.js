// Cleaning in step two: at a press hum, hiss and music are taken out of the region; both are heard, and one of them is kept.

import { words } from "../words/words.js";

export class Cleaning {
  // element: with the markup of #cleaning. onChange(): told whenever the other version is chosen; isClean says which.
  constructor(element, { onChange }) {
    this._find = (id) => element.querySelector(`#${id}`);
    this._onChange = onChange;
    this.isClean = false;
    this._find("cleaning").hidden = false;
    this._find("clean-press").addEventListener("click", () => this._choose(true));
    for (const choice of this._choices) choice.addEventListener("change", () => this._choose(choice.value === "after"));
  }

  get _choices() {
    return this._find("clean-choice").querySelectorAll("input");
  }

  // Of another clip: as it is, or as it was kept with a draft.
  open(isClean = false) {
    this.isClean = isClean;
    this._isOffered = !isClean;
    this._show("");
  }

  // hasReport: whether the studio has answered of the region as it is chosen.
  showState(hasReport) {
    this._show(hasReport || !this.isClean ? "" : words("create.cleaning"));
  }

  _choose(isClean) {
    this._isOffered = false;
    this.isClean = isClean;
    if (document.activeElement === this._find("clean-press")) requestAnimationFrame(() => this._find("clean-choice").elements[1].focus());
    this._onChange();
  }

  _show(state) {
    this._find("clean-press").hidden = !this._isOffered;
    this._find("clean-choice").hidden = this._isOffered;
    for (const choice of this._choices) choice.checked = (choice.value === "after") === this.isClean;
    this._find("clean-hint").textContent = state || (this._isOffered ? "" : words("create.clean_hint"));
  }
}
