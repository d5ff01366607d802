// Recorder: a clip is recorded here or chosen as a file (recorder.html); it stays in the browser until it is removed, so that nothing that
// fails later loses it. What is done with it is for whoever holds it: creating.js makes a voice of it, saying.js says it again.

import { Waveform } from "../drawings/waveform.js";
import { make } from "../kit/frame.js";
import { PlayButton } from "../sound/play_button.js";
import { player } from "../sound/player.js";
import { int16Of, wavOf } from "../sound/wav.js";
import { errorWords, number, words } from "../words/words.js";
import { Capture, MicrophoneRefused, microphoneProblem, microphones } from "./capture.js";
import { decoded, secondsOf } from "./clip_file.js";
import { Levels } from "./levels.js";
import { inputWords, RecorderView } from "./recorder_view.js";

const MEGABYTE = 1e6;
const SHOWN_SECONDS = 0.04; // between two pictures of a recording: a block of the microphone is shorter

// Which of a file's channels and tracks are heard, where there are several.
function takenWords({ channel, n_channels: channels, track, n_tracks: tracks }) {
  const ofMany = () => words("create.taken_channel", { channel, all: channels });
  const told = channels > 1 ? [channels === 2 ? words(`create.taken_${channel}`) : ofMany()] : [];
  return tracks > 1 ? [...told, words("create.taken_track", { track, all: tracks })] : told;
}

export class Recorder {
  // element: its id begins those of its parts. limits: of clip_limits in studio/ui/clips/clip_intake.py. line: { tell, complain } as create_notice.js
  // has them. onClip: told of the clip, or null, whenever it changes. reading: gives { language, text } of what is read, or null.
  // timeWords: as RecorderView takes it. takes(file): whether somebody else takes a file that was chosen.
  constructor(element, { limits, line, onClip, reading = () => null, timeWords = undefined, takes = (_file) => false }) {
    this._element = element;
    this._limits = limits;
    this._line = line;
    this._onClip = onClip;
    this._reading = reading;
    this._takes = takes;
    /** @type {{ file: File, sampleRate?: number, channels?: any, source?: any, pieces?: Int16Array[], seconds: number, about: string,
     *    settings?: any, reading?: any }} */
    this._clip = null; // { file, sampleRate, channels, source, pieces, seconds, about, settings, reading }
    this._capture = null;
    this._busy = false;
    this._find("toggle").addEventListener("click", () => this.toggle());
    this._find("redo").addEventListener("click", () => this.redo());
    this._find("file").addEventListener("change", (event) => this.take(event.target.files[0]));
    this._play = new PlayButton(this._find("play"), { key: () => this._clip?.file, start: () => this._sound() });
    this._find("remove").addEventListener("click", () => this._remove());
    this._view = new RecorderView(element, limits, timeWords);
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

  // The button is gone with the clip: the focus goes to what is there again.
  _remove() {
    this.clear();
    const toggle = this._find("toggle");
    (toggle.hidden ? this._find("file") : toggle).focus();
  }

  // What the time means, where the limits are others now.
  showTime() {
    if (!this.isRecording) this._view.showSeconds(this._clip?.seconds ?? 0, false);
  }

  // A clip that the studio still has, of before the page was loaded again: { sampleRate, pieces, name, seconds }. Nobody is told of it.
  restore({ sampleRate, pieces, name, seconds }) {
    const file = new File([wavOf(pieces, sampleRate)], name, { type: "audio/wav" });
    this._clip = { file, sampleRate, pieces, seconds, about: words("create.about_restored", { name }) };
    this._waveform.clear(sampleRate);
    for (const piece of pieces) this._waveform.add(piece);
    this._show();
  }

  // sound: of the clip as the studio took it, { sampleRate, pieces }; source: from where in its file, as take_clip says it. Once for a clip.
  /** @type {(sound: { sampleRate?: number, pieces?: Int16Array[] }, source: any) => void} */
  hear({ sampleRate, pieces }, source) {
    if (this._clip.source) return; // the studio had let go of it, and got it again
    const about = takenWords(source).reduce((told, taken) => words("create.about_taken", { about: told, taken }), this._clip.about);
    Object.assign(this._clip, { sampleRate, pieces, about, source, channels: null });
    this._waveform.clear(sampleRate);
    for (const piece of pieces ?? []) this._waveform.add(piece);
    this._show();
  }

  async toggle() {
    if (this._busy) return;
    const problem = microphoneProblem();
    if (problem) return this._refuse(problem);
    this._busy = true;
    this._show();
    try {
      await (this._capture ? this._finish() : this._begin());
    } catch (error) {
      this._refuse(error instanceof MicrophoneRefused ? error : new MicrophoneRefused("E-MIC-7"));
    } finally {
      this._busy = false;
      this._show();
    }
  }

  redo() {
    if (!this._capture && this._clip) this.toggle();
  }

  play() {
    if (this._clip?.pieces && !this._capture) this._play.press();
  }

  _sound() {
    const { sampleRate, pieces, file } = this._clip;
    player.play({ sampleRate, chunks: pieces }, { label: file.name, key: file });
  }

  chooseFile() {
    this._find("file").click();
  }

  // While the studio looks at the clip.
  showListening(isListening) {
    this._isListening = isListening;
    this._show();
  }

  _find(name) {
    return this._element.querySelector(`#${this._element.id}-${name}`);
  }

  _refuse({ code, values }) {
    this._line.complain({ code, values }, [{ words: words("create.upload"), press: () => this.chooseFile() }]);
  }

  async _begin() {
    player.stop(); // the loudspeaker must not be recorded
    const capture = await Capture.open((block) => this._take(block), this._find("device").value);
    this._line.tell(); // only now: whoever refuses the microphone keeps the clip that is there
    this.clear();
    this._blocks = [];
    this._levels = new Levels(capture.sampleRate);
    this._shownSeconds = 0;
    this._waveform.clear(capture.sampleRate);
    this._capture = capture;
    if (this._element.contains(document.activeElement)) this._find("toggle").focus(); // whoever pressed Record again
    this._tellOfRecording(true);
    this._showMicrophones(); // their names are told once the microphone is allowed
  }

  // Whatever else sounds or covers the text to read makes way.
  _tellOfRecording(detail) {
    document.dispatchEvent(new CustomEvent("studio-recording", { detail }));
  }

  _take(block) {
    if (!this._capture) return; // blocks under way when the microphone was closed
    const samples = int16Of(block);
    this._blocks.push(samples);
    this._waveform.add(samples);
    const levels = this._levels;
    const { silent_seconds: silentSeconds, recorded_seconds: mostSeconds } = this._limits;
    const wasSilent = levels.silentSeconds >= silentSeconds;
    levels.add(block);
    this._showTaken(levels);
    const isSilent = levels.silentSeconds >= silentSeconds;
    if (isSilent && !wasSilent) this._warnOfSilence();
    if (!isSilent && wasSilent) this._line.tell();
    if (levels.seconds >= mostSeconds) this.toggle();
  }

  _showTaken(levels) {
    if (levels.seconds < this._shownSeconds + SHOWN_SECONDS) return;
    this._shownSeconds = levels.seconds;
    this._waveform.draw();
    this._view.showRecording(levels, this._capture);
  }

  _warnOfSilence() {
    const device = this._capture.device || words("create.device_unnamed");
    this._line.complain({ code: "E-MIC-3", values: { device } }, [
      { words: words("create.choose_another"), press: () => this._chooseMicrophone() },
    ]);
  }

  // Gives up the recording: there is nothing in it.
  async _chooseMicrophone() {
    await this._close();
    this._show();
    this._find("device").focus();
    this._find("device").showPicker?.();
  }

  async _close() {
    const capture = this._capture;
    this._capture = null;
    this._tellOfRecording(false);
    await capture?.close();
    return capture;
  }

  async _finish() {
    const { sampleRate, processing, settings, device } = await this._close();
    const file = new File([wavOf(this._blocks, sampleRate)], "recording.wav", { type: "audio/wav" });
    const kilohertz = number(sampleRate / 1000, 0, 1);
    const about = words("create.about_recording", { name: file.name, kilohertz, ...inputWords(device, processing) });
    const { seconds, clippedPercent } = this._levels;
    this._clip = { file, sampleRate, pieces: this._blocks, seconds, about, settings, reading: this._reading() };
    this._line.tell();
    this._show();
    await this._onClip(this._clip);
    if (clippedPercent) this._line.complain({ code: "E-REF-2", values: { share: Number(clippedPercent.toPrecision(2)) } });
  }

  // A file that was chosen or dropped.
  async take(file) {
    if (!file || this._capture) return;
    this._line.tell();
    if (this._takes(file)) {
      this._find("file").value = "";
      return;
    }
    const { file_bytes: most, decoded_seconds: mostSeconds } = this._limits;
    if (file.size > most) {
      this._find("file").value = "";
      const size = Math.ceil(file.size / (MEGABYTE / 10)) / 10; // up, so that no file has just the limit and is refused
      return this._line.complain({ code: "E-REF-5", values: { size: number(size, 1, 1), limit: most / MEGABYTE } });
    }
    const isLong = (await secondsOf(file)) > mostSeconds;
    const heard = isLong ? null : await decoded(file);
    const about = heard ? file.name : words(isLong ? "create.about_long" : "create.about_unplayable", { name: file.name });
    this._clip = { file, about, ...heard };
    this._waveform.clear(heard?.sampleRate);
    if (heard?.pieces) this._waveform.add(heard.pieces[0]);
    this._show();
    this._onClip(this._clip);
  }

  async _showMicrophones() {
    const select = this._find("device");
    const known = await microphones();
    const chosen = select.value;
    const options = known.map(({ id, name }) => make("option", { value: id, textContent: name }));
    select.replaceChildren(make("option", { value: "", textContent: words("create.usual_microphone") }), ...options);
    select.value = known.some(({ id }) => id === chosen) ? chosen : "";
    select.hidden = !known.length;
  }

  _show() {
    const toggle = this._find("toggle");
    const recording = this.isRecording;
    const clip = this._clip;
    const problem = microphoneProblem();
    this._find("problem").hidden = !problem;
    this._find("problem").textContent = problem ? Object.values(errorWords(problem)).join(" ") : "";
    toggle.hidden = Boolean(problem) || Boolean(clip && !recording);
    toggle.setAttribute("aria-pressed", String(recording));
    const asking = this._busy && !recording && !clip;
    toggle.querySelector(".words").textContent = words(`create.${recording ? "stop" : asking ? "asking" : "start"}`);
    this._element.dataset.state = recording ? "recording" : clip ? "clip" : "empty";
    this._find("play").disabled = !clip?.pieces;
    this._find("remove").disabled = !clip;
    this._find("redo").disabled = !clip || Boolean(problem);
    this._find("device").disabled = recording;
    const told = this._isListening ? words("create.reading_recording") : (clip?.about ?? "");
    if (this._find("about").textContent !== told) this._find("about").textContent = told;
    if (!recording) this._view.showLevel(null);
    if (!recording) this._view.showSeconds(clip?.seconds ?? 0, false);
    this._waveform.draw();
  }
}
