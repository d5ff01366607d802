// A trial with pads: one to four sounds, a question or several, and answers that are off until all of them were heard.

import { icon } from "../drawings/icons.js";
import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { CommentLine } from "./listen_comment.js";
import { answersOf, padsOf, scalesOf, typedNow } from "./listen_methods.js";
import { announce, button, careNotice, PlayedBar, phoneScreen, saidLines, showScreen } from "./listen_parts.js";
import { ScaleAnswers } from "./listen_scales.js";

const MANY = 4; // answers that stand one above the other on a phone

export class PadTrial {
  // trial: as the studio says it. test: its invitation. onAnswer(value, comment): told once.
  constructor(trial, test, onAnswer) {
    this._trial = trial;
    this._test = test;
    this._onAnswer = onAnswer;
    this._player = null;
    this._typed = null;
    this._chosen = null;
    this._isAnswered = false;
    this._isWhole = test.hears_whole;
    this._answers = answersOf(trial.method, test.no_preference);
    this._bar = new PlayedBar();
    this._pads = new Map(padsOf(trial.slots).map(({ label }) => [label, this._pad(label, trial.slots.length)]));
    this._buttons = new Map(this._answers.map((answer) => [answer.value, this._answer(answer)]));
    this._row = make("div", { className: this._answers.length >= MANY ? "answers many" : "answers", role: "group" });
    this._row.style.setProperty("--n", this._answers.length);
    const said = scalesOf(trial, test.scales, (key, values) => words(`listen.${key}`, values));
    this._scales = said.length ? new ScaleAnswers(said, () => this._choosePoints()) : null;
    this._next = this._scales && !test.comments ? button(words("listen.next"), () => this._finish(), { look: "primary big" }) : null;
    this._note = make("p", { className: "note keys-line" });
    this._comment = test.comments ? new CommentLine(() => this._finish()) : null;
    this._show();
  }

  get keepsPlace() {
    return false;
  }

  // All of its sounds are there, and none of them before.
  begin(player) {
    this._player = player;
    for (const [, pad] of this._pads) pad.disabled = false;
    this.tick();
  }

  tick() {
    const player = this._player;
    const missing = player ? player.missing : [...this._pads.keys()];
    this._bar.show(player?.position ?? 0);
    for (const [label, pad] of this._pads) this._draw(label, pad, missing);
    const isHeard = missing.length === 0;
    for (const [, each] of this._buttons) each.disabled = !isHeard || this._isAnswered;
    this._scales?.allow(isHeard && !this._isAnswered);
    const isReady = isHeard && this._chosen !== null;
    this._comment?.allow(isReady);
    if (this._next) this._next.disabled = !isReady || this._isAnswered;
    if (isHeard !== this._wasHeard) this._sayNote(isHeard);
    this._wasHeard = isHeard;
  }

  onKey(event) {
    const label = event.key.toUpperCase();
    if (this._pads.has(label)) return this._press(label);
    const known = this._answers.map(({ key }) => key);
    if (known.length === 0 || !/^[-0-9]$/.test(event.key)) return false;
    this._typed = typedNow(this._typed, event.key, event.timeStamp / 1000, known);
    const answer = this._answers.find(({ key }) => key === this._typed.text);
    if (answer) this._buttons.get(answer.value).click();
    return Boolean(answer);
  }

  // Whether an element is one of its pads, on which Space pauses.
  isPad(element) {
    return [...this._pads.values()].includes(element);
  }

  _press(label) {
    if (!this._player) return false;
    this._player.press(label);
    return true;
  }

  _show() {
    const { method, practice, asked } = this._trial;
    const parts = [];
    if (practice) parts.push(make("p", { className: "note middle", textContent: words("listen.practice_told") }));
    parts.push(...saidLines(this._trial, this._test));
    if (asked !== null) parts.push(careNotice(this._scales?.asked(asked) ?? words("listen.asked", { answer: this._wordOf(asked) })));
    const pads = make("div", { className: "pads", role: "group" }, ...this._pads.values());
    pads.setAttribute("aria-label", words("listen.sounds"));
    pads.style.setProperty("--n", this._pads.size);
    this._row.setAttribute("aria-label", words("listen.answers"));
    this._arrange();
    const onTurn = () => this._arrange();
    phoneScreen.onchange = onTurn;
    showScreen(words(this._scales ? "listen.scales_title" : `listen.${method}_question`), [
      ...parts,
      pads,
      this._bar.element,
      ...(this._scales ? [this._scales.element] : [this._row]),
      ...(this._next ? [make("div", { className: "verbs" }, this._next)] : []),
      ...(this._comment ? [this._comment.element] : []),
      this._note,
    ]);
  }

  // The best on top where they stand one above the other.
  _arrange() {
    const buttons = [...this._buttons.values()];
    const isColumn = phoneScreen.matches && buttons.length >= MANY;
    this._row.replaceChildren(...(isColumn ? buttons.reverse() : buttons));
  }

  _pad(label, n) {
    const face = n === 1 ? icon("play", 40) : label;
    const pad = make("button", { type: "button", className: label === "X" ? "pad-key x" : "pad-key", disabled: true }, face, make("small"));
    if (n === 1) pad.prepend(make("span", { className: "visually-hidden", textContent: words("listen.sound") }));
    pad.addEventListener("click", () => this._press(label));
    return pad;
  }

  _draw(label, pad, missing) {
    const isPlaying = this._player?.playing === label;
    const [sign, sentence] = this._stateOf(label, isPlaying, missing.includes(label));
    pad.setAttribute("aria-pressed", String(isPlaying));
    const small = pad.lastChild;
    if (small.dataset.said === sentence) return;
    small.dataset.said = sentence;
    small.replaceChildren(...(sign ? [icon(sign, 14)] : []), sentence);
  }

  _stateOf(label, isPlaying, isMissing) {
    if (!this._player) return ["", words("listen.loading")];
    if (isPlaying) return ["volume", words("listen.playing")];
    const n = this._player.plays[label];
    if (n === 0) return ["", words(label === "R" ? "listen.reference" : "listen.unheard")];
    if (isMissing) return ["", words("listen.half_heard")];
    return ["check", n === 2 ? words("listen.heard_twice") : words("listen.heard", { n })];
  }

  _answer({ value, word }) {
    const made = make("button", { type: "button", className: "button big", disabled: true, textContent: words(`listen.${word}`) });
    made.addEventListener("click", () => this._choose(value));
    return made;
  }

  _choose(value) {
    this._chosen = value;
    if (!this._comment) return this._finish();
    for (const [each, made] of this._buttons) made.setAttribute("aria-pressed", String(each === value));
    return this.tick();
  }

  // null until there is one on each scale.
  _choosePoints() {
    this._chosen = this._scales.value;
    this.tick();
  }

  _finish() {
    if (this._isAnswered || this._chosen === null) return;
    this._isAnswered = true;
    this.tick();
    this._onAnswer(this._chosen, this._comment?.text ?? "");
  }

  onEnter() {
    (this._comment ?? { press: () => this._next?.click() }).press();
  }

  _sayNote(isHeard) {
    const keys = [...this._pads.keys()].filter(() => this._pads.size > 1 || this._pads.has("R"));
    const note = isHeard
      ? words(this._scales ? "listen.scales_note" : `listen.${this._trial.method}_note`)
      : words(this._isWhole ? "listen.hear_whole" : "listen.hear_all", { n: this._pads.size });
    const hint = make("span", { className: "wide-only" }, make("br"), ...this._keyHint(keys));
    this._note.replaceChildren(note, hint);
    if (isHeard) announce(words("listen.all_heard"));
  }

  // Such as "A X B play, 1 2 answer, Space pauses".
  _keyHint(pads) {
    const kbd = (key) => [make("kbd", { textContent: key.replace("-", "−") }), " "];
    const answers = this._answers.map(({ key }) => key);
    const shown = answers.length > 3 ? [answers[0], "…", answers.at(-1)] : answers;
    const all = [
      [pads.length ? pads : [...this._pads.keys()], "key_play"],
      ...(shown.length ? [[shown, "key_answer"]] : []),
      [[words("listen.key_space")], "key_pause"],
    ];
    return all.flatMap(([keys, word], index) => [
      ...(index ? [words("listen.key_comma"), " "] : []),
      ...keys.flatMap((key) => (key === "…" ? ["… "] : kbd(key))),
      words(`listen.${word}`),
    ]);
  }

  _wordOf(value) {
    const answer = this._answers.find((each) => each.value === value);
    return answer ? words(`listen.${answer.word}`) : String(value);
  }
}
