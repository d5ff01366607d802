// The dialog that has engines learn a voice: a row per engine, how it stands, and a button where it can learn.

import { showMore } from "../choice/engines_here.js";
import { chip } from "../drawings/states.js";
import { gettingButtons } from "../engines/engine_get.js";
import { make } from "../kit/frame.js";
import { redraw } from "../kit/library.js";
import { openDialog } from "../navigation/navigation.js";
import { errorWords, milliseconds, words } from "../words/words.js";
import { PLACE } from "./hearing.js";
import { stateWord } from "./voice_card.js";

const KNOWN = ["memory", "refining", "disk", "learning"]; // it knows the voice, or will

export class Teaching {
  // ask(name, values): the studio's answer, or {problem}. onLearned(): an engine knows more than before.
  constructor(dialog, { ask, onLearned }) {
    this._dialog = dialog;
    this._ask = ask;
    this._onLearned = onLearned;
    this._voice = null;
    this._list = dialog.querySelector("ul");
    this._title = dialog.querySelector("h3");
    this._said = new Map(); // by engine: how it went, here and now
    this._list.addEventListener("click", ({ target }) => this._press(target.closest("button")?.dataset.key));
  }

  open(voice) {
    this._said.clear();
    this._title.textContent = words("voices.teach_title", { name: voice.name });
    this.show(voice);
    openDialog(this._dialog);
    this._title.focus(); // a dialog begins at its first button, which may be its last
  }

  // The voice as it is by now; undefined where it is gone.
  show(voice) {
    if (!voice) return this._dialog.close();
    this._voice = voice;
    redraw(
      this._list,
      voice.engines.filter(({ engine, is_here: isHere }) => isHere || this._said.has(engine)).map((standing) => this._row(standing)),
      this._dialog.querySelector(".panel-end button"),
    );
    showMore(this._dialog.querySelector(".more-line"), voice.engines);
    return undefined;
  }

  // Of the voice that is taught, "" where the dialog is shut.
  get name() {
    return this._dialog.open ? this._voice.name : "";
  }

  async _press(engine) {
    if (!engine) return;
    const { name } = this._voice;
    this._tell(engine, "learning", words("voices.state_learning"));
    const { problem, milliseconds: took } = await this._ask("extract_voice", { voice: name, engine });
    if (this.name !== name) return this._onLearned();
    if (problem) this._tell(engine, "failed", words("voices.state_failed"), problem);
    else this._tell(engine, "memory", words("voices.taught", { time: milliseconds(took) }));
    return this._onLearned();
  }

  _tell(engine, state, word, problem = null) {
    this._said.set(engine, { state, word, problem });
    this.show(this._voice);
  }

  _row(standing) {
    const { engine, title, reason, can_learn: canLearn } = standing;
    const said = this._said.get(engine);
    const { state } = said ?? standing;
    const about = make(
      "div",
      {},
      make("span", { className: "strong", textContent: title }),
      chip(state, said?.word ?? stateWord(standing)),
    );
    const why = said?.problem ? Object.values(errorWords(said.problem)).join(" ") : reason;
    if (why) about.append(make("span", { className: "note", textContent: why }));
    const get = said?.problem ? gettingButtons(said.problem, engine, PLACE, () => this._dialog.close()) : [];
    const row = make("li", {}, about, ...get);
    if (get.length || !canLearn || KNOWN.includes(state)) return row;
    const button = make("button", { type: "button", className: "button small", textContent: words("voices.teach_button") });
    button.setAttribute("aria-label", words("voices.teach_engine", { engine: title }));
    Object.assign(button.dataset, { key: engine, act: "teach" });
    row.append(button);
    return row;
  }
}
