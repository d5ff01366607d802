// A candidate: what a voice may be, heard by a press, and kept as one. Its sound stays while it is on the page, so that candidates are compared
// without asking the engine again.

import { icon } from "../drawings/icons.js";
import { make } from "../kit/frame.js";
import { PlayButton } from "../sound/play_button.js";
import { player } from "../sound/player.js";
import { speech } from "../transport/gradio_transport.js";
import { words } from "../words/words.js";
import { requestOfDesign } from "./blend.js";

let n_candidates = 0;

export class Candidate {
  // asked: as requestOfDesign has it. about: {title, rate} of the engine. label: what it is called. told: what it is made of, a line.
  // line: {tell, complain}. onKeep(candidate); acts: further buttons.
  constructor(asked, { about, label, told, line, onKeep, acts = [] }) {
    this.label = label;
    this._about = about;
    this._line = line;
    this._told = make("p", { className: "note" });
    const hear = make("button", { type: "button", className: "play", title: words("design.hear", { candidate: label }) }, icon("play"));
    hear.setAttribute("aria-label", hear.title);
    this._keep = make("button", { type: "button", className: "button small primary", textContent: words("design.keep"), disabled: true });
    this._keep.setAttribute("aria-label", words("design.keep_this", { candidate: label }));
    this._keep.addEventListener("click", () => onKeep(this));
    const name = make("span", { className: "strong", textContent: label });
    const what = make("div", { className: "grow" }, name, this._told);
    this.element = make("li", { className: "candidate" }, hear, what, make("div", { className: "beside" }, ...acts, this._keep));
    this.become(asked, told);
    new PlayButton(hear, { key: () => this._key, start: () => this._hear() });
  }

  /** Another voice, which nobody has heard yet. */
  become(asked, told) {
    if (player.isSounding(this._key)) player.stop();
    n_candidates += 1;
    this.asked = asked;
    this._key = `candidate ${n_candidates}`;
    this._sound = null;
    this._told.textContent = told;
    this._keep.disabled = true;
  }

  // Inside of the click.
  async _hear() {
    const { asked } = this;
    const { engine, text } = asked;
    this._line.tell();
    player.unlock(this._about.rate);
    const controller = new AbortController();
    const cancel = () => controller.abort();
    const about = { voice: this.label, engine, engineTitle: this._about.title, text, print: "" };
    player.wait(this.label, cancel, { key: this._key, about });
    try {
      const stream = this._sound ?? (await speech(requestOfDesign(asked), controller.signal, null, { isKept: false }));
      if (controller.signal.aborted) return;
      const heard = player.play(stream, { cancel });
      const { session } = player;
      this._keep.disabled = this.asked !== asked;
      await heard;
      if (this.asked === asked && session.complete && !session.stopped)
        this._sound = { sampleRate: session.sampleRate, chunks: session.pieces };
    } catch (error) {
      if (controller.signal.aborted) return;
      player.fail();
      this._line.complain({ fact: error.message ?? error.fact, hint: error.hint });
    }
  }
}
