// What there is to choose from for one member of a cast: voices, engines, languages and options, as the choice of Speak has them (choice.js), for
// another voice and engine.

import { choice } from "../choice/choice.js";

const asked = new Map(); // "engine voice" -> a promise of what is known
const MOST = 60;

/** What is known of a voice by an engine: as `choice_value` of studio/ui/speak/speaking.py tells it. null: the usual one. */
export function known(voice, engine) {
  const key = JSON.stringify([voice ?? null, engine ?? null]);
  if (!asked.has(key)) {
    if (asked.size >= MOST) asked.delete(asked.keys().next().value);
    const answer = choice.ask("show_choice", { voice: voice ?? null, engine: engine ?? null, seen: "", gone: "" }).catch(() => ({}));
    asked.set(
      key,
      answer.then((told) => {
        if (!told.engine) asked.delete(key); // asked again by the next one
        return told;
      }),
    );
  }
  return asked.get(key);
}

// Voices come and go, and engines get ready.
document.addEventListener("studio-choice", () => asked.clear());

/** Looks like `choice` to the pickers, and is of a member. */
export class MemberChoice {
  // onChange: what was chosen is known now.
  constructor({ voice, model, language }, onChange) {
    /** @type {any} */
    this.known = {};
    this.voice = voice ?? null;
    this.engine = model ?? null;
    this.language = language ?? "";
    this._onChange = onChange;
    this._turn = 0;
  }

  get voiceKnown() {
    return this.known.voices?.find(({ name }) => name === this.voice) ?? null;
  }

  /** What is left out stays as it is. A voice that another engine does not have is not kept: it would be refused. */
  async choose({ voice = this.voice, engine = this.engine }) {
    this._turn += 1;
    const turn = this._turn;
    this.voice = voice;
    this.engine = engine;
    const told = await known(voice, engine);
    if (turn !== this._turn || !told.engine) return;
    this.known = told;
    this.isGone = Boolean(voice) && told.voice !== voice;
    this._onChange();
  }
}
