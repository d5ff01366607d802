// The draft of Speak: text, what is recorded in its place, voice, engine, options and language, as a reload shows them again.

import { choice } from "../choice/choice.js";
import { speakOptions } from "../choice/options.js";
import { drafts } from "../kit/draft.js";

const PART = "speak";

export class SpeakDraft {
  // element: the composer's.
  constructor(element, composer) {
    this._composer = composer;
    this._field = element.querySelector("#text");
    this._isTyped = false; // before anything could be restored
    this._isRestored = false;
    const { voice, engine, owner } = drafts.unproven(PART);
    this.begun = { voice, engine, owner };
    this._field.addEventListener("input", () => {
      this._isTyped = true;
    });
    for (const name of ["input", "change", "click"]) element.addEventListener(name, () => this.keepSoon());
    document.addEventListener("studio-choice", () => choice.isChosen && this.keepSoon());
  }

  /** The studio has said whose drafts these are. */
  restore() {
    drafts.belongTo(choice.known.owner);
    const { engine, text, language = "", options = {}, isKept = true, said, saysDirections = false } = drafts.of(PART);
    this._composer.segments.saysDirections = saysDirections;
    if (text !== undefined && !this._isTyped) this._composer.text = text;
    if (engine === choice.known.engine) {
      speakOptions.write(options);
      choice.say(language);
    }
    speakOptions.isSeedKept = isKept;
    this._isRestored = true;
    this._composer.saying.restore(said);
  }

  /** Whether there is a text that somebody wrote. */
  get isAnything() {
    return this._composer.text !== this._field.defaultValue;
  }

  /** The text with which everybody begins; what was written is forgotten. */
  startOver() {
    drafts.forget(PART);
    this._composer.text = this._field.defaultValue;
    this._field.focus();
  }

  /** After whatever else the same press or letter does. */
  keepSoon() {
    if (this._isRestored) setTimeout(() => this._keep());
  }

  _keep() {
    const { voice, gone, engine } = choice.known;
    const { text, saying, segments } = this._composer;
    const [options, isKept] = [speakOptions.read(), speakOptions.isSeedKept];
    const { saysDirections } = segments;
    const { language } = choice;
    drafts.keep(PART, { voice: voice ?? gone, engine, text, language, options, isKept, said: saying.kept, saysDirections });
  }
}
