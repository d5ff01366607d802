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
    this._find("clean-before").addEventListener("click", () => this._choose(false));
    this._find("clean-after").addEventListener("click", () => this._choose(true));
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
    const isFirst = this._isOffered;
    this._isOffered = false;
    this.isClean = isClean;
    this._onChange();
    if (isFirst) this._find("clean-after").focus({ preventScroll: true }); // the button that had it is gone
  }

  _show(state) {
    this._find("clean-press").hidden = !this._isOffered;
    this._find("clean-choice").hidden = this._isOffered;
    this._find("clean-before").setAttribute("aria-pressed", String(!this.isClean));
    this._find("clean-after").setAttribute("aria-pressed", String(this.isClean));
    this._find("clean-hint").textContent = state || (this._isOffered ? "" : words("create.clean_hint"));
  }
}
