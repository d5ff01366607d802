// TimeStretch: sound faster or slower in the same pitch, piece by piece. Pure: Int16 in, Int16 out.
// WSOLA (Verhelst and Roelands 1993, "An overlap-add technique based on waveform similarity"): every 20 ms of what is heard fade from how the
// last window would have gone on to the window that is due, moved by up to 10 ms to where the two look most alike. The studio stretches by
// FFmpeg's, which is the same (studio/audio/time_stretch.py).

const HOP_SECONDS = 0.02; // half a window
const TOLERANCE_SECONDS = 0.01; // a whole period is in reach down to 50 Hz

export class TimeStretch {
  // speed: 2 is twice as fast.
  constructor(sampleRate, speed) {
    this._speed = speed;
    this._hop = Math.round(sampleRate * HOP_SECONDS);
    this._tolerance = Math.round(sampleRate * TOLERANCE_SECONDS);
    this._rise = Float32Array.from({ length: this._hop }, (_, index) => 0.5 - 0.5 * Math.cos((Math.PI * (index + 0.5)) / this._hop));
    this._held = new Int16Array(0); // what may still be looked at, from sample `_from` of all that came
    this._from = 0;
    this._nIn = 0;
    this._nOut = 0;
    this._nSteps = 0;
    this._last = -this._hop; // where the last window began
  }

  /** samples: Int16Array. What can be heard of it by now; never more than round(all that came / speed) in all. */
  push(samples) {
    this._nIn += samples.length;
    this._hold(samples);
    return this._handOut();
  }

  /** The rest: n samples in all become round(n / speed). */
  finish() {
    const wanted = this._wanted;
    const made = [];
    while (this._nOut < wanted) {
      this._hold(new Int16Array(2 * (this._hop + this._tolerance)));
      made.push(this._handOut());
    }
    return joined(made);
  }

  get _wanted() {
    return Math.round(this._nIn / this._speed);
  }

  _handOut() {
    const made = [];
    while (this._nOut < this._wanted && this._end >= this._neededUntil) {
      const window = this._step().subarray(0, this._wanted - this._nOut);
      if (window.length < this._hop && this._end === this._nIn) break; // more may come; there is no going on within a step
      this._nOut += window.length;
      this._nSteps += 1;
      this._last = this._next;
      this._forget();
      made.push(window);
    }
    return joined(made);
  }

  get _end() {
    return this._from + this._held.length;
  }

  get _due() {
    return Math.round(this._nSteps * this._hop * this._speed);
  }

  get _neededUntil() {
    return Math.max(this._due + this._tolerance, this._last + this._hop) + this._hop;
  }

  // The next `hop` samples; `_next` is where their window begins.
  _step() {
    const goesOn = this._last + this._hop;
    this._next = this._nSteps ? this._mostAlike(goesOn) : 0;
    const made = new Int16Array(this._hop);
    for (let index = 0; index < this._hop; index += 1) {
      const rise = this._rise[index];
      made[index] = Math.round((1 - rise) * this._at(goesOn + index) + rise * this._at(this._next + index));
    }
    return made;
  }

  _at(index) {
    return this._held[index - this._from];
  }

  // The start of the window, within the tolerance around where it is due, that differs least from what begins at `goesOn`. Of several that
  // do, as in silence, the one nearest to where it is due.
  _mostAlike(goesOn) {
    let [best, least] = [this._due, Number.POSITIVE_INFINITY];
    for (let away = 0; away <= this._tolerance; away += 1) {
      for (const start of away ? [this._due - away, this._due + away] : [this._due]) {
        const difference = start < this._from ? Number.POSITIVE_INFINITY : this._difference(goesOn, start, least);
        if (difference < least) [best, least] = [start, difference];
      }
    }
    return best;
  }

  // Sum of the differences of two windows; what is over `most` need not be known.
  _difference(one, other, most) {
    const held = this._held;
    const [a, b] = [one - this._from, other - this._from];
    let sum = 0;
    for (let index = 0; index < this._hop && sum < most; index += 1) sum += Math.abs(held[a + index] - held[b + index]);
    return sum;
  }

  _hold(samples) {
    this._held = joined([this._held, samples]);
  }

  // What no window to come can reach.
  _forget() {
    const first = Math.max(0, Math.min(this._last + this._hop, this._due - this._tolerance));
    if (first <= this._from) return;
    this._held = this._held.subarray(first - this._from);
    this._from = first;
  }
}

function joined(pieces) {
  if (pieces.length === 1) return pieces[0];
  const whole = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}
