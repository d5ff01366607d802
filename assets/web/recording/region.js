// Region: the part of a clip that is kept. Drag an edge, type milliseconds, or use the arrow keys; all three are the same two numbers.
// It lies over the clip's waveform; its spectrogram, among the figures, has the same time axis and shades the same parts.

import { Spectrogram } from "../drawings/spectrogram.js";
import { number, words } from "../words/words.js";

const STEP = { fine: 10, coarse: 100 }; // milliseconds per arrow key, without and with Shift
const LEAST_MILLISECONDS = 10;
const BAR_PIXELS = 2;
const GAP_PIXELS = 2;

const MOST_SHOWN_KILOHERTZ = 8; // MOST_SHOWN_HZ of spectrogram.js

const exactly = (milliseconds) => number(milliseconds / 1000, 3, 3);
const about = (milliseconds) => number(milliseconds / 1000, 1, 1);

export class Region {
  // onChange: told whenever start or end was changed, by whomever.
  constructor(element, onChange) {
    this._element = element;
    this._find = (name) => element.querySelector(`#region${name ? `-${name}` : ""}`);
    this._onChange = onChange;
    this.start = this.end = this.length = 0; // milliseconds; length: of the clip
    this._peaks = [];
    for (const edge of ["start", "end"]) {
      this._find(edge).addEventListener("change", (event) => this._typed(edge, event.target));
      this._find(edge).addEventListener("keydown", (event) => this._key(edge, event, { ArrowUp: 1, ArrowDown: -1 }));
      const handle = this._find(`${edge}-handle`);
      handle.addEventListener("keydown", (event) => this._key(edge, event, { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }));
    }
    this._find("").addEventListener("pointerdown", (event) => this._grab(event));
    this._find("").addEventListener("pointermove", (event) => this._dragged && this._drag(event));
    const letGo = () => {
      this._dragged = null;
    };
    for (const name of ["pointerup", "pointercancel"]) this._find("").addEventListener(name, letGo);
    this._find("hint").textContent = words("create.region_hint", STEP);
    this._find("best").addEventListener("click", () => this.set(...this._best));
    this._find("trim").addEventListener("click", () => this.set(...this._speech));
    this._find("whole").addEventListener("click", () => this.set(0, this.length));
    this._spectrogram = new Spectrogram(this._find("spectrogram"), 0); // as wide as the clip is long, however short
    this._find("spectrogram")
      .closest("details")
      .addEventListener("toggle", () => this._drawSpectrogram());
    const observer = new ResizeObserver(() => this._show());
    for (const name of ["wave", "spectrogram"]) observer.observe(this._find(name));
  }

  // clip: what the server's take_clip says: { milliseconds, peaks, peak_milliseconds, speech, best, opens, cut_seconds }.
  // sound: { pieces, sampleRate } of the recorder's clip; no pieces where this browser did not decode the file.
  open(clip, sound) {
    this.length = clip.milliseconds;
    this._peaks = clip.peaks;
    this._peakMilliseconds = clip.peak_milliseconds;
    this._speech = clip.speech;
    this._best = clip.best;
    for (const name of ["best", "trim"]) this._find(name).disabled = !clip.speech;
    this._hear(sound);
    const { cut_seconds: length } = clip;
    this._find("cut").hidden = !length;
    this._find("cut").textContent = length ? words("create.only_beginning", { length }) : "";
    this.set(...clip.opens);
  }

  _hear({ pieces, sampleRate }) {
    this._spectrogram.clear(sampleRate);
    let left = Math.round((this.length * (sampleRate ?? 0)) / 1000); // samples of what the server took: the same time as the waveform
    for (const piece of pieces ?? []) {
      this._spectrogram.add(piece.subarray(0, Math.max(0, left)));
      left -= piece.length;
    }
    this._find("spectrogram").parentElement.hidden = !pieces;
    const kilohertz = Math.min(MOST_SHOWN_KILOHERTZ, (sampleRate ?? 0) / 2000);
    const seen = pieces ? words("create.seen", { n: kilohertz }) : words("create.unseen");
    this._find("heard").textContent = `${this._found} ${seen}`;
  }

  get _found() {
    if (!this._speech) return words("create.no_speech_found");
    const [from, to, begins, ends] = [...this._speech, ...this._best].map(about);
    return words("create.speech_found", { from, to, begins, ends });
  }

  // A slice in each frame until all of it is there; a long clip must not freeze the page.
  _drawSpectrogram() {
    cancelAnimationFrame(this._drawing);
    if (!this._find("spectrogram").checkVisibility()) return; // in a closed fold it has a size, too
    this._spectrogram.draw();
    if (this._spectrogram.behind) this._drawing = requestAnimationFrame(() => this._drawSpectrogram());
  }

  set(start, end) {
    const within = (value, low, high) => Math.min(Math.max(Math.round(value), low), high);
    this.start = within(start, 0, Math.max(0, this.length - LEAST_MILLISECONDS));
    this.end = within(end, this.start + Math.min(LEAST_MILLISECONDS, this.length), this.length);
    this._show();
    this._onChange();
  }

  // One edge pushes against the other and stops there.
  _move(edge, milliseconds) {
    if (edge === "start") this.set(Math.min(milliseconds, this.end - LEAST_MILLISECONDS), this.end);
    else this.set(this.start, Math.max(milliseconds, this.start + LEAST_MILLISECONDS));
  }

  _typed(edge, field) {
    if (field.value === "" || Number.isNaN(field.valueAsNumber)) return this._show();
    this._move(edge, field.valueAsNumber);
  }

  _key(edge, event, directions) {
    const ends = { Home: 0, End: this.length };
    const isField = event.target.tagName === "INPUT";
    const direction = directions[event.key];
    if (direction) {
      // what was typed and not yet taken over counts
      const from = isField && event.target.value !== "" ? event.target.valueAsNumber : this[edge];
      this._move(edge, from + direction * (event.shiftKey ? STEP.coarse : STEP.fine));
    } else if (event.key in ends && !isField) this._move(edge, ends[event.key]);
    else return;
    event.preventDefault();
  }

  _millisecondsAt(event) {
    const { left, width } = this._find("wave").getBoundingClientRect();
    return ((event.clientX - left) / width) * this.length;
  }

  _grab(event) {
    if (event.button) return;
    const at = this._millisecondsAt(event);
    this._dragged = Math.abs(at - this.start) <= Math.abs(at - this.end) ? "start" : "end";
    this._find("").setPointerCapture(event.pointerId);
    this._find(`${this._dragged}-handle`).focus();
    event.preventDefault();
    this._drag(event);
  }

  _drag(event) {
    this._move(this._dragged, this._millisecondsAt(event));
  }

  _show() {
    for (const edge of ["start", "end"]) {
      const value = this[edge];
      this._find(edge).value = value;
      this._find(edge).max = this.length;
      const handle = this._find(`${edge}-handle`);
      handle.style.left = `${this.length ? (100 * value) / this.length : 0}%`;
      for (const [name, is] of [
        ["valuemin", 0],
        ["valuemax", this.length],
        ["valuenow", value],
        ["valuetext", words("create.region_value", { n: exactly(value) })],
      ]) {
        handle.setAttribute(`aria-${name}`, is);
      }
    }
    const [before, after] = this.length ? [this.start, this.length - this.end].map((part) => (100 * part) / this.length) : [0, 0];
    this._element.style.setProperty("--before", `${before}%`);
    this._element.style.setProperty("--after", `${after}%`);
    const kept = this.end - this.start;
    this._find("length").textContent = words("create.unit_seconds", { n: exactly(kept) });
    this._find("kept").textContent = words("create.kept", { n: about(kept) });
    this._find("of").textContent = words("create.kept_of", { n: about(this.length) });
    this._draw();
    this._drawSpectrogram();
  }

  _draw() {
    const canvas = this._find("wave");
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!width || !height || !this.length) return;
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    const style = getComputedStyle(canvas);
    const bars = Math.floor(width / (BAR_PIXELS + GAP_PIXELS));
    const perBar = this.length / bars; // milliseconds
    for (let bar = 0; bar < bars; bar += 1) {
      const first = Math.floor((bar * perBar) / this._peakMilliseconds);
      const last = Math.max(first + 1, Math.floor(((bar + 1) * perBar) / this._peakMilliseconds));
      const peak = Math.max(0, ...this._peaks.slice(first, last)) / 100;
      const tall = Math.max(1, peak * (height - 2));
      const isKept = bar * perBar >= this.start && bar * perBar < this.end;
      pen.fillStyle = isKept ? style.color : style.getPropertyValue("--wave-rest");
      pen.fillRect(bar * (BAR_PIXELS + GAP_PIXELS), (height - tall) / 2, BAR_PIXELS, tall);
    }
  }
}
