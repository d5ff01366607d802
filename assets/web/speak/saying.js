// Say it yourself: in place of a text, a recording that an engine says again in the chosen voice. The recorder is that of Create voice; what it
// holds goes to the studio as a draft at once, so that a press of Speak only names it, and is sent again where the studio let go of it.

import { choice } from "../choice/choice.js";
import { hereOf } from "../choice/engines_here.js";
import { onKeys } from "../kit/keys.js";
import { say } from "../kit/notices.js";
import { Recorder } from "../recording/recorder.js";
import { clipSound } from "../sound/clip_sound.js";
import { openRelay } from "../transport/gradio_transport.js";
import { called } from "../transport/server_call.js";
import { number, words } from "../words/words.js";

const LINE = "speak-message";
const line = {
  tell: (notice) => say(LINE, notice),
  complain: (problem, acts = []) => say(LINE, { ...problem, kind: "problem", acts }),
};
const OVER_MILLISECONDS = 200; // by which a recording that ended by itself may pass the limit: the last block is whole

export class Saying {
  // element: the composer's. server: its functions. speak(): as by a press of Speak. onChange: the way or the recording is another.
  constructor(element, { server, speak, onChange }) {
    this._element = element;
    this._server = server;
    this._speak = speak;
    this._onChange = onChange;
    this.isOn = false;
    this._recorder = null; // once the studio has told its limits
    this._sent = null; // what the studio says of the recording
    this._problem = null; // why it says nothing
    this._isCut = false; // only as much of its beginning is said as the engine takes
    this._told = ""; // which engine was told to say typed texts alone
    this._isSending = false;
    this._sending = Promise.resolve();
    this._part("way-type").addEventListener("click", () => this.turn(false));
    this._part("way-say").addEventListener("click", () => this._choose());
    onKeys(this._part("saying"), () => ({ r: () => this._recorder?.toggle(), backspace: () => this._recorder?.redo() }));
  }

  get recorder() {
    return this._recorder;
  }

  /** Whether what is to be said is known: nobody records, and the studio has what was recorded. */
  get isSettled() {
    return !this.isOn || !(this._recorder.isRecording || this._isSending || (this._recorder.clip && !this._sent));
  }

  /** Until then: a recording is ended, and one that did not reach the studio is sent again. */
  async settle() {
    if (!this.isOn) return;
    if (this._recorder.isRecording) await this._recorder.toggle();
    await this._sending;
    if (this._recorder.clip && !this._sent) await this._send(this._recorder.clip);
  }

  /** { name, clip: { draft, start, end }, seconds } of what is recorded, clip: null where the studio has none; null where a text is typed. */
  get recording() {
    if (!this.isOn) return null;
    const clip = this._recorder?.clip;
    const { draft = "", milliseconds = 0 } = this._sent ?? {};
    const isBounded = this._isCut || milliseconds <= this._most + OVER_MILLISECONDS;
    const end = isBounded ? Math.min(milliseconds, this._most) : milliseconds;
    return { name: clip?.file.name ?? "", clip: draft ? { draft, start: 0, end } : null, seconds: end / 1000 };
  }

  /** Says why the recording cannot be said again; whether there is a reason. */
  refuse(recording) {
    const { engineKnown: engine } = choice;
    const [least, most] = [choice.known.limits.least_said_seconds, this._most / 1000];
    const { clip, seconds: length } = recording;
    if (!engine.converts) this._sayWhoCan();
    else if (!this._recorder.clip) line.complain({ fact: words("speak.nothing_said"), hint: words("speak.say_something") });
    else if (!clip) line.complain(this._problem ?? { code: "E-NET-1", values: {} });
    else if (length < least) line.complain({ fact: words("speak.said_short", { length, least }), hint: words("speak.say_more") });
    else if (length > most) this._offerBeginning(length, most, engine.title);
    else return false;
    return true;
  }

  /** What `open` gives of the clip, { draft, start, end }; sent again where the studio no longer has it. */
  async opened(clip, open) {
    try {
      return await open(clip);
    } catch (error) {
      if (error.code !== "draft_gone" || !this._recorder.clip) throw error;
    }
    await this._send(this._recorder.clip);
    return open({ ...clip, draft: this._sent?.draft ?? clip.draft });
  }

  /** isOn: a recording is said, and no typed text. */
  turn(isOn) {
    if (!isOn && this._recorder?.isRecording) this._recorder.toggle();
    if (isOn) openRelay();
    this.isOn = isOn;
    this._told = "";
    this._onChange();
  }

  /** What a reload shows again: { isOn, draft, isCut }. The sound stays with the studio. */
  get kept() {
    return { isOn: this.isOn, draft: this._sent?.draft ?? "", isCut: this._isCut };
  }

  async restore({ isOn = false, draft = "", isCut = false } = {}) {
    if (isOn) this.turn(true);
    if (!draft || this._recorder.clip) return;
    const found = await clipSound.found((name, asked) => this._call(name, asked), draft, choice.known.limits.heard_seconds);
    if (this._recorder.clip) return; // another one by now
    if (found.problem) return isOn ? line.complain(found.problem) : undefined;
    this._sent = found.taken;
    this._isCut = isCut;
    this._recorder.restore(found.clip);
    this._onChange();
  }

  // Milliseconds that the chosen engine takes.
  get _most() {
    return 1000 * (choice.engineKnown?.most_clip_seconds ?? choice.known.limits.recorded_seconds);
  }

  _part(id) {
    return this._element.querySelector(`#${id}`);
  }

  _call(name, asked) {
    return called(this._server, name, asked, "E-NET-1");
  }

  _choose() {
    return choice.engineKnown?.converts ? this.turn(true) : this._sayWhoCan();
  }

  _sayWhoCan() {
    const use = able().map(({ id, title }) => ({ words: words("speak.use_engine", { engine: title }), press: () => this._use(id) }));
    const type = this.isOn ? [{ words: words("speak.type_instead"), press: () => this._typeAgain() }] : [];
    const fact = words("speak.only_typed", { engine: choice.known.title });
    line.tell({ kind: "note", fact, hint: whoCan(), acts: [...use.slice(0, 1), ...type] });
  }

  async _use(engine) {
    line.tell();
    await choice.choose({ engine });
    this.turn(true);
  }

  _typeAgain() {
    line.tell();
    this.turn(false);
    this._part("text").focus();
  }

  /** The choice is another, or is known now, or the way is. */
  show() {
    const { engineKnown: engine, known } = choice;
    if (engine && !this._recorder) this._makeRecorder(known.limits);
    this._part("way").hidden = !able().length && !this.isOn;
    this._element.querySelector(".composer").dataset.way = this.isOn ? "say" : "type";
    this._part("text").hidden = this.isOn;
    this._part("saying").hidden = !this.isOn;
    this._part("way-type").setAttribute("aria-pressed", String(!this.isOn));
    this._part("way-say").setAttribute("aria-pressed", String(this.isOn));
    this._part("way-say").title = engine?.converts ? "" : whoCan();
    if (!choice.isSettled) return;
    const told = this.isOn && !engine.converts ? engine.id : "";
    if (told && told !== this._told) this._sayWhoCan();
    this._told = told;
    this._recorder.showTime();
  }

  _makeRecorder(limits) {
    const most = () => this._most / 1000;
    const bounded = Object.defineProperty({ ...limits }, "recorded_seconds", { get: most });
    const timeWords = (_, isRecording) =>
      isRecording
        ? words("speak.say_up_to", { most: number(most()) })
        : words("speak.say_range", { least: limits.least_said_seconds, most: number(most()) });
    this._recorder = new Recorder(this._part("said"), { limits: bounded, line, onClip: (clip) => this._changed(clip), timeWords });
  }

  async _changed(clip) {
    if (this._sent) this._call("drop_clip", { draft: this._sent.draft });
    this._sent = null;
    this._problem = null;
    this._isCut = false;
    this._onChange();
    if (!clip) return;
    if (clip.settings && isFocusFree(this._part("said"))) this._part("speak-button").focus(); // Record has made way
    await this._send(clip);
  }

  _send(clip) {
    this._sending = this._sendNow(clip);
    return this._sending;
  }

  async _sendNow(clip) {
    this._isSending = true;
    this._recorder.showListening(true);
    const call = (name, asked) => this._call(name, asked);
    const sent = await call("take_clip", await clipSound.sent(clip.file));
    const sound = sent.problem ? null : await clipSound.chosen(call, clip, sent, choice.known.limits.heard_seconds);
    if (this._recorder.clip !== clip) return; // another one by now, which is on its way itself
    this._isSending = false;
    this._recorder.showListening(false);
    this._sent = sent.problem ? null : sent;
    this._problem = sent.problem ?? null;
    this._onChange();
    if (sent.problem) return line.complain(sent.problem);
    this._recorder.hear(sound, sent.source);
    if (sent.source.why === "other_speech") line.tell({ fact: words("create.other_voice"), hint: words("create.hear_other_voice") });
    const { seconds: length } = this.recording ?? {};
    if (length > this._most / 1000) this._offerBeginning(length, this._most / 1000, choice.known.title);
  }

  _offerBeginning(length, most, engine) {
    const press = () => {
      this._isCut = true;
      this._speak();
    };
    const acts = [{ words: words("speak.say_beginning", { most: number(most) }), press }];
    line.complain({ fact: words("speak.said_long", { length, most, engine }), hint: words("speak.say_less") }, acts);
  }
}

// Engines here that say a recording again, those last that failed.
function able() {
  const engines = hereOf(choice.known.engines ?? []).filter(({ converts }) => converts);
  return engines.sort((one, other) => Number(one.state === "failed") - Number(other.state === "failed"));
}

function whoCan() {
  const titles = able().map(({ title }) => title);
  return titles.length ? words("speak.who_says", { n: titles.length, engines: titles }) : "";
}

// Nobody is elsewhere: the focus is in the recorder, or was on what is hidden now.
const isFocusFree = (recorder) => document.activeElement === document.body || recorder.contains(document.activeElement);
