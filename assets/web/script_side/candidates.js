// The takes of the current line side by side: each is heard, goes on where another one is, and one of them is chosen, by hand or by the ears.
// Keys: 1 to 5 hear, Enter chooses what is heard, R says the line again.

import { icon } from "../drawings/icons.js";
import { chip } from "../drawings/states.js";
import { make } from "../kit/frame.js";
import { onKeys } from "../kit/keys.js";
import { ask, redraw } from "../kit/library.js";
import { signButton } from "../script_sheets/side_parts.js";
import { words } from "../words/words.js";
import { canMend, openMend } from "./mend_dialog.js";
import { areEarsMissing, barsOf, earFacts, reasonWords, takeBeside, takeFacts, takeKey } from "./take_lines.js";
import { TakeSounds } from "./take_sounds.js";

const MOST = 5;
const WAVE = { width: 192, height: 28 };
const SVG = "http://www.w3.org/2000/svg";

export function mountCandidates(state, element, tools) {
  return new Candidates(state, element, tools);
}

class Candidates {
  // tools: {say(notice)}.
  constructor(state, element, tools) {
    this._state = state;
    this._element = element;
    this._tools = tools;
    this._line = ""; // whose takes are shown
    this._frame = null;
    this._sounds = new TakeSounds(() => this._follow());
    this._title = make("h2", { className: "section-title" });
    this._text = make("p", { className: "note cut", dir: "auto" });
    this._list = make("ol", { className: "takes-side" });
    this._ears = make("p", { className: "note", textContent: words("scripts.takes_no_ears") });
    element.replaceChildren(make("div", { className: "takes-head" }, this._title, this._text), this._list, this._ears, this._foot());
    this._list.addEventListener("click", (event) => this._press(event));
    element.addEventListener("keydown", (event) => this._enter(event));
    onKeys(element, () => this._keys());
    state.addEventListener("selected", () => this.show());
    state.addEventListener(
      "changed",
      ({ detail: { lines, isReordered } }) => (isReordered || lines.includes(state.current)) && this.show(),
    );
    state.addEventListener("progress", () => this._showButtons());
    document.addEventListener("studio-choice", () => this._showButtons());
    this.show();
  }

  _foot() {
    const button = (said, press, sign) => {
      const made = make("button", { type: "button", className: "button small" }, ...(sign ? [icon(sign, 16)] : []), said);
      made.addEventListener("click", press);
      return made;
    };
    this._n = make(
      "select",
      { className: "select small" },
      ...[1, 2, 3, 4, 5].map((n) => make("option", { value: n, textContent: words("scripts.takes_more", { n }) })),
    );
    this._n.setAttribute("aria-label", words("scripts.takes_how_many"));
    this._again = button(words("scripts.takes_again"), () => this._sayAgain(), "repeat");
    this._again.append(make("kbd", { className: "wide-only", textContent: "R" }));
    this._mend = button(words("scripts.mend_words"), () => openMend(this._state, this._line), "pencil");
    this._best = button(words("scripts.takes_best"), () => this._chooseBest(), "star");
    this._bestAll = button(words("scripts.takes_best_all"), () => this._chooseBestOfAll());
    return make("div", { className: "beside wraps takes-foot" }, this._again, this._n, this._mend, this._best, this._bestAll);
  }

  get _told() {
    return this._state.script ? this._state.line(this._state.current) : undefined;
  }

  get _takes() {
    return this._told?.takes ?? [];
  }

  show() {
    const line = this._told;
    const isSeen = this._takes.length > 0;
    if (this._line !== (line?.id ?? "")) {
      this._line = line?.id ?? "";
      this._sounds.clear();
    }
    this._element.hidden = !isSeen;
    if (!isSeen) return;
    this._title.textContent = words("scripts.takes_title", { n: this._takes.length });
    this._text.textContent = line.text;
    this._list.setAttribute("aria-label", words("scripts.takes_title", { n: this._takes.length }));
    redraw(
      this._list,
      this._takes.map((take, at) => this._rowOf(take, at, line)),
      this._again,
    );
    this._ears.hidden = !areEarsMissing(this._takes);
    this._showButtons();
    this._follow();
  }

  _showButtons() {
    const isRunning = Boolean(this._state.progress?.is_running);
    this._mend.hidden = !canMend(this._told);
    this._best.disabled = this._takes.length < 2;
    this._bestAll.disabled = isRunning;
  }

  _rowOf(take, at, line) {
    const { id, is_stale: isStale, estimates, reason, warning } = take;
    const isChosen = line.chosen === id;
    const n = at + 1;
    const hear = make("button", { type: "button", className: "letter", textContent: String(n) });
    hear.setAttribute("aria-label", words("scripts.takes_hear", { n }));
    hear.title = words("scripts.takes_hear_title", { n });
    Object.assign(hear.dataset, { act: "hear", key: id });
    const choose = make(
      "button",
      { type: "button", className: "button small" },
      ...(isChosen ? [icon("check", 14)] : []),
      words(isChosen ? "scripts.takes_chosen" : "scripts.takes_choose"),
    );
    choose.setAttribute("aria-pressed", String(isChosen));
    choose.setAttribute("aria-label", words(isChosen ? "scripts.takes_chosen_of" : "scripts.takes_choose_of", { n }));
    Object.assign(choose.dataset, { act: "choose", key: id });
    const drop = signButton("trash", words("scripts.takes_delete", { n }), null, { act: "delete", key: id });
    const facts = make("span", { className: "note num", textContent: takeFacts(take) });
    const ears = earFacts(estimates).map(({ key, said }) => {
      const fact = make("span", { className: "chip plain num", textContent: said });
      if (key === "words" && estimates.heard) fact.title = words("scripts.takes_heard", { heard: estimates.heard });
      return fact;
    });
    const why = reasonWords(reason, hasWords);
    const about = make(
      "div",
      { className: "take-about" },
      facts,
      ...(isStale ? [chip("stale", words("scripts.takes_stale"))] : []),
      ...ears,
    );
    const notes = [why, warning].filter(Boolean).map((said) => make("p", { className: "note", textContent: said }));
    if (estimates?.heard && estimates.word_errors)
      notes.push(make("p", { className: "note", dir: "auto", textContent: words("scripts.takes_heard", { heard: estimates.heard }) }));
    const wave = make("div", { className: "take-wave" }, waveOf(take.peaks ?? []));
    wave.dataset.key = id;
    const row = make("li", { className: "take-side" }, hear, make("div", { className: "grow" }, wave, about, ...notes), choose, drop);
    row.dataset.chosen = isChosen;
    row.dataset.stale = Boolean(isStale);
    return row;
  }

  // What is heard, and how far it is.
  _follow() {
    const { playing, wanted } = this._sounds;
    for (const row of this._list.children) {
      const hear = row.querySelector("[data-act=hear]");
      hear.setAttribute("aria-pressed", String(hear.dataset.key === wanted));
    }
    this._element.style.setProperty("--at", `${100 * this._sounds.position}%`);
    this._list.dataset.heard = playing ?? "";
    for (const wave of this._list.querySelectorAll(".take-wave")) wave.dataset.heard = String(wave.dataset.key === playing);
    if (this._frame !== null) cancelAnimationFrame(this._frame);
    this._frame = playing ? requestAnimationFrame(() => this._tick()) : null;
  }

  _tick() {
    this._element.style.setProperty("--at", `${100 * this._sounds.position}%`);
    this._frame = this._sounds.playing ? requestAnimationFrame(() => this._tick()) : null;
  }

  _press({ target, clientX }) {
    const wave = target.closest(".take-wave");
    if (wave) {
      const { left, width } = wave.getBoundingClientRect();
      return this._hear(wave.dataset.key, (clientX - left) / width);
    }
    const { act, key } = target.closest("button")?.dataset ?? {};
    if (act === "hear") this._hear(key);
    if (act === "choose") this._choose(key);
    if (act === "delete") this._delete(key);
    return undefined;
  }

  _keys() {
    if (this._element.hidden || !this._takes.length) return {};
    const numbers = this._takes.map((take, at) => [String(at + 1), () => this._hearAt(take.id)]);
    return { ...Object.fromEntries(numbers), r: () => this._sayAgain() };
  }

  _hearAt(id) {
    this._numberOf(id)?.focus({ preventScroll: true });
    return this._hear(id);
  }

  /** @returns {HTMLElement | null} */
  _numberOf(id) {
    return this._list.querySelector(`[data-act=hear][data-key="${CSS.escape(id)}"]`);
  }

  // On the number of a take Enter chooses it, arrows go to the next one, and a space bar hears it, as at any button.
  _enter(event) {
    const { act, key } = event.target.dataset ?? {};
    if (act !== "hear" || event.ctrlKey || event.metaKey || event.altKey) return;
    const { move } = takeKey(event.key, this._takes) ?? {};
    if (event.key === "Enter") this._choose(key);
    else if (move) this._numberOf(takeBeside(this._takes, key, move))?.focus();
    else return;
    event.preventDefault();
  }

  async _hear(id, share = null) {
    const isHeard = this._sounds.playing === id;
    if (share !== null && isHeard) return this._sounds.seek(share);
    try {
      await this._sounds.toggle(id, this._state.takeAddress(this._line, id));
      if (share !== null) this._sounds.seek(share);
    } catch (error) {
      this._tools.say({ kind: "problem", fact: error.message, hint: error.hint ?? "" });
    }
    return undefined;
  }

  _choose(take) {
    if (this._told.chosen !== take) this._state.choose(this._line, take);
  }

  async _delete(take) {
    const at = this._takes.findIndex(({ id }) => id === take);
    if (!(await ask(words("scripts.takes_delete_question", { n: at + 1 }), words("scripts.takes_delete_yes")))) return;
    this._sounds.drop(take);
    this._state.deleteTake(this._line, take);
  }

  async _sayAgain() {
    const n = Number(this._n.value);
    const over = this._takes.length + n - MOST;
    if (
      over > 0 &&
      !(await ask(words("scripts.takes_over", { n: over, most: MOST }), words("scripts.takes_over_yes"), undefined, [], "primary"))
    )
      return;
    this._state.sayAgain(this._line, { takes: n });
  }

  async _chooseBest() {
    if (await this._state.chooseBest([this._line])) this._tools.say({ kind: "done", fact: words("scripts.takes_best_done") });
  }

  async _chooseBestOfAll() {
    if (!(await ask(words("scripts.takes_best_question"), words("scripts.takes_best_yes"), undefined, [], "primary"))) return;
    await this._state.chooseBest(null);
  }
}

function hasWords(key) {
  try {
    return Boolean(words(key));
  } catch {
    return false;
  }
}

function waveOf(peaks) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${WAVE.width} ${WAVE.height}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  for (const { x, y, height } of barsOf(peaks, WAVE.width, WAVE.height)) {
    const bar = document.createElementNS(SVG, "rect");
    for (const [name, value] of Object.entries({ x: x.toFixed(1), y: y.toFixed(1), width: 2, height: height.toFixed(1), rx: 1 }))
      bar.setAttribute(name, value);
    svg.append(bar);
  }
  return svg;
}
