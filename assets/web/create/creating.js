// Creating: the five steps, and what is known of the voice to be. Any step can be visited at any time; only Create looks whether all is
// there, and leads to what is missing. Nothing that was entered is lost by a refusal.

import { choice } from "../choice/choice.js";
import { takeDrops } from "../kit/dropped.js";
import { onMount } from "../kit/frame.js";
import { onKeys } from "../kit/keys.js";
import { Reading } from "../recording/reading.js";
import { Recorder } from "../recording/recorder.js";
import { clipSound } from "../sound/clip_sound.js";
import { called } from "../transport/server_call.js";
import { words } from "../words/words.js";
import { Adopting, isTensor, TENSOR_KINDS } from "./adopting.js";
import { CheckStep } from "./check_step.js";
import { CreateDraft } from "./create_draft.js";
import { complain, isHeldUpBy, saidOf, tell } from "./create_notice.js";
import { EarlierRecordings } from "./earlier_recordings.js";
import { LearnStep } from "./learn_step.js";
import { clipObstacle, obstacleOf, stepOf } from "./obstacles.js";
import { PermissionStep } from "./permission_step.js";
import { Steps } from "./steps.js";
import { WordsStep } from "./words_step.js";
import { WrittenWords, writeWords } from "./written_words.js";

export let recorder, creating;

class Creating {
  constructor({ element, props, trigger, server }) {
    this._element = element.querySelector(".creating");
    this._server = server;
    this._trigger = trigger;
    this._draft = null; // what the server says of the clip
    this._limits = props.value.limits;
    this._find = (id) => this._element.querySelector(`#${id}`);
    this._call = this._call.bind(this);
    this.ask = this.ask.bind(this);
    this._buildSteps(props.value);
    if (props.value.writes_words) this._written = new WrittenWords(this._find, () => this._spoken, this._words);
    const { heard_seconds: heardSeconds } = this._limits;
    this._kept = new CreateDraft(this._find, { ask: this._call, recorder, heardSeconds });
    this._find("clip-another").addEventListener("click", () => this._addRecording());
    this._find("check-redo").addEventListener("click", () => this._recordAgain());
    this._find("create-button").addEventListener("click", () => this._create());
    this._find("create-forget").addEventListener("click", () => this._another());
    this._element.addEventListener("change", () => this._keep());
    document.addEventListener("studio-choice", () => this._listsChanged());
    onKeys(this._element, () => this._keys);
    this._begin();
    this._restore();
  }

  _buildSteps({ reasons, estimates, cleans }) {
    const [ask, onChange] = [this._call, () => this._keep()];
    const reading = () => this.reading?.chosen ?? null;
    const [limits, line] = [this._limits, { tell, complain }];
    recorder = new Recorder(this._find("clip"), {
      limits,
      line,
      onClip: (clip) => this._clipChanged(clip),
      reading,
      takes: (file) => this._takes(file),
    });
    this._find("clip-file").accept += `,${TENSOR_KINDS}`;
    takeDrops(this._find("panel-clip"), ([file]) => file && recorder.take(file));
    this._adopting = new Adopting(this._element.parentElement.querySelector("#create_adopt"), {
      ask,
      line,
      onMade: (made) => this._trigger("created", made),
    });
    this._adopting.prepare({ limits, reasons });
    this._steps = new Steps(this._element, { onOpen: () => this._opened(), onNext: () => this._next() });
    this._words = new WordsStep(this._find, { ask, reading: () => recorder.clip?.reading ?? null, onChange: () => this._wordsChanged() });
    const onRemove = (draft) => ask("drop_clip", { draft });
    this._earlier = new EarlierRecordings(this._find, {
      most: this._limits.recordings,
      onRemove,
      onChange: () => this._recordingsChanged(),
    });
    this._check = new CheckStep(this._element, {
      ask: this.ask,
      clip: () => recorder.clip,
      hasWords: () => this._hasWords,
      secondsBefore: () => this._earlier.seconds,
      before: () => this._earlier.asked,
      onChange: () => this._wordsChanged(),
      estimates,
      cleans,
    });
    const made = () => this._learn?.made?.voice;
    this._permission = new PermissionStep(this._find, { reasons, ask, made, onChange, onEnter: () => this._next() });
    this._learn = new LearnStep(this._element, {
      ask: this.ask,
      onMend: (parameter) => this.open(stepOf(parameter)),
      onLeaveOut: () => this._leaveWordsOut(),
      onSpeak: (voice) => this._trigger("speak", { voice }),
      onAnother: () => this._another(),
      onTick: onChange,
      onLearned: (voice) => this._learned(voice),
    });
  }

  // Whether the server has looked at the clip and at the region as they are now.
  get isChecked() {
    return Boolean(this._check.report);
  }

  get region() {
    return this._check.region;
  }

  // The server's answer, or { problem: { fact, hint, code, parameter } }. A clip that the server let go of is sent again.
  async ask(name, values = {}) {
    const answer = await this._call(name, values);
    if (answer.problem?.code !== "draft_gone" || !recorder.clip || !values.draft) return answer;
    const take = async (file) => this._call("take_clip", await clipSound.sent(file));
    const taken = await take(recorder.clip.file);
    if (taken.problem) return taken;
    this._draft.draft = taken.draft;
    if (values.before) await this._earlier.sendAgain(take);
    return this._call(name, this._asNow(values));
  }

  // The same, with the drafts as the studio knows them now: clips may have been sent again.
  _asNow(values) {
    const before = values.before?.map((part, at) => ({ ...part, draft: this._earlier.drafts[at] }));
    return { ...values, draft: this._draft?.draft, ...(before && { before }) };
  }

  _call(name, values) {
    return called(this._server, name, values, "E-NET-1");
  }

  open(step, isAsked = true) {
    this._steps.open(step, isAsked);
  }

  _opened() {
    tell();
    this._written?.look();
    this._find(`panel-${this._steps.step}`).querySelector(".panel-end").prepend(this._find("create-forget"));
    if (["extract", "transcript"].includes(this._steps.step)) this._showEngines();
    this._keep();
  }

  async _begin() {
    const texts = await this._call("reading_texts", {});
    if (!texts.problem) this.reading = new Reading(this._element, texts, this._readingBefore);
    await this._showEngines();
    this._mark();
  }

  async _clipChanged(clip) {
    const before = this._draft;
    this._showClip(null);
    if (before) this._call("drop_clip", { draft: before.draft });
    this._keep();
    if (!clip) return;
    this._taking = this._take(clip);
    await this._taking;
  }

  async _take(clip) {
    recorder.showListening(true);
    const taken = await this._call("take_clip", await clipSound.sent(clip.file));
    const sound = taken.problem ? null : await clipSound.chosen(this._call, clip, taken, this._limits.heard_seconds);
    recorder.showListening(false);
    if (recorder.clip !== clip) return; // another one by now
    if (taken.problem) return complain(taken.problem);
    recorder.hear(sound, taken.source);
    this._showClip(taken);
    if (this._steps.step === "clip") this.open("check");
    if (taken.cut_seconds) {
      tell({ fact: words("create.only_beginning", { length: taken.cut_seconds }), hint: words("create.choose_part") });
    }
    if (taken.source.why === "other_speech") tell({ fact: words("create.other_voice"), hint: words("create.hear_other_voice") });
  }

  // taken: what the server says of the clip, null without one. isClean: whether the cleaned one was chosen.
  _showClip(taken, isClean = false) {
    this._draft = taken;
    this._showRecordings();
    this._check.open(taken, isClean);
    this._words.showReading();
  }

  // Whether a file is no recording, and taken care of: what other tools made of a voice.
  _takes(file) {
    if (isTensor(file)) this._adopting.take(file);
    return isTensor(file);
  }

  // The clip is one recording of several: it goes behind those before it, and the recorder is free for the next.
  async _addRecording() {
    await this._taking;
    if (!this.isChecked) await this._check.look();
    const obstacle = clipObstacle({ clip: recorder.clip, draft: this._draft }) ?? this._check.report?.obstacle;
    if (obstacle) return complain(obstacle);
    this._earlier.add({ ...this._check.asked, transcript: this._words.text, file: recorder.clip.file });
    this._find("voice-transcript").value = "";
    this._draft = null; // the studio keeps it
    recorder.clear();
    this.open("clip");
    tell({ fact: words("create.recording_kept", { n: this._earlier.length }), hint: words("create.record_next") });
  }

  _recordingsChanged() {
    this._showRecordings();
    this._wordsChanged();
  }

  _showRecordings() {
    const { length: n, hasRoom } = this._earlier;
    this._find("next-clip").hidden = !this._draft && !n;
    this._find("clip-another").hidden = !this._draft || !hasRoom;
    this._words.showNumber(n && n + 1, Boolean(this._draft) || !n);
  }

  // Of each recording the field of its words, and which part of a clip it is. Only the one in the recorder can be sent again alone.
  get _spoken() {
    const fields = this._element.querySelectorAll("#transcript-earlier textarea, #voice-transcript");
    const earlier = (this._earlier.asked.before ?? []).map(({ transcript, ...region }) => ({ region, ask: this._call }));
    const all = [...earlier, ...(this._draft ? [{ region: this._check.asked, ask: this.ask }] : [])];
    return all.map((recording, at) => ({ ...recording, field: fields[at] }));
  }

  get _hasWords() {
    const isAlone = !this._draft && this._earlier.length; // nothing is in the recorder
    return this._earlier.hasWords && Boolean(isAlone || this._words.text);
  }

  _recordAgain() {
    this.open("clip");
    if (recorder.clip) recorder.redo();
  }

  _wordsChanged() {
    this._keep();
    this._words.judge(this._check.report?.speech_seconds ?? 0);
    this._written?.look();
  }

  async _showEngines() {
    const isForbidden = Boolean(this._check.report?.obstacle);
    const asked = {
      seconds: this._seconds || null,
      has_transcript: this._hasWords,
      is_forbidden: isForbidden,
      refused: this._check.report?.refused,
    };
    const answer = await this._call("engine_rows", asked);
    if (answer.problem) return complain(answer.problem);
    const focused = document.activeElement?.id;
    this._words.showEngines(answer.engines, answer.languages);
    this._learn.showEngines(answer.engines);
    if (focused && document.activeElement?.id !== focused) this._find(focused)?.focus({ preventScroll: true });
  }

  // Of all recordings.
  get _seconds() {
    return this._earlier.seconds + (this._check.seconds ?? 0);
  }

  // Voices or engines are others, or are otherwise: whatever window or program changed them.
  _listsChanged() {
    const { voices, engines } = choice.known;
    const lists = JSON.stringify([voices, engines]);
    if (lists === this._lists) return;
    this._lists = lists;
    this._permission.name.look();
    this._showEngines();
  }

  get _entered() {
    return { ...this._permission.entered, transcript: this._words.text, language: this._words.language };
  }

  async _create() {
    if (this._isCreating) return;
    this._isCreating = true;
    try {
      await this._taking;
      if (this._written && !(await this._written.fit())) return this.open("transcript");
      const fields = { ...this._check.asked, ...this._entered, ...this._earlier.asked };
      const made = await this._learn.create(fields, this._permission.name.replaces);
      if (made.problem) return this._refused(made.problem);
      this._kept.forget();
      this._permission.name.look();
      this._trigger("created", { voice: made.voice });
      await this._learn.learn(this._asNow(fields));
    } finally {
      this._isCreating = false;
      this._learn.show();
      this._mark();
    }
  }

  // Of all recordings, since a voice has all of them or none.
  _leaveWordsOut() {
    for (const { field } of this._spoken) writeWords(field, "");
    return this._create();
  }

  async _learned(voice) {
    this._trigger("created", { voice });
    await this._showEngines();
  }

  _refused(problem) {
    const n = problem.values?.recording; // which of several
    const isEarlier = n && n <= this._earlier.length;
    const step = stepOf(problem.parameter);
    if (step) this.open(problem.code === "clip_absent" || isEarlier ? "clip" : step);
    const { fact, hint } = saidOf(problem);
    complain(isEarlier ? { ...problem, fact: words("create.of_recording", { n, fact }), hint } : problem);
  }

  _another() {
    this._find("voice-transcript").value = "";
    this._permission.clear();
    this._learn.clear();
    this._earlier.clear();
    recorder.clear();
    this.open("clip");
    this._kept.forget();
  }

  async _next() {
    if (this._steps.step === "clip") await this._taking;
    if (this._steps.step === "check" && !this.isChecked) await this._check.look(); // it was moved a moment ago
    if (this._obstacle) return complain(this._obstacle);
    if (this._steps.step === "clip" && !recorder.clip) return this.open("transcript"); // those before it were looked at
    this._steps.openNext();
  }

  // Why one cannot go on from here; going elsewhere by the steps' own buttons is never held up.
  get _obstacle() {
    const clip = { clip: recorder.clip, draft: this._draft, report: this._check.report };
    const all = { nEarlier: this._earlier.length, seconds: this._seconds, mostSeconds: this._limits.learned_seconds };
    return obstacleOf({ step: this._steps.step, ...clip, ...all, permission: this._permission.obstacle });
  }

  // Which steps have what they need.
  _mark() {
    const { report } = this._check;
    isHeldUpBy(this._obstacle?.code);
    this._steps.mark({
      clip: this._draft || this._earlier.length,
      check: report ? !report.obstacle : !recorder.clip && this._earlier.length,
      transcript: this._hasWords,
      consent: !this._permission.obstacle,
      extract: this._learn.made,
    });
  }

  _keep() {
    const { reason, ...kept } = this._entered;
    const clip = this._draft && this._check.asked;
    this._mark();
    const parts = {
      clip,
      ...this._earlier.asked,
      ...kept,
      step: this._steps.step,
      ticks: this._learn.rows.wanted,
      reading: this.reading?.choice,
    };
    this._kept.keep(parts, Boolean(this._learn.made));
  }

  async _restore() {
    const { clip, before, step, language = "", ticks, reading } = await this._kept.restored();
    this._earlier.restore(before);
    this._words.language = language;
    this._readingBefore = reading; // its texts may come later
    this._learn.rows.restore(ticks);
    this.reading?.choose(reading);
    this._permission.name.look();
    if (step && this._steps.step === "clip") this.open(step, false);
    const found = clip && !recorder.clip ? await this._kept.foundClip(clip) : null;
    if (!found) return;
    this._showClip(found, clip.is_clean);
    this.region.set(clip.start, clip.end);
  }

  get _keys() {
    const { step } = this._steps;
    if (step === "clip") return { r: () => recorder.toggle(), " ": () => recorder.play(), backspace: () => recorder.redo() };
    return step === "check" ? { " ": () => this._check.play(), backspace: () => this._recordAgain() } : {};
  }
}

onMount("creating", (tools) => {
  creating = new Creating(tools);
});
