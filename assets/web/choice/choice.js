// The choice of Speak: voice, engine and language, and what Python knows about it (`choice_value` of studio/ui/speak/speaking.py). Whoever shows any
// of it listens for "studio-choice" on the document.

import { doubtConnection } from "../transport/connection.js";

const REST_MILLISECONDS = 1000; // before what was not answered is asked again

class Choice {
  constructor() {
    this.known = {}; // {} until the first answer
    this.language = ""; // a code of the engine, "" where it decides
    this._server = null;
    this._turn = 0; // answers to what is no longer asked are thrown away
    this.settled = Promise.resolve(); // what was chosen last is known
    this._asked = null; // {voice, engine} while an answer is under way
    this.isChosen = false; // by somebody; else it is what everybody begins with
  }

  get voice() {
    return (this._asked ?? this.known).voice ?? null;
  }

  get engine() {
    return (this._asked ?? this.known).engine ?? null;
  }

  get isSettled() {
    return Boolean(this.known.engine) && !this._asked;
  }

  // The chosen voice and engine, as the lists have them.
  get voiceKnown() {
    return this.known.voices?.find(({ name }) => name === this.known.voice) ?? null;
  }

  get engineKnown() {
    return this.known.engines?.find(({ id }) => id === this.known.engine) ?? null;
  }

  // server: the composer's functions. draft: {voice, engine, owner} of this browser.
  open(server, draft) {
    this._server = server;
    if (!this.known.engine) this._ask({ voice: draft.voice, engine: draft.engine }, { owner: draft.owner ?? "" });
  }

  // What is left out stays as it is. Resolves once it is known.
  choose({ voice = this.voice, engine = this.engine }) {
    this.isChosen = true;
    return this._ask({ voice, engine });
  }

  /** Another of the composer's functions. */
  ask(name, asked) {
    return this._server[name](asked);
  }

  say(language) {
    this.isChosen = true;
    this.language = language;
    this._tell();
  }

  // What to ask whether anything is otherwise by now, by another window or a program; null while nothing is settled. take: its answer.
  asking() {
    if (!this.isSettled || !this._server) return null;
    this._turn += 1;
    const turn = this._turn;
    const { voice, engine, seen, gone } = this.known;
    return { asked: { voice, engine, seen, gone }, take: (answer) => turn === this._turn && !answer.problem && this._take(answer) };
  }

  // Asks that at once. The next tick of the page does where it fails.
  async look() {
    const asking = this.asking();
    const answer = asking && (await this._server.show_choice(asking.asked).catch(() => null));
    if (answer) asking.take(answer);
  }

  _ask(wanted, more = {}) {
    this._turn += 1;
    const turn = this._turn;
    const { seen, gone } = this.known;
    const known = seen === undefined ? more : { seen, gone };
    this.settled = this._answer({ ...wanted, ...known }, turn);
    this._asked = wanted;
    this._tell();
    return this.settled;
  }

  async _answer(asked, turn) {
    for (;;) {
      const answer = await this._server.show_choice(asked).catch(() => null);
      if (turn !== this._turn) return this.settled;
      if (answer && !answer.problem) return this._take(answer);
      await doubtConnection();
      await new Promise((resolve) => setTimeout(resolve, REST_MILLISECONDS));
    }
  }

  _take(answer) {
    this._asked = null;
    const isNew = "engine" in answer;
    this.known = isNew ? answer : { ...this.known, ...answer };
    if (isNew && !answer.languages.includes(this.language)) this.language = "";
    if (isNew) this._tell();
  }

  _tell() {
    document.dispatchEvent(new Event("studio-choice"));
  }
}

export const choice = new Choice();
