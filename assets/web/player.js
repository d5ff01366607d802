// The page's one player: one AudioContext, PCM chunks scheduled without a gap. Needs no AudioWorklet, so insecure origins hear it too.

import { SpeechRefused } from "./speech_transport.js";
import { wavOf } from "./wav.js";

// A sound begins this long after its samples are handed over. The audio thread renders a whole buffer at once, so that its clock may leap
// by the buffer (baseLatency) while we schedule; a start that lies behind it would push the first chunk into the second.
const SPARE_SECONDS = 0.002;
const USUAL_BUFFER_SECONDS = 0.02; // where the browser does not tell
const MOST_LEAD_SECONDS = 0.12;
const LATE_SECONDS = 0.003; // a chunk this close to its time may miss the audio thread's next block
const FADE_SECONDS = 0.008; // Stop without a click
const AUDIBLE = 32768 * 10 ** (-50 / 20);
const RESUME_MILLISECONDS = 2000;

// One thing being played: its samples, its clock and what went wrong.
class Session {
  constructor(label, sampleRate, startedAt) {
    this.label = label;
    this.sampleRate = sampleRate;
    this.startedAt = startedAt; // performance.now() of the click
    this.pieces = []; // Int16Arrays, everything received
    this.samples = 0;
    this.sources = new Set();
    this.firstTime = null; // context seconds
    this.nextTime = 0;
    this.lead = 0; // seconds, set when it plays
    this.underruns = 0;
    this.gapSeconds = 0;
    this.firstSoundMilliseconds = null; // from the click to the first sample above -50 dBFS
    this.complete = false;
    this.stopped = false;
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  get seconds() {
    return this.samples / this.sampleRate;
  }
}

class Player extends EventTarget {
  // Events: "change" (state, figures), "chunk" (detail: Int16Array), "start" (a new session),
  // "received" (the last byte is here, the sound may go on).
  constructor() {
    super();
    this.state = "empty"; // empty, waiting, playing, ended, stopped, failed
    this.session = null;
    this._context = null;
    this._volume = 1;
    this._learnedLead = 0; // what the last sessions needed
  }

  // Call inside the click: browsers let sound begin only there. sampleRate: of what will come; a context of the same rate
  // plays the samples as they are, any other would interpolate between them.
  // While somebody waits, nothing sounds, so that the context may change.
  unlock(sampleRate) {
    if (this._context && sampleRate && this._context.sampleRate !== sampleRate) {
      if (this.state !== "waiting") this.stop();
      this._context.close();
      this._context = null;
    }
    if (!this._context) this._open(sampleRate);
    if (this._context.state !== "running") this._running = this._context.resume();
  }

  // Say that something was asked for and has not begun. cancel: hangs up, called by stop().
  wait(label, cancel) {
    this.stop();
    this.session = new Session(label, 24000, performance.now());
    this.session.cancel = cancel;
    this.dispatchEvent(new Event("start"));
    this._become("waiting");
  }

  // stream: { sampleRate, chunks, facts }, chunks any iterable of Int16Array, now or later; facts are kept for whoever shows them.
  // Resolves to the session when it was heard or stopped; rejects with what broke the stream.
  // onBreak: told at once of what broke the stream, while what came before it is still heard.
  async play({ sampleRate, chunks, facts = null }, { label = "", startedAt = performance.now(), cancel, onBreak } = {}) {
    if (this.state !== "waiting") this.stop();
    this.unlock(sampleRate);
    const session = new Session(label, sampleRate, startedAt);
    this.session = session;
    Object.assign(session, { facts, cancel, lead: Math.max(this._leastLead, this._learnedLead) });
    session.gain = this._context.createGain();
    session.gain.connect(this._output);
    this.dispatchEvent(new Event("start"));
    this._become("playing");
    try {
      await this._resumed();
      for await (const samples of chunks) {
        if (session.stopped) break;
        this._schedule(session, samples);
      }
    } catch (error) {
      if (!session.stopped) session.failure = error;
    }
    session.complete = true;
    this._learnedLead = session.underruns ? session.lead : this._learnedLead / 2;
    if (!session.stopped) session.receivedMilliseconds = performance.now() - startedAt;
    this.dispatchEvent(new Event("received"));
    if (session.failure) this._become(this.state, session);
    if (session.failure) onBreak?.(session.failure);
    if (!session.sources.size) session.end();
    await session.ended;
    if (session.failure) this._become("failed", session);
    else if (!session.stopped) this._become("ended", session);
    if (session.failure) throw session.failure;
    return session;
  }

  stop() {
    const session = this.session;
    if (!session || !["playing", "waiting"].includes(this.state)) return;
    session.stopped = true;
    session.cancel?.();
    session.heardSeconds = this.heardSeconds;
    if (session.gain) {
      const now = this._context.currentTime;
      session.gain.gain.setTargetAtTime(0, now, FADE_SECONDS / 3);
      for (const source of session.sources) source.stop(now + FADE_SECONDS);
    }
    session.end();
    this._become("stopped");
  }

  // What was waited for will not come.
  fail() {
    if (this.state === "waiting") this._become("failed");
  }

  replay() {
    const { pieces, sampleRate, label, facts } = this.session;
    return this.play({ sampleRate, chunks: [joined(pieces)], facts }, { label });
  }

  get volume() {
    return this._volume;
  }

  set volume(volume) {
    this._volume = volume;
    if (this._context) this._output.gain.setTargetAtTime(volume, this._context.currentTime, 0.01);
  }

  // Seconds of the session that have been heard.
  get heardSeconds() {
    const session = this.session;
    if (!session || session.firstTime === null) return 0;
    if (this.state === "ended") return session.seconds;
    if (session.stopped && session.heardSeconds !== undefined) return session.heardSeconds;
    return Math.max(0, Math.min(session.seconds, this._context.currentTime - session.firstTime - session.gapSeconds));
  }

  wav() {
    return wavOf(this.session.pieces, this.session.sampleRate);
  }

  // For tests and meters: the level that leaves the player now, and its clock.
  tap() {
    if (!this._context) return { rms: 0, contextSeconds: 0, contextState: "none" };
    const wave = new Float32Array(this._analyser.fftSize);
    this._analyser.getFloatTimeDomainData(wave);
    const rms = Math.sqrt(wave.reduce((sum, sample) => sum + sample * sample, 0) / wave.length);
    return { rms, contextSeconds: this._context.currentTime, contextState: this._context.state, sampleRate: this._context.sampleRate };
  }

  _open(sampleRate) {
    this._context = new AudioContext({ latencyHint: "interactive", ...(sampleRate ? { sampleRate } : {}) });
    this._output = this._context.createGain();
    this._output.gain.value = this._volume;
    this._analyser = this._context.createAnalyser();
    this._analyser.fftSize = 2048;
    this._output.connect(this._analyser);
    this._analyser.connect(this._context.destination);
  }

  get _leastLead() {
    return Math.min(MOST_LEAD_SECONDS, (this._context.baseLatency || USUAL_BUFFER_SECONDS) + SPARE_SECONDS);
  }

  async _resumed() {
    if (this._context.state === "running") return;
    const patience = new Promise((resolve) => setTimeout(resolve, RESUME_MILLISECONDS));
    await Promise.race([this._running, patience]);
    if (this._context.state !== "running") throw new SpeechRefused("sound_held_back");
  }

  _schedule(session, samples) {
    if (!samples.length) return;
    const context = this._context;
    const buffer = context.createBuffer(1, samples.length, session.sampleRate);
    const channel = buffer.getChannelData(0);
    for (let index = 0; index < samples.length; index += 1) channel[index] = samples[index] / 32768;
    this._makeRoom(session, context.currentTime);
    this._noteFirstSound(session, samples);
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(session.gain);
    source.onended = () => {
      session.sources.delete(source);
      if (session.complete && !session.sources.size) session.end();
    };
    session.sources.add(source);
    source.start(session.nextTime);
    session.nextTime += samples.length / session.sampleRate;
    session.pieces.push(samples);
    session.samples += samples.length;
    this.dispatchEvent(new CustomEvent("chunk", { detail: samples }));
  }

  // Moves nextTime into the future: at the start, and after the sound ran dry; then with a longer lead.
  _makeRoom(session, now) {
    const wanted = now + session.lead;
    if (session.firstTime === null) {
      session.firstTime = session.nextTime = wanted;
      return;
    }
    if (session.nextTime > now + LATE_SECONDS) return;
    session.underruns += 1;
    session.lead = Math.min(MOST_LEAD_SECONDS, session.lead * 2);
    const resumed = now + session.lead;
    session.gapSeconds += resumed - session.nextTime;
    session.nextTime = resumed;
    this._become(this.state);
  }

  _noteFirstSound(session, samples) {
    if (session.firstSoundMilliseconds !== null) return;
    const index = samples.findIndex((sample) => Math.abs(sample) > AUDIBLE);
    if (index < 0) return;
    const delay = session.nextTime + index / session.sampleRate - this._context.currentTime;
    session.firstSoundMilliseconds = performance.now() - session.startedAt + delay * 1000;
    this._become(this.state);
  }

  _become(state, session = this.session) {
    if (session !== this.session) return; // something else plays by now
    this.state = state;
    this.dispatchEvent(new Event("change"));
  }
}

function joined(pieces) {
  const whole = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}

export const player = new Player();
