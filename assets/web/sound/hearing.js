// How a session comes to be heard: its samples become sources on the audio clock, without a gap. LiveHearing is the first time, while they
// arrive; Rehearing is from any place on, at any speed, of what is there by then.

import { firstAudible, MOST_LEAD_SECONDS } from "./audible.js";
import { TimeStretch } from "./time_stretch.js";

const LATE_SECONDS = 0.003; // a chunk this close to its time may miss the audio thread's next block
const FADE_SECONDS = 0.008; // without a click
const AHEAD_SECONDS = 1.5; // of sound that is scheduled; each source that ends asks for more
const BLOCK_SECONDS = 0.25;

class Hearing {
  // onChange: hears that a figure changed. onOver: that everything was heard.
  constructor({ context, output, session, onChange, onOver }) {
    this.context = context;
    this.session = session;
    this._onChange = onChange;
    this._onOver = onOver;
    this._isStopped = false;
    this.sources = new Set();
    this.gain = context.createGain();
    this.gain.connect(output);
  }

  stop() {
    const now = this.context.currentTime;
    this._isStopped = true;
    this.gain.gain.cancelScheduledValues(now);
    this.gain.gain.setTargetAtTime(0, now, FADE_SECONDS / 3);
    for (const source of this.sources) source.stop(now + FADE_SECONDS);
  }

  // Everything has arrived.
  conclude() {
    if (!this._isStopped && this.session.complete && !this.sources.size) this._onOver();
  }

  _bufferOf(samples) {
    const buffer = this.context.createBuffer(1, samples.length, this.session.sampleRate);
    const channel = buffer.getChannelData(0);
    for (let index = 0; index < samples.length; index += 1) channel[index] = samples[index] / 32768;
    return buffer;
  }

  _start(buffer, at) {
    const source = this.context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.gain);
    source.onended = () => {
      this.sources.delete(source);
      this.conclude();
    };
    this.sources.add(source);
    source.start(at);
  }
}

export class LiveHearing extends Hearing {
  // Samples that came.
  take(samples) {
    const { session } = this;
    const buffer = this._bufferOf(samples);
    this._makeRoom(this.context.currentTime);
    this._noteFirstSound(samples);
    this._start(buffer, session.nextTime);
    session.nextTime += samples.length / session.sampleRate;
  }

  // Seconds of the session that have been heard.
  get position() {
    const { firstTime, gapSeconds, seconds } = this.session;
    if (firstTime === null) return 0;
    return Math.max(0, Math.min(seconds, this.context.currentTime - firstTime - gapSeconds));
  }

  // Moves nextTime into the future: at the start, and after the sound ran dry; then with a longer lead.
  _makeRoom(now) {
    const { session } = this;
    const wanted = now + session.lead;
    if (session.firstTime === null) {
      session.firstTime = session.nextTime = wanted;
      return;
    }
    if (session.nextTime > now + LATE_SECONDS) return;
    session.underruns += 1;
    session.lead = Math.min(MOST_LEAD_SECONDS, session.lead * 2);
    const resumed = now + session.lead;
    session.gapSeconds += resumed - session.nextTime;
    session.nextTime = resumed;
    this._onChange();
  }

  _noteFirstSound(samples) {
    const { session } = this;
    if (session.firstSoundMilliseconds !== null) return;
    const index = firstAudible(samples);
    if (index < 0) return;
    const delay = session.nextTime + index / session.sampleRate - this.context.currentTime;
    session.firstSoundMilliseconds = performance.now() - session.startedAt + delay * 1000;
    this._onChange();
  }
}

export class Rehearing extends Hearing {
  // lead: seconds that a sound begins after it was asked for.
  constructor(told, lead) {
    super(told);
    const { head, speed, sampleRate } = this.session;
    this._lead = lead;
    this._speed = speed;
    this._from = head;
    this._madeSeconds = 0;
    this._spans = [];
    this._stretch = speed === 1 ? null : new TimeStretch(sampleRate, speed);
    this._isFlushed = false;
    this._seek(Math.round(head * sampleRate));
    this._nextTime = this.context.currentTime + lead;
    this.gain.gain.setValueAtTime(0, this._nextTime);
    this.gain.gain.linearRampToValueAtTime(1, this._nextTime + FADE_SECONDS);
  }

  // Something has arrived, or was heard: schedules what there is, some way ahead.
  take() {
    while (!this._isFlushed && this._nextTime - this.context.currentTime < AHEAD_SECONDS) {
      const samples = this._nextBlock();
      if (!samples) return;
      if (samples.length) this._schedule(samples);
    }
  }

  conclude() {
    if (this._isStopped) return;
    this.take();
    if (this._isFlushed) super.conclude();
  }

  get position() {
    const now = this.context.currentTime;
    const span = this._spans.find(({ at, seconds }) => now < at + seconds) ?? this._spans.at(-1);
    if (!span) return this._from;
    const heard = Math.max(0, Math.min(span.seconds, now - span.at));
    return Math.min(this.session.seconds, span.from + heard * this._speed);
  }

  _schedule(samples) {
    const now = this.context.currentTime;
    const seconds = samples.length / this.session.sampleRate;
    this._nextTime = Math.max(this._nextTime, now + this._lead); // after it had nothing to play
    this._spans = this._spans.filter((span) => span.at + span.seconds > now);
    this._spans.push({ at: this._nextTime, seconds, from: this._from + this._madeSeconds * this._speed });
    this._start(this._bufferOf(samples), this._nextTime);
    this._nextTime += seconds;
    this._madeSeconds += seconds;
  }

  // Int16Array of what is heard next; null where that has not come yet.
  _nextBlock() {
    const samples = this._read(Math.round(BLOCK_SECONDS * this.session.sampleRate));
    if (samples.length) return this._stretch ? this._stretch.push(samples) : samples;
    if (!this.session.complete) return null;
    this._isFlushed = true;
    return this._stretch?.finish() ?? samples;
  }

  _seek(sample) {
    this._piece = 0;
    this._offset = sample; // in that piece
    const { pieces } = this.session;
    while (this._piece < pieces.length && this._offset >= pieces[this._piece].length) this._offset -= pieces[this._piece++].length;
  }

  // At most n samples, of one piece.
  _read(n) {
    const piece = this.session.pieces[this._piece];
    if (!piece) return new Int16Array(0);
    const samples = piece.subarray(this._offset, this._offset + n);
    this._offset += samples.length;
    if (this._offset >= piece.length) [this._piece, this._offset] = [this._piece + 1, 0];
    return samples;
  }
}
