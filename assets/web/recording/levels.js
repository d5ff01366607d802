// Levels: what the meter shows while somebody records. Counts blocks of samples; knows no microphone and no page.

const CLIPPED = 0.999;
const SILENT = 10 ** (-70 / 20); // a muted input gives less; the quietest room through a microphone gives more
const SMOOTH_SECONDS = 0.15;
const HELD_SECONDS = 1.5; // in which the held level falls by half, so that a pause between words is not called quiet
const FLOOR_SECONDS = 0.1; // of the quietest time that is looked for: stops within words are as quiet as the room, and long pauses are rare
const LEAST_DB = -90;

const decibel = (power) => Math.max(LEAST_DB, 10 * Math.log10(power || 1e-12));

export class Levels {
  constructor(sampleRate) {
    this._sampleRate = sampleRate;
    this._power = this._held = 0;
    this._recent = []; // [energy, samples] of the last blocks, as many as FLOOR_SECONDS need
    this._floorPower = null;
    this.samples = 0;
    this._clipped = 0; // samples
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
    this._held = Math.max(clipped ? 1 : this._power, this._held * 0.5 ** (seconds / HELD_SECONDS));
    this._note(energy, block.length);
    this.samples += block.length;
    this._clipped += clipped;
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

  // The loudest of late, dBFS; full scale where samples clipped.
  get heldDb() {
    return decibel(this._held);
  }

  // RMS of the quietest 100 ms so far, dBFS; null before the first.
  get noiseDb() {
    return this._floorPower === null ? null : decibel(this._floorPower);
  }

  _note(energy, samples) {
    const wanted = FLOOR_SECONDS * this._sampleRate;
    const total = (part) => this._recent.reduce((sum, block) => sum + block[part], 0);
    this._recent.push([energy, samples]);
    while (total(1) - this._recent[0][1] >= wanted) this._recent.shift();
    if (total(1) < wanted) return;
    const power = total(0) / total(1);
    this._floorPower = this._floorPower === null ? power : Math.min(this._floorPower, power);
  }
}
