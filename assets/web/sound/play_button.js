// A round button that plays something, and pauses it while that is what the page's one player sounds.

import { icon } from "../drawings/icons.js";
import { words } from "../words/words.js";
import { player } from "./player.js";

const ICON_PIXELS = 16;

export class PlayButton {
  // key(): what the button plays now, another one for another sound. start: begins it, inside of the click.
  constructor(button, { key, start }) {
    this._button = button;
    this._key = key;
    this._start = start;
    this._label = button.title;
    button.addEventListener("click", () => this.press());
    player.addEventListener("change", () => this.show());
  }

  press() {
    player.togglePlay(this._key(), this._start);
  }

  show() {
    const isSounding = player.isSounding(this._key());
    if (this._button.dataset.state === String(isSounding)) return;
    this._button.dataset.state = String(isSounding);
    this._button.querySelector("svg").replaceWith(icon(isSounding ? "pause" : "play", ICON_PIXELS));
    this._button.title = isSounding ? words("player.pause") : this._label;
    this._button.setAttribute("aria-label", this._button.title);
  }
}
