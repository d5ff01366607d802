// TrialPlayer: plays the sounds of one trial, one at a time, and knows what was heard.

import { SwitchedSounds } from "../sound/switched_sounds.js";
import { Heard } from "./listen_heard.js";

const TICK_MILLISECONDS = 60;

export class TrialPlayer {
  // buffers: AudioBuffers by label. keepsPlace: another sound goes on where the last one was; else each begins at its beginning.
  // isWhole: each has to be heard to its end. onTick: told when something else plays, and again and again while it does.
  constructor(context, buffers, { keepsPlace, isWhole, onTick }) {
    this._context = context;
    this._keepsPlace = keepsPlace;
    this._onTick = onTick;
    this._timer = 0;
    this._part = null;
    this._paused = null;
    this._last = null;
    this._sounds = new SwitchedSounds(context);
    for (const [label, buffer] of buffers) this._sounds.load(label, buffer);
    const { leastHeardShare: share, leastHeardSeconds: seconds } = document.body.dataset;
    const lengths = Object.fromEntries([...buffers].map(([label, buffer]) => [label, buffer.duration]));
    this._heard = new Heard(lengths, { share: Number(share), seconds: Number(seconds), isWhole });
    this._sounds.onchange = () => this._changed();
  }

  get playing() {
    return this._sounds.playing;
  }

  get position() {
    return this._sounds.position;
  }

  get plays() {
    return this._heard.plays;
  }

  get heardSeconds() {
    return this._heard.seconds(this._context.currentTime);
  }

  // Labels not heard enough to be judged.
  get missing() {
    return this._heard.missing(this._context.currentTime);
  }

  // What was asked for last, also once it has ended; null before.
  get last() {
    return this._last;
  }

  // Whether there is something to pause, or to go on with.
  get isUnderWay() {
    return this.playing !== null || this._paused !== null;
  }

  // A press on a sound: it plays, or pauses where it plays, or goes on where it was paused.
  press(label) {
    if (label === this.playing) this.pause();
    else if (label === this._paused) this._go(label, false);
    else this._go(label, true);
  }

  // Space: pauses whatever plays, and goes on with it.
  toggle() {
    if (this.playing !== null) this.pause();
    else if (this._paused !== null) this._go(this._paused, false);
  }

  pause() {
    if (this.playing === null) return;
    this._paused = this.playing;
    this._sounds.pause();
  }

  // "" nothing repeats, "from" a beginning is set, "part" a part repeats; each press goes one on.
  get repeating() {
    if (!this._part) return "";
    return this._part.to === null ? "from" : "part";
  }

  get part() {
    return this._part;
  }

  repeatMore() {
    const at = this.position;
    if (this.repeating === "") this._part = { from: at, to: null };
    else if (this.repeating === "from" && Math.abs(at - this._part.from) > 0.02)
      this._repeat(...[this._part.from, at].sort((a, b) => a - b));
    else this._repeat(null);
    this._onTick();
  }

  close() {
    clearInterval(this._timer);
    this._sounds.onchange = () => {};
    this._heard.begin(null, this._context.currentTime);
    this._sounds.stop();
  }

  _repeat(from, to = null) {
    this._part = from === null ? null : { from, to };
    this._isSame = true;
    this._sounds.repeat(from, to ?? undefined);
    this._isSame = false;
  }

  _go(label, isAnother) {
    this._isSame = !isAnother;
    this._paused = null;
    this._last = label;
    if (isAnother && !this._keepsPlace) this._sounds.play(label);
    else this._sounds.switchTo(label);
    this._isSame = false;
  }

  _changed() {
    const place = { share: this.position, part: this.repeating === "part" ? this._part : null };
    this._heard.begin(this.playing, this._context.currentTime, !this._isSame, place);
    clearInterval(this._timer);
    if (this.playing !== null) this._timer = setInterval(() => this._onTick(), TICK_MILLISECONDS);
    this._onTick();
  }
}
