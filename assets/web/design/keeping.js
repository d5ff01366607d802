// Keeping a candidate: its name is asked for, the engine says it once more by the same request, and it is a voice.

import { NameCheck } from "../create/voice_name.js";
import { fill } from "../kit/notices.js";
import { openDialog } from "../navigation/navigation.js";
import { words } from "../words/words.js";

export class Keeping {
  // dialog: of design.html. ask(name, values): the studio's answer. onKept({voice}).
  constructor(dialog, { ask, onKept }) {
    this._dialog = dialog;
    this._ask = ask;
    this._onKept = onKept;
    this._candidate = null;
    this._form = dialog.querySelector("form");
    this._notice = dialog.querySelector(".notice");
    this._yes = dialog.querySelector("[value='yes']");
    this._name = new NameCheck({ field: this._form.elements.name, line: dialog.querySelector(".name-clash"), ask, but: () => "" });
    this._form.addEventListener("submit", (event) => this._submit(event));
    dialog.querySelector("[data-act='cancel']").addEventListener("click", () => dialog.close());
  }

  /** most: bytes of a name. */
  limit(most) {
    this._form.elements.name.maxLength = most;
  }

  /** about: what becomes of it, in words. */
  open(candidate, about) {
    this._candidate = candidate;
    this._form.reset();
    this._name.forget();
    fill(this._notice, {});
    this._dialog.querySelector(".about").textContent = about;
    openDialog(this._dialog);
    this._form.elements.name.focus();
  }

  async _submit(event) {
    event.preventDefault();
    if (this._yes.getAttribute("aria-busy")) return;
    const candidate = this._candidate;
    const asked = { ...candidate.asked, name: this._form.elements.name.value.trim(), replace: this._name.replaces };
    this._setBusy(true);
    const made = await this._ask("keep_design", asked);
    this._setBusy(false);
    if (made.problem) return fill(this._notice, { ...made.problem, kind: "problem" });
    this._dialog.close();
    this._onKept(made);
  }

  _setBusy(isBusy) {
    this._yes.textContent = words(isBusy ? "design.keeping" : "design.keep_voice");
    if (isBusy) this._yes.setAttribute("aria-busy", "true");
    else this._yes.removeAttribute("aria-busy");
  }
}
