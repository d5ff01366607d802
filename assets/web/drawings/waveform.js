// Waveform: draws the peaks of PCM on a canvas while they arrive. Knows no audio clock; it is told where the playhead is.

const PEAK_SECONDS = 0.01;
const LEAST_SHOWN_SECONDS = 3; // a short beginning must not fill the canvas and then shrink back at every chunk
const BAR_PIXELS = 2;
const GAP_PIXELS = 2;
const ROUND_PIXELS = 1;

export class Waveform {
  // canvas: takes its two colours from CSS, `color` for what was played and `--wave-rest` for the rest. power: of a peak, for its height;
  // below 1 what is quiet is seen as well, as it is heard.
  constructor(canvas, { power = 1 } = {}) {
    this._canvas = canvas;
    this._power = power;
    this.clear();
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  clear(sampleRate = 24000) {
    this._samplesPerPeak = Math.max(1, Math.round(sampleRate * PEAK_SECONDS));
    this._sampleRate = sampleRate;
    this._peaks = [];
    this._filled = this._samplesPerPeak;
    this.playedSeconds = 0;
    this.expectedSeconds = LEAST_SHOWN_SECONDS; // while it arrives; the canvas is dotted where nothing is yet
    this._drawn = ""; // what the canvas shows
  }

  // samples: Int16Array
  add(samples) {
    for (const sample of samples) {
      if (this._filled >= this._samplesPerPeak) {
        this._peaks.push(0);
        this._filled = 0;
      }
      const size = Math.abs(sample) / 32768;
      if (size > this._peaks[this._peaks.length - 1]) this._peaks[this._peaks.length - 1] = size;
      this._filled += 1;
    }
  }

  get seconds() {
    return (this._peaks.length * this._samplesPerPeak) / this._sampleRate;
  }

  // What the whole width stands for.
  get shownSeconds() {
    return Math.max(this.seconds, this.expectedSeconds) || LEAST_SHOWN_SECONDS;
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this._canvas;
    if (!width || !height) return;
    const scale = window.devicePixelRatio || 1;
    const style = getComputedStyle(this._canvas);
    const bars = Math.floor(width / (BAR_PIXELS + GAP_PIXELS));
    const { shownSeconds } = this;
    const played = Math.ceil((bars * this.playedSeconds) / shownSeconds); // bars
    const wanted = [width, height, scale, style.color, this._peaks.length, this._peaks.at(-1), shownSeconds, played].join();
    if (wanted === this._drawn) return; // most frames of a stream: a bar lasts longer
    this._drawn = wanted;
    if (this._canvas.width !== Math.round(width * scale)) this._canvas.width = Math.round(width * scale);
    if (this._canvas.height !== Math.round(height * scale)) this._canvas.height = Math.round(height * scale);
    const pen = this._canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    this._drawBars(pen, { bars, played, shownSeconds, height, color: style.color, rest: style.getPropertyValue("--wave-rest") });
  }

  _drawBars(pen, { bars, played, shownSeconds, height, color, rest }) {
    const peaksPerBar = (shownSeconds * this._sampleRate) / this._samplesPerPeak / bars;
    const colours = [color, rest];
    const paths = colours.map(() => new Path2D());
    for (let bar = 0; bar < bars; bar += 1) {
      const start = Math.floor(bar * peaksPerBar);
      const end = Math.max(start + 1, Math.floor((bar + 1) * peaksPerBar));
      const peak = start < this._peaks.length ? Math.max(...this._peaks.slice(start, end)) : 0;
      const tall = Math.max(BAR_PIXELS, peak ** this._power * (height - 2));
      const path = paths[bar < played && start < this._peaks.length ? 0 : 1];
      path.roundRect(bar * (BAR_PIXELS + GAP_PIXELS), (height - tall) / 2, BAR_PIXELS, tall, ROUND_PIXELS);
    }
    paths.forEach((path, index) => {
      pen.fillStyle = colours[index];
      pen.fill(path);
    });
  }
}
