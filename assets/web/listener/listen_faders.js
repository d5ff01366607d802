// A trial with faders: sounds side by side, each with a score of 0 to 100, heard at the same place whichever sounds (ITU-R BS.1534-3); or
// two with grades of 1.0 to 5.0 beside the reference A, of which one is A itself and has 5.0 (ITU-R BS.1116-3).

import { icon } from "../drawings/icons.js";
import { make } from "../kit/frame.js";
import { number, words } from "../words/words.js";
import { CommentLine } from "./listen_comment.js";
import { Fader } from "./listen_fader.js";
import { faderScaleOf, padsOf, typedNow } from "./listen_methods.js";
import { announce, button, careNotice, PlayedBar, saidLines, showScreen } from "./listen_parts.js";

const REFERENCE = "R";
const BIG_STEP = 10;
const MOVES = { ArrowUp: 1, ArrowDown: -1, PageUp: BIG_STEP, PageDown: -BIG_STEP };
const REPEAT_WORDS = { "": "repeat", from: "repeat_to", part: "repeat_no_more" };

export class FaderTrial {
  // As PadTrial.
  constructor(trial, test, onAnswer) {
    this._trial = trial;
    this._test = test;
    this._scale = faderScaleOf(trial.method);
    this._onAnswer = onAnswer;
    this._player = null;
    this._typed = null;
    this._isAnswered = false;
    this._bar = new PlayedBar();
    this._keys = new Map(padsOf(trial.slots).map(({ label }) => [label, this._key(label)]));
    this._faders = new Map([...this._keys.keys()].filter((label) => label !== REFERENCE).map((label) => [label, this._fader(label)]));
    this._note = make("span", { className: "note" });
    this._next = button(words("listen.next"), () => this._finish(), { look: "primary" });
    this._comment = test.comments ? new CommentLine(() => this._finish()) : null;
    this._repeat = button(words("listen.repeat"), () => this._player?.repeatMore(), { look: "quiet", sign: "repeat" });
    this._show();
  }

  get keepsPlace() {
    return true;
  }

  begin(player) {
    this._player = player;
    for (const [, key] of this._keys) key.disabled = false;
    this._repeat.disabled = false;
    this.tick();
  }

  tick() {
    const player = this._player;
    const unheard = player?.missing;
    const missing = [...this._keys.keys()].filter((label) => !unheard || unheard.includes(label));
    this._bar.show(player?.position ?? 0, player?.part ?? null);
    for (const [label, key] of this._keys) this._drawKey(label, key);
    for (const [label, fader] of this._faders) fader.allow(!missing.includes(label));
    this._repeat.lastChild.textContent = words(`listen.${REPEAT_WORDS[player?.repeating ?? ""]}`);
    const unrated = [...this._faders].filter(([, fader]) => !fader.isRated).map(([label]) => label);
    const lacksBest = this._scale.isOfPoints && ![...this._faders.values()].some(({ value }) => value === this._scale.most);
    const isReady = missing.length + unrated.length === 0 && !lacksBest && !this._isAnswered;
    this._next.disabled = !isReady;
    this._comment?.allow(isReady);
    this._sayMissing(missing, unrated, lacksBest);
  }

  onKey(event) {
    if (event.key in MOVES) return this._move(MOVES[event.key]);
    const letter = event.key.toUpperCase();
    if ([REFERENCE, this._openName].includes(letter) && this._keys.has(REFERENCE)) return this._press(REFERENCE);
    if (this._keys.has(letter)) return this._press(letter);
    if (!/^[0-9]$/.test(event.key)) return false;
    const known = [...this._faders.keys()];
    this._typed = typedNow(this._typed, event.key, event.timeStamp / 1000, known);
    return known.includes(this._typed.text) && this._press(this._typed.text);
  }

  // What the open reference is called: of BS.1116 it is A.
  get _openName() {
    return this._scale.isOfPoints ? "A" : REFERENCE;
  }

  isPad(element) {
    return [...this._keys.values()].includes(element);
  }

  onEnter() {
    (this._comment ?? { press: () => this._next.click() }).press();
  }

  _show() {
    const { method, practice, asked } = this._trial;
    const parts = [];
    if (practice) parts.push(make("p", { className: "note", textContent: words("listen.practice_told") }));
    parts.push(...saidLines(this._trial, this._test));
    if (asked !== null)
      parts.push(careNotice(this._scale.isOfPoints ? this._gradesAsked(asked) : words("listen.asked_faders", { slot: asked })));
    const reference = this._keys.has(REFERENCE) ? [this._keys.get(REFERENCE)] : [];
    this._next.disabled = true;
    this._repeat.disabled = true;
    const row = make("div", { className: "beside" }, make("div", { className: "grow" }, this._bar.element), this._repeat, this._note);
    if (!this._comment) row.append(this._next);
    const ending = this._comment ? [row, this._comment.element] : [row];
    showScreen(
      words(`listen.${method.replace("-", "_")}_question`),
      [...parts, this._table(), ...ending, this._hint(reference.length > 0)],
      {
        isBroad: true,
        beside: reference,
      },
    );
  }

  _gradesAsked(slot) {
    const [least, most] = [this._scale.least, this._scale.most].map((grade) => number(grade, 1, 1));
    return words("listen.asked_grades", { slot, least, most });
  }

  _table() {
    const { isOfPoints } = this._scale;
    const scale = make(
      "div",
      { className: isOfPoints ? "scale of-points" : "scale" },
      ...this._scale.words.map((word) => make("span", { textContent: words(`listen.${word}`) })),
    );
    scale.setAttribute("aria-hidden", "true"); // each fader says its own
    const columns = [...this._faders].map(([label, fader]) => make("div", { className: "fader" }, fader.element, this._keys.get(label)));
    const table = make("div", { className: isOfPoints ? "mushra of-points" : "mushra" }, scale, ...columns);
    table.style.setProperty("--n", columns.length);
    return make("section", { className: "card pad-big" }, table);
  }

  _hint(hasReference) {
    const kbd = (key) => make("kbd", { textContent: key });
    const hasHidden = hasReference && this._trial.method !== "mushra-like";
    const told = hasHidden ? [words(`listen.${this._trial.method}_note`), " "] : [];
    const [first, last] = [[...this._faders.keys()][0], [...this._faders.keys()].at(-1)];
    const keys = [words("listen.keys"), " ", kbd(first), "–", kbd(last), ...(hasReference ? [", ", kbd(this._openName)] : []), " "];
    const moves = [words("listen.key_switch"), " ", kbd("↑"), " ", kbd("↓"), " ", words("listen.key_score")];
    return make("p", { className: "note" }, ...told, ...keys, ...moves);
  }

  _key(label) {
    const named = this._openName === REFERENCE ? "" : `${this._openName}: `;
    const face = label === REFERENCE ? named + words("listen.reference_button") : label;
    const look = label === REFERENCE ? "button" : "button mushra-key";
    const key = make("button", { type: "button", className: look, disabled: true }, icon("play"), make("span", { textContent: face }));
    if (label !== REFERENCE) key.setAttribute("aria-label", words("listen.sound_named", { label }));
    key.addEventListener("click", () => this._press(label));
    return key;
  }

  _fader(label) {
    return new Fader(label, this._scale, () => this.tick());
  }

  _drawKey(label, key) {
    const isPlaying = this._player?.playing === label;
    if (key.getAttribute("aria-pressed") === String(isPlaying)) return;
    key.setAttribute("aria-pressed", String(isPlaying));
    key.firstChild.replaceWith(icon(isPlaying ? "pause" : "play"));
  }

  _press(label) {
    if (!this._player) return false;
    this._player.press(label);
    return true;
  }

  // The score of what is heard, wherever the focus is.
  _move(by) {
    const fader = this._faders.get(this._player?.last);
    fader?.move(by);
    return Boolean(fader);
  }

  _sayMissing(missing, unrated, lacksBest) {
    const [unheard] = this._player ? missing : [null];
    let sentence = "";
    if (!this._player) sentence = words("listen.loading");
    else if (unheard === REFERENCE) sentence = words("listen.reference_unheard");
    else if (unheard) sentence = words("listen.fader_unheard", { label: unheard });
    else if (unrated.length) sentence = words("listen.fader_unrated", { label: unrated[0] });
    else if (lacksBest) sentence = words("listen.none_is_best");
    if (this._note.textContent === sentence) return;
    this._note.textContent = sentence;
    if (sentence === "") announce(words("listen.all_rated"));
  }

  _finish() {
    if (this._isAnswered) return;
    this._isAnswered = true;
    const scores = Object.fromEntries([...this._faders].map(([label, fader]) => [label, fader.value]));
    this.tick();
    this._onAnswer(scores, this._comment?.text ?? "");
  }
}
