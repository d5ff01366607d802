// What is heard of the takes of a line: one at a time, and another one goes on at the same place.

import { player } from "../sound/player.js";
import { SwitchedSounds } from "../sound/switched_sounds.js";
import { askServer } from "../transport/speech_transport.js";

const SOUNDING = ["waiting", "playing"];

export class TakeSounds {
  // onChange: another take, or none, is heard.
  constructor(onChange) {
    this._onChange = onChange;
    this._context = null; // until the first press: browsers let sound begin only there
    this._sounds = null;
    this._coming = new Map(); // take id -> a promise of its sound
    this._wanted = "";
    player.addEventListener("change", () => SOUNDING.includes(player.state) && this.pause()); // one thing sounds at a time
    document.addEventListener("studio-recording", ({ detail }) => detail && this.pause());
  }

  /** Id of the take that sounds; null for none. */
  get playing() {
    return this._sounds?.playing ?? null;
  }

  /** Id of the take that is heard, or comes. */
  get wanted() {
    return this.playing ?? this._wanted;
  }

  /** A share of the length. */
  get position() {
    return this._sounds?.position ?? 0;
  }

  /** Inside of a click or press: this take from where another one is; it is paused where it is the one that sounds. */
  async toggle(id, address) {
    if (this.playing === id) return this.pause();
    this._unlock();
    player.stop();
    this._wanted = id;
    this._onChange();
    try {
      await this._load(id, address);
    } finally {
      if (this._wanted === id) this._wanted = "";
    }
    if (SOUNDING.includes(player.state)) return this._onChange();
    return this._sounds.switchTo(id);
  }

  pause() {
    this._wanted = "";
    this._sounds?.pause();
    this._onChange();
  }

  /** Another line: from the beginning. */
  clear() {
    this._coming.clear();
    this._wanted = "";
    this._sounds?.stop();
  }

  seek(share) {
    this._sounds?.seek(share);
  }

  /** A take is gone. */
  drop(id) {
    this._coming.delete(id);
    if (this.playing === id) this._sounds.stop();
  }

  _unlock() {
    this._context ??= new AudioContext({ latencyHint: "interactive" });
    if (this._context.state === "suspended") this._context.resume();
    if (this._sounds) return;
    this._sounds = new SwitchedSounds(this._context);
    this._sounds.onchange = () => this._onChange();
  }

  async _load(id, address) {
    if (!this._coming.has(id)) this._coming.set(id, this._fetch(id, address));
    try {
      await this._coming.get(id);
    } catch (error) {
      this._coming.delete(id);
      throw error;
    }
  }

  async _fetch(id, address) {
    const response = await askServer(address);
    this._sounds.load(id, await this._context.decodeAudioData(await response.arrayBuffer()));
  }
}
