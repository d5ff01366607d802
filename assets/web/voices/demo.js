// The first press in an empty studio: the demo voice is made, learned and heard, with nothing to choose before. No other screen is needed.

import { choice } from "../choice/choice.js";
import { printOf } from "../drawings/voiceprint.js";
import { player } from "../sound/player.js";
import { speech } from "../transport/gradio_transport.js";
import { number, words } from "../words/words.js";

const TICK_MILLISECONDS = 100;
// Around the demo voice's print on the empty screen: of nobody, and unlike each other.
const PRINTS = ["08c4a1e05b3f9027d6b1", "05d2114a8e9c60f73b2a", "02b7f8137ac95e0d4416", "073e62cc91047fd85be9"];
const LEAD_PIXELS = 96;
const PRINT_PIXELS = 56;

/** Draws the demo voice's print in a row of others. */
export function showPrints(row, print) {
  if (row.dataset.print === print) return;
  row.dataset.print = print;
  const prints = PRINTS.map((digest) => printOf(digest, PRINT_PIXELS));
  const lead = printOf(print, LEAD_PIXELS);
  lead.classList.add("lead");
  prints.splice(PRINTS.length / 2, 0, lead);
  row.replaceChildren(...prints);
}

export class DemoPress {
  // make(): asks the studio for the demo voice, {voice, engine, title, text, language}, or {problem}. onPress(): before anything else.
  // onSound(voice): it begins to be heard. onProblem(problem): it does not, or not to its end.
  constructor(button, told) {
    this._button = button;
    this._words = button.lastElementChild;
    this._told = told;
    this._known = {};
    this.isUnderWay = false; // from the press until the first sound
    button.addEventListener("click", (event) => this._press(event.timeStamp));
  }

  // known: {print, sample_rate}, of the voice and of how it will sound, so that the press can prepare for it.
  prepare(known) {
    this._known = known;
  }

  async _press(pressedAt) {
    if (this.isUnderWay) return;
    this.isUnderWay = true;
    this._told.onPress();
    player.unlock(this._known.sample_rate); // inside of the click
    const controller = new AbortController();
    const hangUp = () => controller.abort();
    player.wait(words("voices.demo"), hangUp, { about: { voice: words("voices.demo"), print: this._known.print } });
    const ticking = setInterval(() => this._show(pressedAt), TICK_MILLISECONDS);
    this._show(pressedAt);
    try {
      const opened = await this._opened(controller.signal);
      if (opened) await this._hear(opened, pressedAt, hangUp);
    } catch (error) {
      player.fail();
      if (!controller.signal.aborted) this._told.onProblem(error);
    } finally {
      clearInterval(ticking);
      this._over();
    }
  }

  // The voice, and its speech from the first piece of sound on; null where somebody thought better of it.
  async _opened(signal) {
    const { problem, voice, engine, title, text, language } = await this._told.make();
    if (problem) throw problem;
    if (signal.aborted) return null;
    choice.choose({ voice, engine }); // Speak goes on with what is heard, whoever looks there before it sounds
    const stream = await speech({ input: text, voice, model: engine, language }, signal);
    const about = { voice, engine, engineTitle: title, text, language, print: this._known.print };
    return signal.aborted ? null : { stream, voice, about };
  }

  async _hear({ stream, voice, about }, startedAt, cancel) {
    const heard = player.play(stream, { label: words("voices.demo"), about, startedAt, cancel });
    this._over();
    this._told.onSound(voice);
    await heard;
  }

  _over() {
    this.isUnderWay = false;
    this._button.removeAttribute("aria-busy");
    this._words.textContent = words("voices.hear_demo");
  }

  _show(pressedAt) {
    if (!this.isUnderWay) return;
    this._button.setAttribute("aria-busy", "true");
    this._words.textContent = words("voices.learning_demo", { n: number((performance.now() - pressedAt) / 1000, 1, 1) });
  }
}
