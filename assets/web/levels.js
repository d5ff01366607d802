// Levels: what the meter shows while somebody records. Counts blocks of samples; knows no microphone and no page.

const CLIPPED = 0.999;
const SILENT = 10 ** (-70 / 20); // a muted input gives less; the quietest room through a microphone gives more
const SMOOTH_SECONDS = 0.15;
const FLOOR_WINDOW_SECONDS = 0.3;
const LEAST_DB = -90;

const decibel = (power) => Math.max(LEAST_DB, 10 * Math.log10(power || 1e-12));

export class Levels {
  constructor(sampleRate) {
    this._sampleRate = sampleRate;
    this._power = 0;
    this._windowEnergy = this._windowSamples = 0;
    this._floorPower = null;
    this.samples = 0;
    this._clipped = 0; // samples
    this.isClipping = false;
    this.silentSeconds = 0; // since a sound above -70 dBFS arrived last
  }

  // block: Float32Array
  add(block) {
    let peak = 0;
    let energy = 0;
    let clipped = 0;
    for (const sample of block) {
      const size = Math.abs(sample);
      if (size > peak) peak = size;
      if (size >= CLIPPED) clipped += 1;
      energy += sample * sample;
    }
    const seconds = block.length / this._sampleRate;
    const share = Math.min(1, seconds / SMOOTH_SECONDS);
    this._power += share * (energy / block.length - this._power);
    this._note(energy, block.length);
    this.samples += block.length;
    this._clipped += clipped;
    this.isClipping = clipped > 0;
    this.silentSeconds = peak < SILENT ? this.silentSeconds + seconds : 0;
  }

  get seconds() {
    return this.samples / this._sampleRate;
  }

  // Of the samples so far, those at full scale.
  get clippedPercent() {
    return this.samples ? (100 * this._clipped) / this.samples : 0;
  }

  // RMS of about the last 150 ms, dBFS.
  get levelDb() {
    return decibel(this._power);
  }

  // RMS of the quietest 300 ms so far, dBFS; null before the first.
  get noiseDb() {
    return this._floorPower === null ? null : decibel(this._floorPower);
  }

  _note(energy, samples) {
    this._windowEnergy += energy;
    this._windowSamples += samples;
    if (this._windowSamples < FLOOR_WINDOW_SECONDS * this._sampleRate) return;
    const power = this._windowEnergy / this._windowSamples;
    this._floorPower = this._floorPower === null ? power : Math.min(this._floorPower, power);
    this._windowEnergy = this._windowSamples = 0;
  }
}
