// Recorder: step one of creating a voice. A clip is recorded here or chosen as a file; it stays in the browser until it is removed, so that
// nothing that fails later loses it. What is done with it is for creating.js.

import { Capture, microphoneProblem, microphones } from "./capture.js";
import { make } from "./frame.js";
import { Levels } from "./levels.js";
import { say as sayAt } from "./notices.js";
import { player } from "./player.js";
import { int16Of, wavOf } from "./wav.js";
import { Waveform } from "./waveform.js";

const MOST_SECONDS = 120;
const MOST_BYTES = 25_000_000; // MOST_CLIP_BYTES in studio/ui/clip_intake.py
const MOST_DECODED_SECONDS = 600; // MOST_DRAFT_SECONDS in studio/speakers/clip_draft.py; what is longer would fill this tab's memory
const GOOD_SECONDS = [6, 20];
const LEAST_METER_DB = -60;
const SILENT_SECONDS = 3;
const DECODE_HZ = 48000;

const say = (message) => sayAt("create-message", message);
const complain = (fact, hint, code) => say({ kind: "problem", fact, hint, code });

export class Recorder {
  // onClip: told of the clip, or null, whenever it changes. reading: gives { language, text } of what is read, or null.
  constructor(element, { onClip, reading }) {
    this._element = element;
    this._onClip = onClip;
    this._reading = reading;
    this._clip = null; // { file, sampleRate, pieces, seconds, about, settings, reading }
    this._capture = null;
    document.dispatchEvent(new CustomEvent("studio-recording", { detail: false }));
    this._busy = false;
    this._find("toggle").addEventListener("click", () => this.toggle());
    this._find("redo").addEventListener("click", () => this.redo());
    this._find("file").addEventListener("change", (event) => this._choose(event.target.files[0]));
    this._find("play").addEventListener("click", () => this.play());
    this._find("remove").addEventListener("click", () => this.clear());
    this._waveform = new Waveform(this._find("wave"));
    this._showMicrophones();
    navigator.mediaDevices?.addEventListener?.("devicechange", () => this._showMicrophones());
    this._show();
  }

  get clip() {
    return this._clip;
  }

  get isRecording() {
    return Boolean(this._capture);
  }

  clear() {
    if (!this._clip) return;
    this._clip = null;
    this._find("file").value = "";
    this._waveform.clear();
    this._show();
    this._onClip(null);
  }

  // A clip that the studio still has, of before the page was loaded again: { sampleRate, pieces, name, seconds }. Nobody is told of it.
  restore({ sampleRate, pieces, name, seconds }) {
    const file = new File([wavOf(pieces, sampleRate)], name, { type: "audio/wav" });
    this._clip = { file, sampleRate, pieces, seconds, about: "as you left it" };
    this._waveform.clear(sampleRate);
    for (const piece of pieces) this._waveform.add(piece);
    this._show();
  }

  async toggle() {
    if (this._busy) return;
    const problem = microphoneProblem();
    if (problem) return complain(problem.message, problem.hint, problem.code);
    this._busy = true;
    this._show();
    try {
      await (this._capture ? this._finish() : this._begin());
    } catch (error) {
      complain(error.message, error.hint, error.code);
    } finally {
      this._busy = false;
      this._show();
    }
  }

  redo() {
    if (!this._capture && this._clip) this.toggle();
  }

  play() {
    if (!this._clip?.pieces || this._capture) return;
    if (["playing", "waiting"].includes(player.state)) return player.stop();
    const { sampleRate, pieces, file } = this._clip;
    player.play({ sampleRate, chunks: pieces }, { label: file.name });
  }

  _find(name) {
    return this._element.querySelector(`#clip-${name}`);
  }

  async _begin() {
    player.stop(); // the loudspeaker must not be recorded
    const capture = await Capture.open((block) => this._take(block), this._find("device").value);
    say(); // only now: whoever refuses the microphone keeps the clip that is there
    this.clear();
    this._blocks = [];
    this._levels = new Levels(capture.sampleRate);
    this._find("lamp").dataset.on = "false";
    this._waveform.clear(capture.sampleRate);
    this._capture = capture;
    document.dispatchEvent(new CustomEvent("studio-recording", { detail: true }));
    this._showMicrophones(); // their names are told once the microphone is allowed
  }

  _take(block) {
    if (!this._capture) return; // blocks under way when the microphone was closed
    const words = int16Of(block);
    this._blocks.push(words);
    this._waveform.add(words);
    this._waveform.draw();
    const levels = this._levels;
    const wasSilent = levels.silentSeconds >= SILENT_SECONDS;
    levels.add(block);
    if (levels.isClipping) this._find("lamp").dataset.on = "true";
    this._showLevels(levels);
    const isSilent = levels.silentSeconds >= SILENT_SECONDS;
    if (isSilent && !wasSilent) this._warnOfSilence();
    if (!isSilent && wasSilent) say();
    if (levels.seconds >= MOST_SECONDS) this.toggle();
  }

  _warnOfSilence() {
    const name = this._capture.device || "the microphone";
    complain(`No sound arrived for ${SILENT_SECONDS} seconds.`, `Check that “${name}” is not muted. Input in use: ${name}.`, "E-MIC-3");
  }

  async _finish() {
    const capture = this._capture;
    const { sampleRate, processing, settings, device } = capture;
    this._capture = null;
    await capture.close();
    const file = new File([wavOf(this._blocks, sampleRate)], "recording.wav", { type: "audio/wav" });
    const raw = processing.length ? `the browser kept ${processing.join(", ")} on` : "raw, no browser processing";
    const about = [`${(sampleRate / 1000).toFixed(1)} kHz`, raw, device].filter(Boolean).join(" · ");
    const seconds = this._levels.seconds;
    this._clip = { file, sampleRate, pieces: this._blocks, seconds, about, settings, reading: this._reading() };
    say();
    const { clippedPercent } = this._levels;
    if (clippedPercent) {
      const share = clippedPercent < 0.1 ? "Less than 0.1" : clippedPercent.toFixed(1);
      complain(
        `${share} % of the samples are clipped.`,
        "Move back or lower the input, then record again. You may go on, but clones will sound harsh.",
        "E-REF-2",
      );
    }
    this._show();
    this._onClip(this._clip);
  }

  async _choose(file) {
    if (!file) return;
    say();
    if (file.size > MOST_BYTES) {
      this._find("file").value = "";
      const fact = `The file has ${(Math.ceil(file.size / 1e5) / 10).toFixed(1)} MB; the limit is ${(MOST_BYTES / 1e6).toFixed(1)} MB.`;
      return complain(fact, "Save it as MP3 or FLAC, or cut it: a 20-second WAV is about 2 MB.", "E-REF-5");
    }
    const isLong = (await secondsOf(file)) > MOST_DECODED_SECONDS;
    const heard = isLong ? null : await decoded(file);
    const unheard = isLong
      ? "too long to play here; step 2 plays parts of it"
      : "this browser cannot play it; the studio may still read it";
    this._clip = { file, about: heard ? "" : unheard, ...heard };
    this._waveform.clear(DECODE_HZ);
    if (heard) this._waveform.add(heard.pieces[0]);
    this._show();
    this._onClip(this._clip);
  }

  async _showMicrophones() {
    const select = this._find("device");
    const known = await microphones();
    const chosen = select.value;
    const options = known.map(({ id, name }) => make("option", { value: id, textContent: name }));
    select.replaceChildren(make("option", { value: "", textContent: "The browser's choice" }), ...options);
    select.value = known.some(({ id }) => id === chosen) ? chosen : "";
    this._find("device-field").hidden = !known.length;
  }

  _showLevels(levels) {
    const db = Math.max(LEAST_METER_DB, levels?.levelDb ?? LEAST_METER_DB);
    const meter = this._find("meter");
    meter.style.setProperty("--level", `${100 * (1 - db / LEAST_METER_DB)}%`);
    meter.setAttribute("aria-valuenow", Math.round(db));
    if (!levels) return;
    const { noiseDb, seconds } = levels;
    this._find("noise").textContent = noiseDb === null ? "noise –" : `noise ${Math.round(noiseDb)} dBFS`;
    this._showSeconds(seconds);
  }

  _showSeconds(seconds) {
    const [low, high] = GOOD_SECONDS;
    this._find("seconds").textContent = `${seconds.toFixed(1)} s`;
    const band = this._find("band");
    band.dataset.band = seconds < low ? "short" : seconds > high ? "long" : "good";
    const words = { short: `of ${low} to ${high} s`, good: "good length", long: "more than is needed" }[band.dataset.band];
    if (band.textContent !== words) band.textContent = words;
  }

  _show() {
    const toggle = this._find("toggle");
    const recording = Boolean(this._capture);
    const clip = this._clip;
    const problem = microphoneProblem();
    const notice = this._find("problem");
    notice.hidden = !problem;
    notice.textContent = problem ? `${problem.message} ${problem.hint}` : "";
    toggle.hidden = Boolean(problem);
    toggle.setAttribute("aria-pressed", String(recording));
    const asking = this._busy && !recording && !clip;
    toggle.querySelector(".words").textContent = recording ? "Stop recording" : asking ? "Waiting for the microphone…" : "Record";
    this._element.dataset.state = recording ? "recording" : clip ? "clip" : "empty";
    this._find("play").disabled = !clip?.pieces;
    this._find("remove").disabled = !clip;
    this._find("redo").disabled = !clip || Boolean(problem);
    this._find("device").disabled = recording;
    this._find("about").textContent = clip ? describe(clip) : "";
    if (!recording) this._showLevels(null);
    if (!recording) this._showSeconds(clip?.seconds ?? 0);
    this._waveform.draw();
  }
}

function describe({ file, seconds, about }) {
  return [file.name, seconds === undefined ? "" : `${seconds.toFixed(1)} s`, about].filter(Boolean).join(" · ");
}

// A file's length by its header; 0 where that does not say.
function secondsOf(file) {
  const address = URL.createObjectURL(file);
  const audio = Object.assign(document.createElement("audio"), { preload: "metadata" });
  return new Promise((resolve) => {
    const told = () => {
      URL.revokeObjectURL(address);
      resolve(Number.isFinite(audio.duration) ? audio.duration : 0);
    };
    audio.addEventListener("loadedmetadata", told);
    audio.addEventListener("error", told);
    audio.src = address;
  });
}

// A file's samples for listening and drawing; null where this browser lacks the decoder.
async function decoded(file) {
  try {
    const buffer = await new OfflineAudioContext(1, 1, DECODE_HZ).decodeAudioData(await file.arrayBuffer());
    return { sampleRate: DECODE_HZ, pieces: [int16Of(buffer.getChannelData(0))], seconds: buffer.duration };
  } catch {
    return null;
  }
}
