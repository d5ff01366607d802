// A voice that other tools made: a .safetensors file, taken wherever a recording or an exported voice is. The studio says what it is; a dialog
// asks for its name and for the permission; then it is a voice as any other.

import { make } from "../kit/frame.js";
import { agreed, voiceFacts } from "../kit/library.js";
import { strip } from "../kit/notices.js";
import { clipSound } from "../sound/clip_sound.js";
import { bytes, words } from "../words/words.js";
import { NameCheck } from "./voice_name.js";

const IS_TENSOR = /\.(safetensors|pt|pth)$/i; // pickles too: the studio says how they are converted
const ENDING = /\.[^.]*$/;

/** What a field for such files takes beside what it takes already. */
export const TENSOR_KINDS = ".safetensors";

/** Whether a file is one that no recorder plays. */
export const isTensor = ({ name }) => IS_TENSOR.test(name);

export class Adopting {
  // dialog: of adopting.html. ask(name, values): the studio's answer. line: {tell, complain} of where the file was chosen.
  // onMade({voice}): it is stored.
  constructor(dialog, { ask, line, onMade }) {
    this._dialog = dialog;
    this._ask = ask;
    this._line = line;
    this._onMade = onMade;
    this._turn = Promise.resolve();
    this._form = dialog.querySelector("form").elements;
    this._states = dialog.querySelector(`#${dialog.id}-states`);
    this._name = new NameCheck({ field: this._form.name, line: dialog.querySelector(`#${dialog.id}-clash`), ask, but: () => "" });
    this._form.reason.addEventListener("change", () => this._showStatement());
    dialog.querySelector("[data-act='cancel']").addEventListener("click", () => dialog.close());
  }

  /** Of the studio. limits: {tensor_bytes, name_characters, who_characters}; reasons: why a voice may be cloned. */
  prepare({ limits, reasons }) {
    this._most = limits.tensor_bytes;
    this._form.name.maxLength = limits.name_characters;
    this._form.who.maxLength = limits.who_characters;
    this._reasons = reasons;
  }

  // One file after the other: there is one dialog, and what is said in it is said of one file.
  take(file) {
    this._turn = this._turn.then(() => this._take(file)).catch(reportError);
  }

  async _take(file) {
    if (!file.size) return this._line.complain({ code: "tensor_file_damaged", values: {} });
    if (file.size > this._most) return this._line.complain({ code: "tensor_file_too_large", values: { most_bytes: this._most } });
    this._line.tell({ fact: words("voices.reading", { name: file.name }) });
    const sent = await clipSound.sent(file);
    const seen = await this._ask("look_at_tensor", { sent });
    if (seen.problem) return this._line.complain(seen.problem);
    this._line.tell();
    const said = await this._said(file, seen);
    const made = said && (await this._ask("adopt_tensor", { sent, ...said }));
    if (!made) return undefined;
    if (made.problem) return this._line.complain(made.problem);
    strip({ text: words("voices.done_import", { name: made.voice }) });
    return this._onMade(made);
  }

  // {name, reason, who, replace}, or null.
  async _said(file, { form, frames, engines }) {
    const dialog = this._dialog;
    dialog.querySelector("form").reset();
    this._name.forget();
    const facts = { file: `${file.name}, ${bytes(file.size)}`, form: words("voices.form_figures", { form, n: frames }) };
    dialog.querySelector("dl").replaceChildren(...voiceFacts({ ...facts, engines: engines.join(", ") }));
    this._showReasons();
    this._form.name.value = file.name.replace(ENDING, "");
    this._name.look();
    this._showStatement();
    const agreement = await agreed(dialog);
    return agreement && { ...Object.fromEntries(new FormData(agreement)), replace: this._name.replaces };
  }

  _showReasons() {
    const choose = make("option", { value: "", textContent: words("voices.choose_reason") });
    const reasons = this._reasons.map((value) => make("option", { value, textContent: words(`create.reason_${value}`) }));
    this._form.reason.replaceChildren(choose, ...reasons);
  }

  _showStatement() {
    const { value } = this._form.reason;
    this._states.textContent = value ? words(`create.states_${value}`) : "";
  }
}
