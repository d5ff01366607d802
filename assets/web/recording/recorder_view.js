// How a recording goes: its time and what that means, the band of lengths that are good, the level, and how quiet the room is.

import { make } from "../kit/frame.js";
import { number, words } from "../words/words.js";

const SEGMENTS = 48; // of the level
const LEAST_DB = -60; // of the level's first segment; the last one ends at full scale
const START_SECONDS = 1; // in which nobody is told to be quiet
const HOT_DB = -5;

export class RecorderView {
  // limits: of clip_limits in studio/ui/clips/clip_intake.py. timeWords(seconds, isRecording): what the time means.
  constructor(element, limits, timeWords = (...time) => voiceTimeWords(limits, ...time)) {
    this._element = element;
    this._limits = limits;
    this._timeWords = timeWords;
    this._segments = Array.from({ length: SEGMENTS }, (_, index) => this._segment(index));
    this._find("meter").replaceChildren(...this._segments);
    for (const [name, db] of [
      ["valuemin", LEAST_DB],
      ["valuemax", 0],
    ])
      this._find("meter").setAttribute(`aria-${name}`, db);
    const most = limits.band_seconds.at(-1);
    element.querySelector(".band .target").style.left = `${(100 * limits.band_seconds[0]) / most}%`;
    element.querySelector(".band-marks").replaceChildren(...limits.band_seconds.map((at) => mark(at, most)));
    this.showSeconds(0, false);
    this.showLevel(null);
  }

  // processing: of capture.js, what the browser would not switch off.
  showRecording(levels, { device, processing }) {
    this.showSeconds(levels.seconds, true);
    this.showLevel(levels);
    const room = this._room(levels);
    say(this._find("room"), room ? words("create.room_line", { room, ...inputWords(device, processing) }) : "");
  }

  showSeconds(seconds, isRecording) {
    const [low, high] = this._limits.good_speech_seconds;
    const shown = number(seconds, 1, 1);
    say(this._find("seconds"), isRecording || seconds ? words("create.timer", { n: shown }) : "");
    say(this._find("band"), this._timeWords(seconds, isRecording));
    const now = this._element.querySelector(".band .now");
    now.style.width = `${Math.min(100, (100 * seconds) / high)}%`;
    now.dataset.band = seconds < low ? "short" : "good";
    const label = words("create.band", { n: isRecording ? Math.floor(seconds) : shown, low, high });
    if (this._find("lengths").getAttribute("aria-label") !== label) this._find("lengths").setAttribute("aria-label", label);
  }

  // levels: null while nobody records.
  showLevel(levels) {
    const db = Math.max(LEAST_DB, Math.round(levels?.levelDb ?? LEAST_DB));
    const n = Math.round(SEGMENTS * (1 - db / LEAST_DB));
    for (const [index, segment] of this._segments.entries()) segment.toggleAttribute("data-on", index < n);
    const word = words(`create.level_word_${levels ? this._level(levels) : "start"}`);
    const level = this._find("level");
    level.dataset.level = levels ? this._level(levels) : "";
    say(level, word);
    this._find("meter").setAttribute("aria-valuenow", db);
    this._find("meter").setAttribute("aria-valuetext", words("create.level_value", { n: db, word }));
  }

  _level({ heldDb, seconds }) {
    const [low] = this._limits.good_level;
    const [, high] = this._limits.fair_level;
    if (heldDb > high) return "loud";
    if (heldDb >= low) return "good";
    return seconds < START_SECONDS ? "start" : "quiet";
  }

  // How far the room is below whoever speaks just loud enough; "" while somebody may only have spoken without a pause.
  _room({ noiseDb, seconds }) {
    if (noiseDb === null) return "";
    const [clear, fair] = this._limits.least_snr.map((snr) => this._limits.good_level[0] - snr);
    if (noiseDb <= clear) return words("create.room_quiet");
    if (seconds < this._limits.least_speech_seconds) return "";
    return words(noiseDb <= fair ? "create.room_some" : "create.room_noisy");
  }

  _segment(index) {
    const db = LEAST_DB * (1 - (index + 1) / SEGMENTS);
    const [low, high] = this._limits.good_level;
    const segment = document.createElement("i");
    if (db > low && db <= high) segment.dataset.level = "good";
    if (db > HOT_DB) segment.dataset.level = "hot";
    return segment;
  }

  _find(name) {
    return this._element.querySelector(`#${this._element.id}-${name}`);
  }
}

// Of a recording that a voice is to be learned from.
function voiceTimeWords({ least_speech_seconds: least, good_speech_seconds: [low, high] }, seconds, isRecording) {
  const meaning = seconds < least ? "short" : seconds < low ? "almost" : seconds <= high ? "good" : "long";
  return isRecording ? words(`create.time_${meaning}`, { n: high }) : words("create.time_before", { low, high });
}

/** Slots of a sentence about the input: {device, processing}. */
export const inputWords = (device, processing) => ({
  device: device || words("create.device_unnamed"),
  processing: words(processing.length ? "create.processing_on" : "create.processing_off"),
});

// A mark of the band; the last one ends with it.
function mark(seconds, most) {
  const shown = make("span", { textContent: words("create.second_mark", { n: seconds }) });
  if (seconds === most) shown.style.right = 0;
  else shown.style.left = `${(100 * seconds) / most}%`;
  return shown;
}

function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
