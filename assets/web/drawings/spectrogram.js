// Spectrogram: draws what frequencies a sound has, over time, while it arrives. The same face as Waveform: clear, add, draw, playedSeconds.

const FFT_SAMPLES = 512; // 21 ms at 24 kHz: long enough to tell harmonics, short enough to tell syllables
const HOP_SAMPLES = 256;
const ROWS = FFT_SAMPLES / 2;
const FLOOR_DB = -90; // of full scale; quieter is nothing
const CEILING_DB = -20;
const MOST_COLUMNS = 4096; // beyond it two become one, so that an hour still fits a canvas
const BUDGET_MILLISECONDS = 6; // of one frame; a long text that arrives at once must not freeze the page
const LEAST_SHOWN_SECONDS = 3;
const MOST_SHOWN_HZ = 8000; // where speech is; the rest of a wide band would press it against the floor

const WINDOW = Float32Array.from({ length: FFT_SAMPLES }, (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / FFT_SAMPLES));
const WINDOW_SUM = FFT_SAMPLES / 2;
const COSINES = Float32Array.from({ length: ROWS }, (_, index) => Math.cos((2 * Math.PI * index) / FFT_SAMPLES));
const SINES = Float32Array.from({ length: ROWS }, (_, index) => -Math.sin((2 * Math.PI * index) / FFT_SAMPLES));
const REVERSED = Uint16Array.from({ length: FFT_SAMPLES }, (_, index) => {
  let reversed = 0;
  for (let bit = 1; bit < FFT_SAMPLES; bit <<= 1) reversed = (reversed << 1) | (index & bit ? 1 : 0);
  return reversed;
});

// In place, radix 2; real and imaginary: Float32Array of FFT_SAMPLES in bit-reversed order.
function transform(real, imaginary) {
  for (let half = 1; half < FFT_SAMPLES; half *= 2) {
    const stride = ROWS / half;
    for (let start = 0; start < FFT_SAMPLES; start += 2 * half) {
      for (let k = 0; k < half; k += 1) {
        const [cosine, sine] = [COSINES[k * stride], SINES[k * stride]];
        const [low, high] = [start + k, start + k + half];
        const re = real[high] * cosine - imaginary[high] * sine;
        const im = real[high] * sine + imaginary[high] * cosine;
        real[high] = real[low] - re;
        imaginary[high] = imaginary[low] - im;
        real[low] += re;
        imaginary[low] += im;
      }
    }
  }
}

const real = new Float32Array(FFT_SAMPLES);
const imaginary = new Float32Array(FFT_SAMPLES);

// samples: FFT_SAMPLES int16 from `start` on, zeros beyond the end. Levels 0..255 per row, lowest frequency first.
function columnOf(samples) {
  for (let index = 0; index < FFT_SAMPLES; index += 1) {
    real[REVERSED[index]] = (samples[index] / 32768) * WINDOW[index];
    imaginary[index] = 0;
  }
  transform(real, imaginary);
  const column = new Uint8ClampedArray(ROWS);
  for (let row = 0; row < ROWS; row += 1) {
    const power = (real[row] ** 2 + imaginary[row] ** 2) / WINDOW_SUM ** 2;
    const level = 10 * Math.log10(power + 1e-12);
    column[row] = (255 * (level - FLOOR_DB)) / (CEILING_DB - FLOOR_DB);
  }
  return column;
}

export class Spectrogram {
  // canvas: its CSS color is that of the loudest, its background that of silence. leastSeconds: what its width is at least.
  constructor(canvas, leastSeconds = LEAST_SHOWN_SECONDS) {
    this._canvas = canvas;
    this._leastSeconds = leastSeconds;
    this._picture = document.createElement("canvas"); // a pixel per column and row
    this.clear();
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  get isSeen() {
    return this._canvas.clientWidth > 0;
  }

  clear(sampleRate = 24000) {
    this.shownSeconds = 0; // what its width is at least, where the sound is shorter
    this._sampleRate = sampleRate;
    this._waiting = []; // Int16Arrays that have not been looked at
    this._window = new Int16Array(FFT_SAMPLES); // the last samples
    this._fresh = 0; // samples in the window since the last column
    this._columns = [];
    this._perColumn = 1; // transforms in one column
    this._partial = null;
    this._painted = 0;
    this._samples = 0;
    this.playedSeconds = 0;
  }

  // samples: Int16Array
  add(samples) {
    this._waiting.push(samples);
    this._samples += samples.length;
  }

  get seconds() {
    return this._samples / this._sampleRate;
  }

  // For tests: the frequency of the strongest row of the newest column, Hz.
  get loudestHz() {
    const column = this._columns.at(-1);
    return column ? (column.indexOf(Math.max(...column)) * this._sampleRate) / FFT_SAMPLES : null;
  }

  // Whether there is something that draw() had no time for.
  get behind() {
    return this._waiting.length > 0;
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this._canvas;
    if (!width || !height) return;
    this._analyse();
    this._paint();
    const scale = window.devicePixelRatio || 1;
    if (this._canvas.width !== Math.round(width * scale)) this._canvas.width = Math.round(width * scale);
    if (this._canvas.height !== Math.round(height * scale)) this._canvas.height = Math.round(height * scale);
    const pen = this._canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const shownSeconds = this.shownSeconds || Math.max(this.seconds, this._leastSeconds);
    const drawnSeconds = (this._columns.length * this._perColumn * HOP_SAMPLES) / this._sampleRate;
    const rows = Math.min(ROWS, Math.ceil((MOST_SHOWN_HZ * FFT_SAMPLES) / this._sampleRate));
    const across = (width * drawnSeconds) / shownSeconds;
    if (this._columns.length) pen.drawImage(this._picture, 0, ROWS - rows, this._columns.length, rows, 0, 0, across, height);
    pen.fillStyle = getComputedStyle(this._canvas).getPropertyValue("--ink");
    if (this.playedSeconds) pen.fillRect((width * this.playedSeconds) / shownSeconds, 0, 1.5, height);
  }

  _analyse() {
    const until = performance.now() + BUDGET_MILLISECONDS;
    while (this._waiting.length && performance.now() < until) {
      const samples = this._waiting[0];
      const taken = Math.min(samples.length, HOP_SAMPLES - this._fresh);
      this._window.copyWithin(0, taken);
      this._window.set(samples.subarray(0, taken), FFT_SAMPLES - taken);
      this._fresh += taken;
      if (taken === samples.length) this._waiting.shift();
      else this._waiting[0] = samples.subarray(taken);
      if (this._fresh === HOP_SAMPLES) this._push(columnOf(this._window));
    }
  }

  _push(column) {
    this._fresh = 0;
    const merged = this._partial ? louder(this._partial.column, column) : column;
    const count = (this._partial?.count ?? 0) + 1;
    this._partial = count < this._perColumn ? { column: merged, count } : null;
    if (this._partial) return;
    this._columns.push(merged);
    if (this._columns.length < MOST_COLUMNS) return;
    this._columns = this._columns.filter((_, index) => index % 2 === 0).map((even, index) => louder(even, this._columns[2 * index + 1]));
    this._perColumn *= 2;
    this._painted = 0;
  }

  // Columns that are not in the picture yet.
  _paint() {
    const colour = getComputedStyle(this._canvas).color;
    if (colour !== this._colour) this._painted = 0; // dark became light
    this._colour = colour;
    if (this._picture.width < this._columns.length || !this._painted) {
      this._picture.width = Math.min(MOST_COLUMNS, Math.max(512, 2 * this._columns.length)); // which clears it
      this._picture.height = ROWS;
      this._painted = 0;
    }
    const fresh = this._columns.length - this._painted;
    if (fresh <= 0) return;
    const [red, green, blue] = this._colour.match(/[\d.]+/g).map(Number);
    const pen = this._picture.getContext("2d");
    const image = pen.createImageData(fresh, ROWS);
    const pixels = new Uint32Array(image.data.buffer); // a, b, g, r: every browser's machine is little-endian
    const opaque = (blue << 16) | (green << 8) | red;
    for (let x = 0; x < fresh; x += 1) {
      const column = this._columns[this._painted + x];
      for (let row = 0; row < ROWS; row += 1) pixels[(ROWS - 1 - row) * fresh + x] = (column[row] << 24) | opaque;
    }
    pen.putImageData(image, this._painted, 0);
    this._painted = this._columns.length;
  }
}

const louder = (one, other) => one.map((level, row) => Math.max(level, other[row]));
