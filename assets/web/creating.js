// Creating: the five steps, what was entered in them, and the way from one to the next. Any step can be visited at any time; only Create
// looks whether all is there, and leads to what is missing. Nothing that was entered is lost by a refusal.

import { showReport } from "./clip_report.js";
import { clipSound } from "./clip_sound.js";
import { doubtConnection } from "./connection.js";
import { showReasons } from "./consent.js";
import { CreateDraft } from "./create_draft.js";
import { Extraction } from "./extracting.js";
import { make, onMount } from "./frame.js";
import { queued } from "./gradio_transport.js";
import { onKeys } from "./keys.js";
import { languageOptions } from "./language.js";
import { say as sayAt } from "./notices.js";
import { speakOptions } from "./options.js";
import { player } from "./player.js";
import { Reading } from "./reading.js";
import { Recorder } from "./recorder.js";
import { Region } from "./region.js";
import { TranscriptCheck } from "./transcript.js";
import { NameCheck } from "./voice_name.js";

export let recorder, creating;

const STEPS = ["clip", "check", "transcript", "consent", "extract"];
const STEP_OF = { clip: "check", transcript: "transcript", consent: "consent", name: "consent" }; // of a refusal's parameter
const SETTLE_MILLISECONDS = 200; // between the last drag and the question how good that region is

const say = (message) => sayAt("create-message", message);
const complain = ({ fact, hint, code }) => say({ kind: "problem", fact, hint, code });

class Creating {
  constructor({ element, props, trigger, server }) {
    this._element = element.querySelector(".creating");
    this._server = server;
    this._trigger = trigger;
    this._draft = null; // what the server says of the clip
    this._report = null; // what it says of the region
    this._made = null; // { voice, generation } of this visit
    this._call = this._call.bind(this);
    this.ask = this.ask.bind(this);
    this._kept = new CreateDraft((id) => this._find(id), this._call);
    this.region = new Region(this._element, () => this._regionChanged());
    const told = { onTick: () => this._showCreate(), onMend: (parameter) => this.open(STEP_OF[parameter]) };
    this.extraction = new Extraction(this._element, this.ask, told);
    const reading = () => (this._wasRead ? this.reading?.chosen : null) ?? null;
    recorder = new Recorder(this._find("clip"), { onClip: (clip) => this._clipChanged(clip), reading });
    this._wasRead = true;
    showReasons(this._find("consent-reasons"), this._find("consent-statement"), props.value.reasons, () => this._showMarks());
    this._wire();
    this._begin();
    this._restore();
  }

  // Whether the server has looked at the clip and at the region as they are now.
  get isChecked() {
    return Boolean(this._report);
  }

  // The server's answer, or { problem: { fact, hint, code, parameter } }. A clip that the server let go of is sent again.
  async ask(name, values = {}) {
    const answer = await this._call(name, values);
    if (answer.problem?.code !== "draft_gone" || !recorder.clip || !values.draft) return answer;
    const taken = await this._call("take_clip", await clipSound.sent(recorder.clip.file));
    if (taken.problem) return taken;
    this._draft = { ...this._draft, draft: taken.draft };
    return this._call(name, { ...values, draft: taken.draft });
  }

  async _call(name, values) {
    try {
      return (await (queued?.[name] ?? this._server[name])(values)) ?? {};
    } catch {
      doubtConnection();
      return {
        problem: { fact: "The studio did not answer.", hint: "Check the connection and try again; nothing is lost.", code: "E-NET-1" },
      };
    }
  }

  // isAsked: somebody wants to go there, and the focus follows.
  open(step, isAsked = true) {
    this._step = step;
    this._element.dataset.step = step;
    for (const name of STEPS) {
      this._find(`panel-${name}`).hidden = name !== step;
      const button = this._find(`step-${name}`);
      if (name === step) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
    say();
    if (isAsked) this._find(`title-${step}`).focus({ preventScroll: true });
    if (isAsked) this._element.querySelector(".steps").scrollIntoView({ block: "nearest" });
    if (step === "extract" || step === "transcript") this._showEngines();
    this._keep();
  }

  _find(id) {
    return this._element.querySelector(`#${id}`);
  }

  _wire() {
    for (const name of STEPS) this._find(`step-${name}`).addEventListener("click", () => this.open(name));
    for (const button of this._element.querySelectorAll(".next")) button.addEventListener("click", () => this._next());
    const back = () => this.open(STEPS[STEPS.indexOf(this._step) - 1]);
    for (const button of this._element.querySelectorAll(".back")) button.addEventListener("click", back);
    this._find("region-play").addEventListener("click", () => this._playRegion());
    this._judged = new TranscriptCheck(this._find("transcript-check"), this._call);
    this._find("voice-transcript").addEventListener("input", () => this._transcriptChanged());
    this._find("transcript-reading").addEventListener("click", () => this._insertReading());
    this._find("create-button").addEventListener("click", () => this._create());
    this._find("speak-now").addEventListener("click", () => this._trigger("speak"));
    for (const id of ["create-another", "create-forget"]) this._find(id).addEventListener("click", () => this._another());
    const [field, line] = [this._find("voice-name"), this._find("voice-name-clash")];
    this._name = new NameCheck({ field, line, ask: this._call, but: () => this._made?.voice, onChange: () => this._showMarks() });
    document.addEventListener("studio-choice", () => this._listsChanged());
    for (const id of ["voice-name", "consent-who"]) this._find(id).addEventListener("input", () => this._keep());
    this._find("voice-name").addEventListener("keydown", (event) => event.key === "Enter" && this._next());
    this._element.addEventListener("change", () => this._keep());
    onKeys(this._element, () => this._keys);
    this._step = "clip";
  }

  async _begin() {
    const texts = await this._call("reading_texts", {});
    if (!texts.problem) this.reading = new Reading(this._element, texts, this._readingBefore);
    await this._showEngines();
    this._showMarks();
  }

  // --- one: the clip

  async _clipChanged(clip) {
    const before = this._draft;
    this._draft = this._report = null;
    if (before) this._call("drop_clip", { draft: before.draft });
    this._find("check-clip").hidden = this._find("transcript-reading").hidden = true;
    this._find("check-empty").hidden = false;
    this._keep();
    if (!clip) return;
    this._taking = this._take(clip);
    await this._taking;
  }

  async _take(clip) {
    const taken = await this._call("take_clip", await clipSound.sent(clip.file));
    if (recorder.clip !== clip) return; // another one by now
    if (taken.problem) return complain(taken.problem);
    this._showClip(taken);
  }

  // taken: what the server says of the clip.
  _showClip(taken) {
    this._draft = taken;
    this._find("check-clip").hidden = false;
    this._find("check-empty").hidden = true;
    this._find("transcript-reading").hidden = !recorder.clip.reading;
    this.region.open(taken);
    if (taken.cut) say({ kind: "note", ...taken.cut });
  }

  // --- two: region and quality

  _regionChanged() {
    this._report = null;
    this._keep();
    clearTimeout(this._settling);
    this._settling = setTimeout(() => this._check(), SETTLE_MILLISECONDS);
  }

  get _asked() {
    return { draft: this._draft?.draft, start: this.region.start, end: this.region.end };
  }

  async _check() {
    clearTimeout(this._settling);
    if (!this._draft) return;
    const asked = this._asked;
    const report = await this.ask("check_region", { ...asked, has_transcript: this._hasTranscript });
    if (!this._draft || asked.start !== this.region.start || asked.end !== this.region.end) return; // it was moved on
    if (report.problem) return complain(report.problem);
    this._report = report;
    showReport(this._element, report);
    if (this._step === "check") report.obstacle ? complain(report.obstacle) : say();
    this._transcriptChanged();
    this._showMarks();
  }

  async _playRegion() {
    if (["playing", "waiting"].includes(player.state)) return player.stop();
    const heard = clipSound.own(recorder.clip ?? {}, this.region) ?? (await clipSound.served(this.ask, this._asked));
    if (heard.problem) return complain(heard.problem);
    player.play(heard, { label: "Region" });
  }

  // --- three: transcript

  get _hasTranscript() {
    return Boolean(this._find("voice-transcript").value.trim());
  }

  _transcriptChanged() {
    this._keep();
    this._judged.show(this._find("voice-transcript").value.trim(), this._report?.speech_seconds ?? 0);
    this._showMarks();
  }

  _insertReading() {
    const { text, language } = recorder.clip.reading;
    this._find("voice-transcript").value = text;
    const select = this._find("clip-language-code");
    if ([...select.options].some(({ value }) => value === language)) select.value = language;
    this._transcriptChanged();
  }

  async _showEngines() {
    const seconds = this._draft ? (this.region.end - this.region.start) / 1000 : null;
    const obstacle = this._report?.obstacle?.fact;
    const answer = await this._call("engine_rows", { seconds, has_transcript: this._hasTranscript, obstacle });
    if (answer.problem) return complain(answer.problem);
    const focused = document.activeElement?.id;
    const notes = answer.engines.map(({ transcript }) => make("li", { textContent: transcript }));
    this._find("transcript-notes").replaceChildren(...notes);
    this._showLanguages(answer.languages);
    this.extraction.show(answer.engines);
    if (focused && document.activeElement?.id !== focused) this._find(focused)?.focus({ preventScroll: true });
    this._showCreate();
  }

  // Voices or engines are others, or are otherwise: whatever window or program changed them.
  _listsChanged() {
    const { voices, engines } = speakOptions.choice;
    const lists = JSON.stringify([voices, engines]);
    if (lists === this._lists) return;
    this._lists = lists;
    this._name.look();
    this._showEngines();
  }

  _showLanguages(codes) {
    const select = this._find("clip-language-code");
    if (select.options.length) return;
    select.replaceChildren(...languageOptions(codes, "Not said"));
    select.value = this._language ?? "";
    select.disabled = false;
  }

  // --- four: consent and name

  get _entered() {
    const value = (id) => this._find(id).value.trim();
    return {
      name: value("voice-name"),
      transcript: value("voice-transcript"),
      language: this._find("clip-language-code").value,
      who: value("consent-who"),
      reason: this._element.querySelector("[name=consent-reason]:checked")?.value ?? null,
    };
  }

  // --- five: extract

  _showCreate() {
    const n = this.extraction.ticked.length;
    const button = this._find("create-button");
    button.disabled = !this.extraction.isKnown;
    button.classList.toggle("primary", !this._made);
    const verb = this._made ? "Extract again" : "Create voice";
    button.textContent = this.extraction.isRunning
      ? "Extracting…"
      : n
        ? `${verb} (${n} ${n === 1 ? "engine" : "engines"})`
        : `${verb} without extracting`;
  }

  // The same fields again extract only; others replace what this visit made.
  async _create() {
    if (this._isCreating) return;
    this._isCreating = true;
    try {
      await this._taking;
      const fields = { ...this._asked, ...this._entered };
      const same = this._made && JSON.stringify(fields) === this._madeOf;
      const more = { made: this._made?.generation ?? null, replace: this._name.replaces };
      const made = same ? this._made : await this.ask("create_voice", { ...fields, ...more });
      if (made.problem) return this._refused(made.problem);
      fields.draft = this._draft?.draft; // it may have been sent again
      [this._made, this._madeOf] = [made, JSON.stringify(fields)];
      this._kept.forget();
      this._name.look();
      this._trigger("created", { voice: made.voice });
      await this._extract(made.voice);
    } finally {
      this._isCreating = false;
      this._showCreate();
    }
  }

  async _extract(voice) {
    say({ fact: `${voice} is stored.`, hint: "The engines are learning it…" });
    const running = this.extraction.run(voice);
    this._showCreate();
    const { done, failed } = await running;
    this._trigger("created", { voice });
    await this._showEngines();
    say(await this.extraction.conclude(voice, { done, failed }));
  }

  _refused(problem) {
    const step = STEP_OF[problem.parameter];
    if (step) this.open(problem.code === "clip_absent" ? "clip" : step);
    complain(problem);
  }

  _another() {
    this._made = this._madeOf = null;
    for (const id of ["voice-name", "voice-transcript", "consent-who"]) this._find(id).value = "";
    for (const radio of this._element.querySelectorAll("[name=consent-reason]")) radio.checked = false;
    this.extraction.clear();
    recorder.clear();
    this._name.look();
    this.open("clip");
    this._kept.forget();
  }

  // --- all of them

  async _next() {
    if (this._step === "clip") await this._taking;
    if (this._step === "check" && !this._report) await this._check(); // it was moved a moment ago
    const obstacle = this._obstacle();
    if (obstacle) return complain(obstacle);
    this.open(STEPS[STEPS.indexOf(this._step) + 1]);
  }

  // Why one cannot go on from here; going elsewhere by the steps' own buttons is never held up.
  _obstacle() {
    if (this._step === "clip" && !recorder.clip)
      return { fact: "There is no clip yet.", hint: "Record 6 to 20 seconds, or upload a file." };
    if (this._step === "clip" && !this._draft)
      return { fact: "The studio could not read this clip.", hint: "Record again, or choose another file." };
    if (this._step === "check")
      return this._draft ? this._report?.obstacle : { fact: "There is no clip yet.", hint: "Record or upload one in step 1." };
    if (this._step !== "consent") return null;
    const { reason, who, name } = this._entered;
    if (!reason) return { fact: "It is not said why this voice may be cloned.", hint: "Choose one of the four reasons.", code: "E-CONS-1" };
    if (!who) return { fact: "It is not said whose voice this is.", hint: "Name the person and the source of the clip.", code: "E-CONS-1" };
    if (!name) return { fact: "The voice has no name yet.", hint: "Type one." };
    return this._name.problem;
  }

  // Which steps have what they need.
  _showMarks() {
    const { reason, who, name } = this._entered;
    const done = {
      clip: Boolean(this._draft),
      check: Boolean(this._report && !this._report.obstacle),
      transcript: this._hasTranscript,
      consent: Boolean(reason && who && name && !this._name.problem),
      extract: Boolean(this._made),
    };
    for (const [index, step] of STEPS.entries()) {
      const button = this._find(`step-${step}`);
      button.dataset.done = String(done[step]);
      button.querySelector(".number").textContent = done[step] ? "✓" : String(index + 1);
      button.querySelector(".done").textContent = done[step] ? ", done" : "";
    }
  }

  _keep() {
    const { reason, ...words } = this._entered;
    const clip = this._draft && { draft: this._draft.draft, start: this.region.start, end: this.region.end };
    this._showMarks();
    const more = { step: this._step, ticks: this.extraction.wanted, reading: this.reading?.choice };
    this._kept.keep({ clip, ...words, ...more }, Boolean(this._made));
  }

  async _restore() {
    const { clip, step, language = "", ticks, reading } = await this._kept.restored();
    Object.assign(this, { _language: language, _readingBefore: reading }); // their lists may come later
    this.extraction.restore(ticks);
    this.reading?.choose(reading);
    this._name.look();
    if (step && this._step === "clip") this.open(step, false);
    const found = clip && !recorder.clip ? await this._kept.foundClip(clip) : null;
    if (!found) return;
    this._showClip(found);
    this.region.set(clip.start, clip.end);
  }

  // Of the step that is open: record and play without the mouse.
  get _keys() {
    if (this._step === "clip") return { r: () => recorder.toggle(), " ": () => recorder.play(), backspace: () => recorder.redo() };
    return this._step === "check" && this._draft ? { " ": () => this._playRegion() } : {};
  }
}

onMount("creating", (tools) => {
  creating = new Creating(tools);
});
