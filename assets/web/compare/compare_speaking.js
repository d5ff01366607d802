// Lanes are spoken, and timed again without being heard: those of several engines side by side, those of one engine one after the other, each
// timed from its own turn.

import { noteVoice } from "../choice/voice_picker.js";
import { transport } from "../transport/gradio_transport.js";
import { wantsRun } from "./compare_runs.js";

export class LaneSpeaking {
  // lead(): seconds from the arrival of a sound to the device. take(lane, samples): what came, null where there is another state.
  // changed(): something is otherwise.
  constructor({ lead, take, changed }) {
    this._lead = lead;
    this._take = take;
    this._changed = changed;
    this._controller = null;
    this.isTiming = false;
  }

  /** Whether something is spoken that is to be heard. */
  get isSpeaking() {
    return Boolean(this._controller) && !this.isTiming;
  }

  /** Resolves to whether it came to its end. Inside of a click. */
  speak(lanes, text) {
    for (const lane of lanes) Object.assign(lane, { state: "waiting" });
    return this._run(lanes, false, async (lane, how) => {
      await lane.speak(text, how, (samples) => this._take(lane, samples));
      if (lane.isHeard) noteVoice(lane.voice);
    });
  }

  /** Those once more that tell nothing about how much their figures vary. */
  async timeAsNeeded(lanes) {
    if (transport === "gradio") return; // a GPU is lent by the call, and nobody asked for these
    for (let left = lanes; left.length; ) {
      left = left.filter(({ isHeard, runs }) => isHeard && wantsRun(runs));
      if (left.length && !(await this.time(left))) return;
    }
  }

  /** Each once more. Resolves to whether it came to its end. */
  time(lanes) {
    return this._run(lanes, true, (lane, how) => lane.timeAgain(how));
  }

  /** Nothing is spoken any more. */
  halt() {
    this._controller?.abort();
    this._controller = null;
    this.isTiming = false;
  }

  async _run(lanes, isTiming, act) {
    this.halt();
    const controller = new AbortController();
    Object.assign(this, { _controller: controller, isTiming });
    this._changed();
    const how = { signal: controller.signal, leadSeconds: this._lead() };
    const turns = Map.groupBy(lanes, ({ engine }) => engine);
    await Promise.all([...turns.values()].map((turn) => inTurn(turn, how, act)));
    if (this._controller !== controller) return false;
    Object.assign(this, { _controller: null, isTiming: false });
    this._changed();
    return true;
  }
}

async function inTurn(lanes, how, act) {
  for (const lane of lanes) {
    if (how.signal.aborted) return;
    await act(lane, how);
  }
}
