// One line of a script as a row: who says it, what, a sliver of its wave, how it stands. It shows a line and decides nothing.

import { icon } from "../drawings/icons.js";
import { shape } from "../drawings/states.js";
import { printOf } from "../drawings/voiceprint.js";
import { make } from "../kit/frame.js";
import { apart, errorWords, seconds, words } from "../words/words.js";
import { extrasOf, lineShape, lineStateWords, rowWords, whoName } from "./line_words.js";

const PRINT_PIXELS = 24;
const ICON_PIXELS = 16;
const SVG = "http://www.w3.org/2000/svg";
const [WAVE_WIDTH, WAVE_HEIGHT] = [96, 24]; // units of the drawing
const CAST_LIST = "script-cast-names";

export class LineRow {
  constructor() {
    this._shown = ""; // what is drawn, as JSON
    this.number = button("line-number num", "select");
    this.play = button("play small", "play", icon("play", ICON_PIXELS));
    this.print = make("span", { className: "line-print" });
    this.who = make("input", { className: "line-who", dir: "auto", autocomplete: "off", spellcheck: false, maxLength: 64 });
    this.who.setAttribute("list", CAST_LIST);
    this.text = make("textarea", { className: "line-text", rows: 1, dir: "auto", maxLength: 5000 });
    this._mirror = make("div", { className: "line-mirror", dir: "auto" });
    this._mirror.setAttribute("aria-hidden", "true");
    this._extras = make("p", { className: "line-extras num note", dir: "auto" });
    this._wave = document.createElementNS(SVG, "svg");
    this._state = make("span", { className: "line-state" });
    this._length = make("span", { className: "line-length num" });
    this.more = button("button quiet square small", "menu", icon("more", ICON_PIXELS));
    this.more.setAttribute("aria-haspopup", "menu");
    this.more.setAttribute("aria-expanded", "false");
    this._below = make("div", { className: "line-below" });
    this._drawWave(null);
    const said = make("div", { className: "line-said" }, make("div", { className: "line-field" }, this.text, this._mirror), this._extras);
    const sound = make("div", { className: "line-sound" }, this._wave, this._length, this._state);
    const speaker = make("div", { className: "line-speaker" }, this.print, this.who);
    this.element = make("li", { className: "line", tabIndex: -1 }, this.number, this.play, speaker, said, sound, this.more, this._below);
  }

  /** line: undefined while it is fetched. told: {index, n, print, isCurrent, isSelected, isPlaying, isSounding, conflict, isTyping}. */
  show(line, told) {
    const drawn = JSON.stringify([line, told]);
    if (drawn === this._shown) return;
    this._shown = drawn;
    const { element } = this;
    element.setAttribute("aria-setsize", told.n);
    element.setAttribute("aria-posinset", told.index + 1);
    element.setAttribute("aria-busy", String(!line));
    element.toggleAttribute("data-loading", !line);
    this.number.textContent = told.index + 1;
    this._showPlace(told);
    if (!line) return;
    element.dataset.kind = line.kind;
    element.dataset.state = line.state;
    element.toggleAttribute("data-silent", line.is_silent);
    element.setAttribute("aria-label", rowWords(line, told.index, told.isSelected));
    this._showWritten(line, told);
    this._showSound(line, told);
    this._showBelow(line, told);
  }

  _showPlace({ index, isCurrent, isSelected, isPlaying }) {
    const { element } = this;
    element.toggleAttribute("data-current", isCurrent);
    element.toggleAttribute("data-selected", isSelected);
    element.toggleAttribute("data-playing", isPlaying);
    if (isPlaying) element.setAttribute("aria-current", "true");
    else element.removeAttribute("aria-current");
    for (const part of [element, this.play, this.who, this.text, this.more]) part.tabIndex = isCurrent ? 0 : -1;
    this.number.tabIndex = -1;
    this.number.setAttribute("aria-pressed", String(isSelected));
    label(this.number, words("scripts.select_line", { n: index + 1 }));
  }

  _showWritten(line, { index, print, isTyping, isPlaying }) {
    const n = index + 1;
    if (!isTyping && this.text.value !== line.text) this.text.value = line.text;
    this.fit();
    if (isPlaying) this._mirror.dataset.spoken = this.element.dataset.id;
    else delete this._mirror.dataset.spoken;
    if (document.activeElement !== this.who) this.who.value = line.who;
    this.who.placeholder = words("scripts.narrator");
    this.who.setAttribute("aria-label", words("scripts.who_of", { n }));
    this.text.setAttribute(
      "aria-label",
      words(line.kind === "heading" ? "scripts.heading_of" : "scripts.text_of", { n, who: whoName(line.who) }),
    );
    this.text.placeholder = words(line.kind === "heading" ? "scripts.heading_empty" : "scripts.text_empty");
    this.print.replaceChildren(printOf(print, PRINT_PIXELS));
    const extras = extrasOf(line);
    if (this._extras.textContent !== extras) this._extras.textContent = extras;
    this._extras.hidden = !extras;
    label(this.more, words("scripts.more_of", { n }));
  }

  // The field is as high as its mirror.
  fit() {
    const text = `${this.text.value}\u200b`;
    if (this._mirror.textContent !== text) this._mirror.textContent = text;
  }

  _showSound(line, { index, isSounding }) {
    const take = line.takes.find(({ id }) => id === line.chosen);
    const n = index + 1;
    this._drawWave(take?.peaks ?? null);
    this._length.textContent = line.seconds ? seconds(line.seconds) : "";
    const state = lineStateWords(line);
    if (this._state.dataset.word !== `${line.state} ${state}`)
      this._state.replaceChildren(shape(lineShape(line)), make("span", { textContent: state }));
    this._state.dataset.word = `${line.state} ${state}`;
    const sign = isSounding ? "pause" : "play";
    if (this.play.dataset.sign !== sign) this.play.replaceChildren(icon(sign, ICON_PIXELS));
    this.play.dataset.sign = sign;
    this.play.classList.toggle("strong", isSounding);
    this.play.disabled = line.is_silent;
    label(this.play, words(isSounding ? "scripts.pause_line" : "scripts.play_line", { n }));
  }

  _drawWave(peaks) {
    const drawn = String(peaks);
    if (this._wave.dataset.of === drawn) return;
    this._wave.dataset.of = drawn;
    this._wave.setAttribute("class", "line-wave");
    this._wave.setAttribute("viewBox", `0 0 ${WAVE_WIDTH} ${WAVE_HEIGHT}`);
    this._wave.setAttribute("aria-hidden", "true");
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", peaks ? waveOf(peaks) : `M0 ${WAVE_HEIGHT / 2}h${WAVE_WIDTH}`);
    this._wave.toggleAttribute("data-empty", !peaks);
    this._wave.replaceChildren(path);
  }

  // Why it could not be said, and what was written here of a line that another window changed.
  _showBelow(line, { index, conflict }) {
    const parts = [];
    if (line.state === "failed" && line.failure) parts.push(failureOf(line.failure, index + 1));
    if (conflict) parts.push(conflictOf(conflict, index + 1));
    this._below.replaceChildren(...parts);
    this._below.hidden = !parts.length;
  }
}

function failureOf({ reason_code: code, values, message: fact, hint }, n) {
  const said = errorWords({ code, values, fact, hint });
  const told = make("span", {}, make("b", { textContent: said.fact }), " ", said.hint);
  const again = button("button small", "again", icon("repeat", 14), words("scripts.try_again"));
  again.setAttribute("aria-label", words("scripts.say_again_of", { n }));
  return make("p", { className: "line-failure" }, icon("warning", ICON_PIXELS), told, again);
}

function conflictOf({ text }, n) {
  const told = make("span", {}, words("scripts.conflict"), " ", make("q", { textContent: apart(text), dir: "auto" }));
  const mine = button("button small", "mine", words("scripts.conflict_mine"));
  const theirs = button("button quiet small", "theirs", words("scripts.conflict_theirs"));
  mine.setAttribute("aria-label", words("scripts.conflict_mine_of", { n }));
  theirs.setAttribute("aria-label", words("scripts.conflict_theirs_of", { n }));
  return make("p", { className: "line-failure", role: "alert" }, icon("warning", ICON_PIXELS), told, mine, theirs);
}

// Bars around the middle. peaks: 0 to 100; as loud as it seems is nearer to the root.
function waveOf(peaks) {
  const step = WAVE_WIDTH / peaks.length;
  return peaks
    .map((peak, at) => {
      const half = Math.max(0.5, (WAVE_HEIGHT / 2 - 1) * Math.sqrt(peak / 100));
      return `M${(step * (at + 0.5)).toFixed(1)} ${(WAVE_HEIGHT / 2 - half).toFixed(1)}v${(2 * half).toFixed(1)}`;
    })
    .join("");
}

function button(className, act, ...children) {
  const element = make("button", { type: "button", className }, ...children);
  element.dataset.act = act;
  return element;
}

function label(element, said) {
  if (element.title === said) return;
  element.title = said;
  element.setAttribute("aria-label", said);
}
