// One lane of Compare: who says the text and how, what came of it, and what was measured.

import { optionWords } from "../choice/option_caption.js";
import { KeptSound } from "../sound/audible.js";
import { clipSound } from "../sound/clip_sound.js";
import { noteHeard } from "../sound/heard.js";
import { kindOf } from "../sound/stages.js";
import { speech } from "../transport/gradio_transport.js";
import { requestOf } from "../transport/request.js";
import { words } from "../words/words.js";
import { loudnessOf } from "./compare_loudness.js";
import { runOf } from "./compare_runs.js";

let n_lanes = 0;

const changedOf = ({ options: declared }, options) =>
  Object.fromEntries(
    declared.filter(({ name, default: usual }) => (options[name] ?? usual) !== usual).map(({ name }) => [name, options[name]]),
  );

export class Lane {
  // known: what `lane_choices` of studio/ui/programs/compare_tab.py tells. options: of the engine, of which those are kept that are not as it has them.
  constructor(known, { options = {}, language = "" } = {}) {
    n_lanes += 1;
    this.id = `lane ${n_lanes}`;
    this.become(known, { options, language });
  }

  /** What was heard is of no use any more. */
  clear() {
    this.state = "empty";
    this.pieces = [];
    this.samples = 0;
    this.sampleRate = 24000;
    this.facts = null;
    this.failure = null;
    this.ending = {};
    this.firstSoundMilliseconds = null;
    this.receivedMilliseconds = null;
    this.lufs = null;
    this.estimates = null;
    this.isStarred = false;
  }

  /** Another voice, engine or option: what `known` and `how` are in the constructor. */
  become(known, { options, language }) {
    this.known = known;
    this.options = changedOf(known, options);
    this.language = language;
    this.runs = []; // as runOf tells them, of what it is now and of one text
    this.clear();
  }

  get voice() {
    return this.known.voice;
  }

  get engine() {
    return this.known.engine;
  }

  get print() {
    return this.known.voices.find(({ name }) => name === this.voice)?.print ?? "";
  }

  get voiceWords() {
    return this.voice ?? (this.known.gone || words("compare.no_voice"));
  }

  /** The engine, and what differs from its defaults. */
  get engineWords() {
    const { options, title } = this.known;
    const changed = options.filter(({ name }) => name in this.options);
    return [title, ...changed.map((option) => optionWords(option, this.options[option.name]))].filter(Boolean).join(" · ");
  }

  get name() {
    return words("compare.lane_name", { voice: this.voiceWords, engine: this.engineWords });
  }

  /** What programs think of what was heard. ask(asked): `measure_lane` of studio/ui/programs/compare_tab.py. */
  async estimate(ask) {
    const { pieces, sampleRate, text, voice, language } = this;
    const { data } = await clipSound.sent(new Blob(pieces)); // base64 of int16
    const { estimates = null } = await ask({ pcm: data, sample_rate: sampleRate, text, voice, language });
    if (this.pieces === pieces) this.estimates = estimates; // else it was spoken again meanwhile
  }

  get seconds() {
    return this.samples / this.sampleRate;
  }

  /** Whether all of it is here. */
  get isHeard() {
    return this.state === "done";
  }

  /** As kindOf tells it; "" before that is known. */
  get start() {
    return this.facts ? kindOf(this.facts) : "";
  }

  /** The option that makes a variation, where the engine has one. */
  get seed() {
    return this.known.options.find(({ name, kind }) => name === "seed" && kind === "int") ?? null;
  }

  /** What speaks in it, whatever the variation: lanes that are one and the same have the same. */
  get system() {
    const { seed, ...others } = this.options;
    return JSON.stringify([this.voice, this.engine, this.language, Object.entries(others).sort()]);
  }

  get request() {
    return { voice: this.voice, engine: this.engine, language: this.language, text: this.text, options: this.options };
  }

  /** Has the text spoken. signal: ends it. leadSeconds: from the arrival of a sound to the device. tell: called whenever anything is
   *  otherwise, with the samples that came. Never throws. */
  async speak(text, { signal, leadSeconds }, tell) {
    this.clear();
    this.text = text;
    const asked = JSON.stringify(this.request);
    if (asked !== this._timed) this.runs = [];
    this._timed = asked;
    this.state = "asking";
    tell();
    const startedAt = performance.now();
    try {
      const stream = await speech(requestOf(this.request), signal);
      this.state = "arriving";
      this.facts = stream.facts;
      this.sampleRate = stream.sampleRate;
      const sound = new KeptSound(stream.sampleRate, leadSeconds);
      for await (const samples of stream.chunks) {
        if (signal.aborted) break;
        sound.take(samples, performance.now() - startedAt);
        this._take(samples, sound);
        tell(samples);
      }
      this.receivedMilliseconds = performance.now() - startedAt;
      this.ending = stream.ending() ?? {};
      this._settle(signal);
    } catch (error) {
      if (signal.aborted) this.clear();
      else {
        this.state = "failed";
        this.failure = error;
      }
    }
    tell();
  }

  /** Has it spoken once more, and only notes how long that took: it is not heard, not kept, and a failure changes nothing. */
  async timeAgain({ signal, leadSeconds }) {
    const startedAt = performance.now();
    const since = () => performance.now() - startedAt;
    try {
      const { facts, sampleRate, chunks } = await speech(requestOf(this.request), signal, null, { isKept: false });
      const sound = new KeptSound(sampleRate, leadSeconds);
      let samples = 0;
      for await (const piece of chunks) {
        if (signal.aborted) return;
        sound.take(piece, since());
        samples += piece.length;
      }
      const { firstSoundMilliseconds } = sound;
      this.runs.push(runOf({ facts, firstSoundMilliseconds, receivedMilliseconds: since(), samples, seconds: samples / sampleRate }));
    } catch {
      this.runs = this.runs.map((run) => ({ ...run, isQuick: false })); // it is not tried again by itself
    }
  }

  _settle(signal) {
    if (signal.aborted) return this.clear();
    this.runs.push(runOf(this));
    this.lufs = loudnessOf(this.pieces, this.sampleRate);
    this.state = "done";
    return undefined;
  }

  _take(samples, { firstSoundMilliseconds }) {
    this.firstSoundMilliseconds = firstSoundMilliseconds;
    noteHeard(this.facts.kept, firstSoundMilliseconds);
    this.pieces.push(samples);
    this.samples += samples.length;
  }
}
