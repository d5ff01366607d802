// The cover of a script: a picture that is chosen, shown and taken away. It is the script's own, and goes into files that hold one.

import { make } from "../kit/frame.js";
import { pressing } from "../script_sheets/sheet.js";
import { askServer } from "../transport/speech_transport.js";
import { words } from "../words/words.js";

export class CoverField {
  // complain(problem): hears why a picture was not taken.
  constructor(state, complain) {
    this._state = state;
    this._complain = complain;
    this._hasCover = state.script.has_cover;
    this._image = make("img", { className: "cover", alt: words("scripts.export_cover_alt") });
    this._file = make("input", { type: "file", id: "script-cover", accept: "image/png,image/jpeg", className: "visually-hidden" });
    this._said = make("span");
    this._choose = make("label", { className: "button small", htmlFor: this._file.id }, this._said, this._file);
    this._drop = pressing(words("scripts.export_cover_remove"), () => this._send("DELETE"), "quiet small");
    this._file.addEventListener("change", (event) => {
      event.stopPropagation();
      if (this._file.files.length) this._send("PUT", this._file.files[0]);
    });
    const acts = make("div", { className: "beside wraps" }, this._choose, this._drop);
    const name = make("span", { className: "name", textContent: words("scripts.export_cover") });
    this.element = make("div", { className: "field cover-field" }, name, make("div", { className: "beside" }, this._image, acts));
    this._show();
  }

  _show() {
    this._said.textContent = words(this._hasCover ? "scripts.export_cover_replace" : "scripts.export_cover_choose");
    this._image.hidden = this._drop.hidden = !this._hasCover;
    if (this._hasCover) this._image.src = `${this._state.address("/cover")}?at=${Date.now()}`; // never the picture of before
  }

  async _send(method, body) {
    try {
      await askServer(this._state.address("/cover"), { method, body, headers: body ? { "Content-Type": body.type } : {} });
      this._hasCover = method === "PUT";
      this._show();
    } catch (error) {
      this._complain(error);
    }
    this._file.value = "";
  }
}
