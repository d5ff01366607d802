// SwitchedSounds: sounds of one context, of which one is heard, and which change places at the same share of their lengths.

export const FADE_SECONDS = 0.005;
const LEAD_SECONDS = 0.002; // beyond the device's buffer, by which the context's clock leaps

/** Where a sound of so many seconds is, as a share, some time after it was at `share`. part: { from, to } that repeats, or null. */
export function shareAfter(share, elapsed, seconds, part = null) {
  const at = share + elapsed / seconds;
  if (!part) return Math.min(1, at);
  return at < part.to ? at : part.from + ((at - part.from) % (part.to - part.from));
}

/** Where one that is to be heard next begins: at the same share, within what repeats, and at the beginning behind the end. */
export function landingShare(share, part = null) {
  const { from, to } = part ?? { from: 0, to: 1 };
  return share >= from && share < to ? share : from;
}

/** A copy of samples that begins and ends in silence, so that its end may meet its beginning. n: samples of each fade. */
export function withFades(samples, n) {
  const faded = samples.slice();
  const most = Math.min(n, Math.floor(samples.length / 2));
  for (let index = 0; index < most; index += 1) {
    faded[index] *= index / most;
    faded[samples.length - 1 - index] *= index / most;
  }
  return faded;
}

export class SwitchedSounds {
  // context: an AudioContext, which stays its owner's. onchange: told whenever another sound, or none, is playing.
  constructor(context) {
    this._context = context;
    this._sounds = new Map();
    this._voice = null;
    this._part = null;
    this._share = 0;
    this._last = null;
    this.onchange = () => {};
  }

  // gain: a factor, as for the same loudness. What has the name already is replaced; while it plays, from its next start on.
  load(name, buffer, gain = 1) {
    this._sounds.set(name, { buffer, gain });
  }

  // Its loudness from now on, also while it plays.
  setGain(name, gain) {
    this._sounds.get(name).gain = gain;
    if (this._voice?.name === name) this._voice.level.gain.setTargetAtTime(gain, this._context.currentTime, FADE_SECONDS);
  }

  has(name) {
    return this._sounds.has(name);
  }

  // The name of what is heard; null while nothing is, as in a pause.
  get playing() {
    return this._voice?.name ?? null;
  }

  // How far it has played, as a share of its length, also in a pause.
  get position() {
    return this._voice ? this._shareAt(this._context.currentTime) : this._share;
  }

  // Of what is playing or was last, 0 before.
  get seconds() {
    return this._sounds.get(this._voice?.name ?? this._last)?.buffer.duration ?? 0;
  }

  // From its beginning, or from that of the part that repeats.
  play(name) {
    this._begin(name, () => this._part?.from ?? 0);
  }

  // Where the one that plays is, or in a pause was; so it also goes on with the same one.
  switchTo(name) {
    if (name !== this.playing) this._begin(name, (when) => landingShare(this._voice ? this._shareAt(when) : this._share, this._part));
  }

  // To a share of the length.
  seek(share) {
    this._share = landingShare(share, this._part);
    if (this._voice) this._begin(this._voice.name, () => this._share);
    else this.onchange();
  }

  pause() {
    if (!this._voice) return;
    this._share = this._shareAt(this._context.currentTime);
    this._end(this._context.currentTime);
    this.onchange();
  }

  stop() {
    this._end(this._context.currentTime);
    this._share = this._part?.from ?? 0;
    this.onchange();
  }

  // Shares of the length that repeat, `repeat(0, 1)` for the whole; `repeat(null)` for nothing any more.
  repeat(from, to = 1) {
    const share = this.position;
    const name = this.playing;
    this._part = from === null ? null : { from, to };
    if (name !== null) this._begin(name, () => landingShare(share, this._part));
  }

  _shareAt(time) {
    const { began, share, seconds, part } = this._voice;
    return shareAfter(share, Math.max(0, time - began), seconds, part);
  }

  // shareAt(when): where to begin at that time of the context, on which the old one ends and the new one begins.
  _begin(name, shareAt) {
    const context = this._context;
    const { buffer, gain } = this._sounds.get(name);
    if (context.state !== "running") context.resume();
    const when = context.currentTime + (context.baseLatency || 0) + LEAD_SECONDS;
    const share = shareAt(when);
    this._end(when);
    const part = this._part;
    const source = context.createBufferSource();
    const level = context.createGain();
    source.buffer = part ? this._repeated(buffer, part) : buffer;
    source.loop = Boolean(part);
    level.gain.setValueAtTime(0, when);
    level.gain.linearRampToValueAtTime(gain, when + FADE_SECONDS);
    source.connect(level).connect(context.destination);
    source.onended = () => this._ended(source);
    source.start(when, (share - (part?.from ?? 0)) * buffer.duration);
    this._voice = { name, source, level, began: when, share, seconds: buffer.duration, part };
    this._last = name;
    this.onchange();
  }

  // Fades out what plays, from a time of the context on.
  _end(when) {
    if (!this._voice) return;
    const { name, source, level } = this._voice;
    this._voice = null;
    level.gain.cancelScheduledValues(when);
    level.gain.setValueAtTime(this._sounds.get(name).gain, when);
    level.gain.linearRampToValueAtTime(0, when + FADE_SECONDS);
    source.stop(when + FADE_SECONDS);
  }

  _ended(source) {
    if (this._voice?.source !== source) return; // another one, or a pause, has ended it
    this._voice = null;
    this._share = 0;
    this.onchange();
  }

  // The part alone, as a buffer of its own that loops without a click.
  _repeated(buffer, { from, to }) {
    const [first, end] = [from, to].map((share) => Math.round(share * buffer.length));
    const length = Math.max(1, end - first);
    const part = this._context.createBuffer(buffer.numberOfChannels, length, buffer.sampleRate);
    for (let channel = 0; channel < buffer.numberOfChannels; channel += 1) {
      const samples = buffer.getChannelData(channel).subarray(first, first + length);
      part.copyToChannel(withFades(samples, FADE_SECONDS * buffer.sampleRate), channel);
    }
    return part;
  }
}
