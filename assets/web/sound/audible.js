// When a sound is heard that arrives in pieces: from its first audible sample on, a lead after that piece is here. One rule for what is
// played as it comes and for what is only kept meanwhile. Pure.

export const MOST_LEAD_SECONDS = 0.12;
// A sound begins this long after its samples are handed over. The audio thread renders a whole buffer at once, so that its clock may leap
// by the buffer (baseLatency) while it is scheduled; a start that lies behind it would push the first chunk into the second.
const SPARE_SECONDS = 0.002;
const USUAL_BUFFER_SECONDS = 0.02; // where the browser does not tell
const AUDIBLE = 32768 * 10 ** (-50 / 20); // what is quieter than -50 dBFS nobody hears

/** Index of the first sample that is heard, -1 for none. samples: Int16Array. */
export const firstAudible = (samples) => samples.findIndex((sample) => Math.abs(sample) > AUDIBLE);

/** Seconds that a sound needs at least from its arrival to the device. */
export const leastLead = ({ baseLatency }) => Math.min(MOST_LEAD_SECONDS, (baseLatency || USUAL_BUFFER_SECONDS) + SPARE_SECONDS);

/** The time to first sound of what is kept as it comes: as if it was played. Times are milliseconds since the press. */
export class KeptSound {
  constructor(sampleRate, leadSeconds) {
    this.firstSoundMilliseconds = null;
    this._rate = sampleRate;
    this._lead = leadSeconds * 1000;
    this._next = 0;
  }

  /** samples: that are here by then. */
  take(samples, milliseconds) {
    if (this.firstSoundMilliseconds !== null) return;
    if (this._next < milliseconds) this._next = milliseconds + this._lead; // it begins, or had run dry
    const at = firstAudible(samples);
    if (at >= 0) this.firstSoundMilliseconds = this._next + (at / this._rate) * 1000;
    this._next += (samples.length / this._rate) * 1000;
  }
}
