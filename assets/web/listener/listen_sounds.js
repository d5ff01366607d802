// Sounds of trials: all of one trial are fetched and decoded before any of them can be heard, in random order, so that neither their
// order nor how long one takes tells anything; the next trial's come while one listens to this one's.

import { shuffled } from "./listen_tones.js";

const LONGEST_WAIT_SECONDS = 10;

export class TrialSounds {
  // server: a ListenServer. context: which decodes. wait(seconds). onTrouble(isLost): told when the line goes and comes back.
  constructor(server, context, { wait, onTrouble }) {
    this._server = server;
    this._context = context;
    this._wait = wait;
    this._onTrouble = onTrouble;
    this._trials = new Map();
  }

  // AudioBuffers by label, once all are there.
  of(trial) {
    if (!this._trials.has(trial.number)) this._trials.set(trial.number, this._fetch(trial));
    return this._trials.get(trial.number);
  }

  forget(trial) {
    this._trials.delete(trial.number);
  }

  async _fetch(trial) {
    /** @type {[string, AudioBuffer][]} */
    const pairs = await Promise.all(shuffled(trial.slots).map(async ({ label, sound }) => [label, await this._sound(sound)]));
    return new Map(pairs);
  }

  async _sound(name) {
    for (let pause = 1; ; pause = Math.min(LONGEST_WAIT_SECONDS, 2 * pause)) {
      try {
        const decoded = await this._context.decodeAudioData(await this._server.sound(name));
        this._onTrouble(false);
        return decoded;
      } catch (error) {
        if (error.isFinal) throw error;
        this._onTrouble(true);
        await this._wait(pause);
      }
    }
  }
}
