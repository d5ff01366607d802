// What is heard in Compare: one lane at a time, switched at the same place, as loud as the others, from a part that repeats.

import { leastLead } from "../sound/audible.js";
import { player } from "../sound/player.js";
import { SwitchedSounds } from "../sound/switched_sounds.js";
import { gainsOf } from "./compare_figures.js";

const FULL_SCALE = 32768;
const SOUNDING = ["waiting", "playing"];

export class LanePlayer {
  // onChange: told whenever another lane, or none, is heard.
  constructor(onChange) {
    this._onChange = onChange;
    this._context = null;
    this._sounds = null; // until the first press: browsers let sound begin only there
    this._loaded = new Map(); // lane id -> the pieces that its sound was made from
    this._part = null; // {from, to}, shares of the length, while a part repeats
    this.isLevelled = true;
    this.last = null; // id of the lane that is heard, or was
    player.addEventListener("change", () => SOUNDING.includes(player.state) && this.pause()); // one thing sounds at a time
    document.addEventListener("studio-recording", ({ detail }) => detail && this.pause());
  }

  /** Inside of a click. */
  unlock() {
    this._context ??= new AudioContext({ latencyHint: "interactive" });
    if (this._context.state === "suspended") this._context.resume();
    if (this._sounds) return;
    this._sounds = new SwitchedSounds(this._context);
    this._sounds.onchange = () => this._changed();
    if (this._part) this._sounds.repeat(this._part.from, this._part.to);
  }

  /** From the arrival of a sound to the device, once it is unlocked. */
  get leadSeconds() {
    return leastLead(this._context);
  }

  /** The id of the lane that sounds; null for none. */
  get playing() {
    return this._sounds?.playing ?? null;
  }

  /** A share of the length of the lane that is heard, or was. */
  get position() {
    return this._sounds?.position ?? 0;
  }

  /** The loudness at which the lane is played, a factor. */
  gainOf(lane, lanes) {
    return this.isLevelled ? gainsOf(lanes.map(({ lufs }) => lufs))[lanes.indexOf(lane)] : 1;
  }

  /** Whichever lane is heard: goes on, or goes over to this one, at the same place. lanes: all that can be heard. */
  hear(lane, lanes) {
    this._load(lanes);
    player.stop();
    this.last = lane.id;
    this._sounds.switchTo(lane.id);
  }

  pause() {
    this._sounds?.pause();
  }

  /** Back to the beginning, silent. */
  stop() {
    this._sounds?.stop();
  }

  /** To a share of the length of a lane, which is the one that is heard next. */
  seek(lane, lanes, share) {
    this._load(lanes);
    this.last = lane.id;
    if (this.playing && this.playing !== lane.id) this._sounds.switchTo(lane.id);
    this._sounds.seek(share);
  }

  /** part: {from, to}, shares of the length; null for all of it. */
  repeat(part) {
    this._part = part;
    if (part) this._sounds?.repeat(part.from, part.to);
    else this._sounds?.repeat(null);
  }

  /** Whether lanes are as loud as each other, from now on. */
  level(isLevelled, lanes) {
    this.isLevelled = isLevelled;
    for (const lane of lanes) if (this._loaded.has(lane.id)) this._sounds.setGain(lane.id, this.gainOf(lane, lanes));
  }

  _load(lanes) {
    this.unlock();
    for (const lane of lanes) {
      const isNew = this._loaded.get(lane.id) !== lane.pieces;
      if (isNew) this._sounds.load(lane.id, this._bufferOf(lane));
      this._loaded.set(lane.id, lane.pieces);
      this._sounds.setGain(lane.id, this.gainOf(lane, lanes));
    }
  }

  _bufferOf({ pieces, samples, sampleRate }) {
    const buffer = this._context.createBuffer(1, samples, sampleRate);
    const channel = buffer.getChannelData(0);
    let at = 0;
    for (const piece of pieces) {
      for (const word of piece) {
        channel[at] = word / FULL_SCALE;
        at += 1;
      }
    }
    return buffer;
  }

  _changed() {
    if (this.playing) this.last = this.playing;
    this._onChange();
  }
}
