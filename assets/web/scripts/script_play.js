// Playing a script: the studio's stream becomes one session of the page's player, and whatever is heard, its line is known. Lines that were never
// said are made while those before them are heard, so that nobody waits for the whole.

import { askWords, karaoke, spokenBy } from "../sound/karaoke.js";
import { player } from "../sound/player.js";
import { askServer, SpeechRefused, samplesOf } from "../transport/speech_transport.js";
import { linesOf } from "./json_lines.js";

const SAMPLE_RATE = 24_000; // of what plays, until the answer says it
const AHEAD_SECONDS = 45; // of sound that is here and was not heard: more is not asked for
const LOOK_MILLISECONDS = 100;
const MOST_SECONDS = 30 * 60; // of one session, whose samples the page keeps: 86 MB; the next begins with the line behind
const KEY = "script";

export class ScriptPlay {
  // state: a ScriptState. refuse(problem): tells why nothing plays. about(id): of the session while a line is heard.
  constructor(state, { refuse, about }) {
    this._state = state;
    this._refuse = refuse;
    this._about = about;
    this._session = null; // the player's, while it is ours
    this._spans = []; // {line, at, ttfp}: seconds at which each line begins
    this.firstSound = null; // milliseconds from the press to the first sound, of what plays
    this._timer = null;
    this._pausedAt = ""; // the line at which one was
    player.addEventListener("change", () => this._look());
  }

  /** Whether what is in the player is the script. */
  get isOurs() {
    return Boolean(this._session) && player.session === this._session;
  }

  get isPlaying() {
    return this.isOurs && ["waiting", "playing"].includes(player.state);
  }

  /** Inside of a press: plays from a line on; the line that plays is paused and goes on. */
  press(id) {
    if (this.isOurs && id === this._state.playing && player.state === "playing") return player.pause();
    if (this.isOurs && id === this._state.playing && player.state === "paused") return player.resume();
    return this.begin(id);
  }

  /** The same for a key: pauses whatever line plays, and goes on with it where nobody has gone to another line since. */
  toggle(id) {
    if (this.isPlaying) {
      this._pausedAt = id;
      return player.pause();
    }
    if (this.isOurs && player.state === "paused" && id === this._pausedAt) return player.resume();
    return this.begin(id);
  }

  /** Inside of a press: as much as is here of it is heard at once. */
  begin(id) {
    const span = this.isOurs && this._spans.find(({ line }) => line === id);
    if (!span) return this._ask(id);
    player.seek(span.at);
    return player.state === "paused" && player.resume();
  }

  /** The line before the one that is heard, or behind it. */
  step(steps) {
    const next = this._state.beside(this._state.playing || this._state.current, steps);
    if (next) this.begin(next);
  }

  async _ask(id) {
    const controller = new AbortController();
    const cancel = () => controller.abort();
    const startedAt = performance.now();
    player.unlock(SAMPLE_RATE);
    player.wait(this._state.script.title, cancel, { key: KEY, about: this._about(id) });
    this._begin(player.session, id);
    try {
      await this._state.settled();
      const path = this._state.address(`/play?from=${encodeURIComponent(id)}&events=1`);
      const response = await askServer(path, { signal: controller.signal });
      if (controller.signal.aborted) return;
      const sampleRate = Number(response.headers.get("X-Sample-Rate")) || SAMPLE_RATE;
      const ended = { next: "" };
      const chunks = this._chunksOf(response.body, sampleRate, ended);
      const heard = player.play({ sampleRate, chunks }, { startedAt, cancel });
      this._begin(player.session, id);
      await heard;
      if (ended.next && !player.session.stopped) await this._ask(ended.next);
    } catch (error) {
      if (controller.signal.aborted) return;
      player.fail();
      this._refuse(error);
    }
  }

  _begin(session, id) {
    this._session = session;
    this._spans = [];
    this.firstSound = null;
    this._play(id);
    clearInterval(this._timer);
    this._timer = setInterval(() => this._look(), LOOK_MILLISECONDS);
  }

  // No further than some way ahead of what is heard: the studio says no more lines than somebody listens to.
  async *_chunksOf(body, sampleRate, ended) {
    let samples = 0;
    for await (const event of linesOf(body)) {
      if (event.error) throw refusedBy(event.error);
      if (event.end) return;
      const isNext = event.line !== this._spans.at(-1)?.line;
      if (isNext && samples > MOST_SECONDS * sampleRate) {
        ended.next = event.line;
        return;
      }
      if (isNext) this._note(event, samples / sampleRate);
      else if (event.take) this._spans.at(-1).take = event.take;
      const block = samplesOf(event.audio);
      samples += block.length;
      yield block;
      await this._untilNear(samples / sampleRate);
    }
  }

  _note({ line, take, ttfp_ms: ttfp }, at) {
    this._spans.push({ line, at, take, ttfp, session: this._session });
    if (!at) this._look();
  }

  async _untilNear(seconds) {
    const session = this._session;
    while (seconds - player.heardSeconds > AHEAD_SECONDS && player.session === session && !session.stopped)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
  }

  _look() {
    if (!this._session) return;
    if (!this.isOurs || ["ended", "stopped", "failed"].includes(player.state)) return this._end();
    this.firstSound = this._session.firstSoundMilliseconds;
    const at = player.heardSeconds;
    const span = this._spans.findLast((one) => one.at <= at + LOOK_MILLISECONDS / 2000) ?? this._spans[0];
    if (span) this._play(span.line, span);
  }

  _play(id, span = null) {
    if (span?.take && !span.isTold) this._light(span);
    if (id === this._state.playing) return;
    this._state.playing = id;
    this._state.dispatchEvent(new Event("playing"));
    if (!this.isOurs) return;
    this._session.about = this._about(id);
    player.dispatchEvent(new Event("change")); // the player says whose line it is
  }

  // The words of the line light up as they are heard, where their times are known by then.
  async _light(span) {
    span.isTold = true;
    const { line, at, take } = span;
    const text = this._state.line(line)?.text;
    if (!text) return;
    const session = this._session;
    const { told, why } = await askWords(this._state.takeAddress(line, take, "words"));
    spokenBy(session).add({ key: line, at, text, told, why });
    karaoke?.show();
  }

  _end() {
    clearInterval(this._timer);
    this._session = null;
    this._state.playing = "";
    this._state.dispatchEvent(new Event("playing"));
  }
}

const refusedBy = ({ reason_code: code, values, message: fact, hint }) => new SpeechRefused(code, values, { fact, hint });
