// The runs of this page, newest first. Tells "change" when one is added, and whenever more is known of one.

import { noteHeard } from "../sound/heard.js";
import { player } from "../sound/player.js";

const MOST_RUNS = 20;

class Runs extends EventTarget {
  constructor() {
    super();
    this.list = [];
    // Whatever is heard as it is spoken, as the demo voice is, which is no run of Speak.
    player.addEventListener("change", () => noteHeard(player.session?.facts?.kept, player.session?.firstSoundMilliseconds ?? null));
    for (const event of ["change", "received"]) player.addEventListener(event, () => this.list.length && this._tell());
  }

  get newest() {
    return this.list[0] ?? null;
  }

  /** run: {id, voice, engine, engineTitle, text, language, recording, options, print, start, facts, session, sentAt, openedAt}. The session fills in what is
   *  not known yet. start: of stages.js; "refused" of one that never began, which has neither facts nor a session. */
  add(run) {
    this.list = [run, ...this.list].slice(0, MOST_RUNS);
    this._tell();
  }

  _tell() {
    this.dispatchEvent(new Event("change"));
  }
}

export const runs = new Runs();
