// The page's one player: one AudioContext, PCM chunks scheduled without a gap. Needs no AudioWorklet, so insecure origins hear it too.

import { SpeechRefused } from "../transport/speech_transport.js";
import { leastLead } from "./audible.js";
import { LiveHearing, Rehearing } from "./hearing.js";
import { Session } from "./session.js";
import { wavOf } from "./wav.js";

// Until it is said that the browser holds the sound back: it does where nobody has pressed anything, and else the machine is busy.
const RESUME_MILLISECONDS = { untouched: 2000, touched: 20_000 };
const GROWTH_MILLISECONDS = 250; // between two tellings of how much has come
const END_SECONDS = 0.05; // so close to its end a sound begins anew

class Player extends EventTarget {
  // Events: "change" (state, figures, how much has come), "chunk" (detail: Int16Array), "start" (a new session),
  // "received" (the last byte is here, the sound may go on).
  constructor() {
    super();
    this.state = "empty"; // empty, waiting, playing, paused, ended, stopped, failed
    this.session = null;
    this._context = null;
    this._volume = 1;
    this._learnedLead = 0; // what the last sessions needed
    this._growth = null; // a timer, while it is to be told how much has come
  }

  // Call inside the click: browsers let sound begin only there. sampleRate: of what will come; a context of the same rate
  // plays the samples as they are, any other would interpolate between them.
  // While somebody waits, nothing sounds, so that the context may change.
  unlock(sampleRate) {
    if (this._context && sampleRate && this._context.sampleRate !== sampleRate) {
      if (this.state === "playing") this.stop();
      this._context.close();
      this._context = null;
    }
    if (!this._context) this._open(sampleRate);
    if (!this._isRunning) this._running = this._context.resume();
  }

  // Say that something was asked for and has not begun. cancel: hangs up, called by stop(). key, about: as Session has them.
  /** @type {(label: string, cancel?: () => void, told?: { key?: any, about?: any }) => void} */
  wait(label, cancel, { key, about } = {}) {
    this.stop();
    this.session = new Session({ label, key, about }, 24000, performance.now());
    this.session.cancel = cancel;
    this.dispatchEvent(new Event("start"));
    this._become("waiting");
  }

  // stream: { sampleRate, chunks, facts }, chunks any iterable of Int16Array, now or later; facts are kept for whoever shows them.
  // Resolves to the session when it was heard or stopped; rejects with what broke the stream.
  // label, key, about: those of wait() where nothing else is said. onBreak: told at once of what broke the stream, while what came before it
  // is still heard.
  /**
   * @param {{ sampleRate: number, chunks: Iterable<Int16Array> | AsyncIterable<Int16Array>, facts?: any }} stream
   * @param {{ startedAt?: number, cancel?: () => void, onBreak?: (error: any) => void, label?: string, key?: any, about?: any }} [told]
   */
  async play({ sampleRate, chunks, facts = null }, { startedAt = performance.now(), cancel, onBreak, ...told } = {}) {
    const awaited = this.state === "waiting" ? this.session : null;
    if (!awaited) this.stop();
    this.unlock(sampleRate);
    const { label, key, about } = { ...awaited, ...told };
    const session = new Session({ label, key, about }, sampleRate, startedAt);
    this.session = session;
    Object.assign(session, { facts, cancel, lead: Math.max(leastLead(this._context), this._learnedLead) });
    session.hearing = new LiveHearing(this._hearingOf(session));
    this.dispatchEvent(new Event("start"));
    this._become("playing");
    try {
      await this._resumed();
      for await (const samples of chunks) {
        if (session.stopped) break;
        if (samples.length) this._receive(session, samples);
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
    session.hearing?.conclude();
    await session.ended;
    if (session.failure) throw session.failure;
    return session;
  }

  stop() {
    const session = this.session;
    if (!session || !["playing", "waiting", "paused"].includes(this.state)) return;
    session.heardSeconds = this.heardSeconds;
    this._silence(session, 0);
    if (!session.isOver) {
      session.stopped = true;
      session.cancel?.();
    }
    session.end();
    this._become("stopped");
  }

  // Holds the sound; what arrives goes on arriving.
  pause() {
    if (this.state !== "playing") return;
    this._silence(this.session, this.heardSeconds);
    this._become("paused");
  }

  // Inside the click: goes on where it was, or from the beginning where it was heard to its end.
  resume() {
    const session = this.session;
    if (!session?.samples || ["playing", "waiting"].includes(this.state)) return;
    const isAtEnd = session.complete && session.head >= session.seconds - END_SECONDS;
    this.unlock(session.sampleRate);
    this._hearFrom(isAtEnd ? 0 : session.head);
  }

  // Only into what has arrived. What does not sound is paused there.
  seek(seconds) {
    const session = this.session;
    if (!session?.samples) return;
    const to = Math.max(0, Math.min(session.seconds, seconds));
    if (this.state === "playing") return this._hearFrom(to);
    session.head = to;
    this._become("paused");
  }

  get speed() {
    return this.session?.speed ?? 1;
  }

  // Of this session alone; its samples stay what they are.
  set speed(speed) {
    if (!this.session) return;
    const at = this.heardSeconds;
    this.session.speed = speed;
    if (this.state === "playing") this._hearFrom(at);
    else this._become(this.state);
  }

  // Whether the button with that key shows pause.
  isSounding(key) {
    return this.session?.key === key && ["waiting", "playing"].includes(this.state);
  }

  // A press of the button with that key, inside the click. start: begins it, where this is not in the player already.
  togglePlay(key, start) {
    const session = this.session;
    if (session?.key !== key) return start();
    if (this.state === "waiting") return this.stop();
    if (this.state === "playing") return this.pause();
    if (this.state === "paused") return this.resume();
    return session.complete && session.samples && !session.stopped && !session.failure ? this.resume() : start();
  }

  // What was waited for will not come.
  fail() {
    if (this.state === "waiting") this._become("failed");
  }

  get volume() {
    return this._volume;
  }

  set volume(volume) {
    this._volume = volume;
    if (this._context) this._output.gain.setTargetAtTime(volume, this._context.currentTime, 0.01);
  }

  // Seconds of the session: where it is heard, or goes on.
  get heardSeconds() {
    return this.session?.hearing?.position ?? this.session?.head ?? 0;
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

  get _isRunning() {
    return this._context.state === "running";
  }

  async _resumed() {
    if (this._isRunning) return;
    const touched = navigator.userActivation?.hasBeenActive ? "touched" : "untouched";
    const patience = new Promise((resolve) => setTimeout(resolve, RESUME_MILLISECONDS[touched]));
    await Promise.race([this._running, patience]);
    if (!this._isRunning) throw new SpeechRefused("sound_held_back");
  }

  _receive(session, samples) {
    session.keep(samples);
    session.hearing?.take(samples); // none while it is paused
    this.dispatchEvent(new CustomEvent("chunk", { detail: samples }));
    this._growth ??= setTimeout(() => {
      this._growth = null;
      this._become(this.state, session);
    }, GROWTH_MILLISECONDS);
  }

  _hearingOf(session) {
    const onChange = () => this._become(this.state, session);
    return { context: this._context, output: this._output, session, onChange, onOver: () => this._heard(session) };
  }

  _hearFrom(seconds) {
    const { session } = this;
    this._silence(session, seconds);
    session.hearing = new Rehearing(this._hearingOf(session), leastLead(this._context));
    this._become("playing");
    session.hearing.conclude(); // schedules; there may be nothing left to hear
  }

  _silence(session, head) {
    session.hearing?.stop();
    Object.assign(session, { hearing: null, head });
  }

  // To its end.
  _heard(session) {
    Object.assign(session, { hearing: null, head: session.seconds });
    session.end();
    this._become(session.failure ? "failed" : "ended", session);
  }

  _become(state, session = this.session) {
    if (session !== this.session) return; // something else plays by now
    this.state = state;
    this.dispatchEvent(new Event("change"));
  }
}

export const player = new Player();
