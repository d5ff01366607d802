// The bar of a script: play, say, Stop, how far that is, what is selected. It shows the state and calls its verbs.

import { icon } from "../drawings/icons.js";
import { make } from "../kit/frame.js";
import { openMenu } from "../kit/menu.js";
import { countsWords, progressWords } from "../script_lines/line_words.js";
import { player } from "../sound/player.js";
import { milliseconds, words } from "../words/words.js";

const TAKES = [2, 3, 5]; // of each line, that are offered

export class ScriptBar {
  // acts: {play(), step(steps), say(asked), stop(), undo(), redo(), find(), export_(), selection: items of a menu}.
  constructor(state, element, { play, acts }) {
    this._state = state;
    this._play = play;
    this._acts = acts;
    this._element = element;
    this._button = button("play", "play", "play", words("scripts.play"), () => acts.play());
    this._before = button("button quiet square", "left", "before", words("scripts.line_before"), () => acts.step(-1));
    this._behind = button("button quiet square", "right", "behind", words("scripts.line_behind"), () => acts.step(1));
    this._say = button("button primary", "microphone", "say", "", () => this._pressSay());
    this._more = button("button", "down", "say-more", words("scripts.say_more"), () => this._openSay());
    this._undo = button("button quiet square", "replay", "undo", words("scripts.undo"), () => acts.undo());
    this._redo = button("button quiet square", "replay", "redo", words("scripts.redo"), () => acts.redo());
    this._find = button("button quiet square", "search", "find", words("scripts.find"), () => acts.find());
    this._export = button("button", "download", "export", words("scripts.export"), () => acts.export_());
    this._told = make("p", { className: "script-told num" });
    this._progress = make("div", { className: "progress", hidden: true }, make("i"));
    this._status = make("p", { className: "visually-hidden", role: "status" });
    this._selection = this._selectionBar();
    this._more.setAttribute("aria-haspopup", "menu");
    this._more.setAttribute("aria-expanded", "false");
    const playing = make("div", { className: "script-playing" }, this._before, this._button, this._behind);
    const saying = make("div", { className: "script-saying" }, this._say, this._more);
    const tools = make("div", { className: "script-tools" }, this._undo, this._redo, this._find, this._export);
    element.append(playing, saying, make("div", { className: "grow" }, this._told, this._progress), tools, this._selection, this._status);
    element.setAttribute("role", "toolbar");
    element.setAttribute("aria-label", words("scripts.bar"));
    for (const event of ["changed", "progress", "selected", "playing"]) state.addEventListener(event, () => this.show());
    player.addEventListener("change", () => this.show());
    this.show();
  }

  _selectionBar() {
    this._nSelected = make("span", { className: "strong num" });
    const say = button("button small", "microphone", "say-selected", words("scripts.say"), () =>
      this._acts.say({ lines: this._state.chosenLines, only: "all" }),
    );
    const more = button("button small", "more", "selected-more", words("scripts.more"), () =>
      openMenu(more, more.title, this._acts.selection(more)),
    );
    more.setAttribute("aria-haspopup", "menu");
    more.setAttribute("aria-expanded", "false");
    const none = button("button quiet small", "close", "select-none", words("scripts.select_none"), () => this._acts.selectNone());
    const bar = make("div", { className: "script-selection", hidden: true }, this._nSelected, say, more, none);
    return bar;
  }

  show() {
    const { script, progress, selected } = this._state;
    if (!script) return;
    const isSaying = Boolean(progress?.is_running);
    const isPlaying = this._play.isPlaying;
    face(this._button, isPlaying ? "pause" : "play", words(isPlaying ? "scripts.pause" : "scripts.play"));
    this._button.classList.toggle("strong", isPlaying);
    this._showSay(isSaying, script);
    this._undo.disabled = !script.can_undo;
    this._redo.disabled = !script.can_redo;
    this._showTold(script, progress, isSaying);
    this._selection.hidden = selected.size < 1;
    this._nSelected.textContent = words("scripts.n_selected", { n: selected.size });
  }

  _showSay(isSaying, script) {
    const open = script.n_lines - script.n_silent - script.n_said + script.n_stale;
    face(this._say, isSaying ? "stop" : "microphone", words(isSaying ? "scripts.stop" : open ? "scripts.say_open" : "scripts.say_all"));
    this._more.hidden = isSaying;
  }

  _showTold(script, progress, isSaying) {
    const sound = this._play.isPlaying ? this._play.firstSound : null;
    const first = sound === null ? "" : words("scripts.first_sound", { time: milliseconds(sound) });
    const said = isSaying ? progressWords(progress) : countsWords(script);
    const told = [said, first].filter(Boolean).join(" · ");
    if (this._told.textContent !== told) this._told.textContent = told;
    this._progress.hidden = !isSaying;
    this._progress.firstElementChild.style.width = isSaying ? `${(100 * progress.done) / Math.max(1, progress.total)}%` : "0";
    const status = isSaying ? words("scripts.saying_now", { n: progress.total }) : this._wasSaying ? words("scripts.saying_over") : "";
    if (isSaying || status) this._wasSaying = true;
    if (this._status.textContent !== status) this._status.textContent = status;
  }

  _pressSay() {
    if (this._state.progress?.is_running) return this._acts.stop();
    return this._acts.say({ only: "stale" });
  }

  _openSay() {
    const from = this._state.current || this._state.ids[0];
    const item = (key, sign, said, asked) => ({ key, icon: sign, words: said, act: () => this._acts.say(asked) });
    openMenu(this._more, this._more.title, [
      item("say_open", "microphone", words("scripts.say_open"), { only: "stale" }),
      item("say_from", "down", words("scripts.say_from", { n: this._state.indexOf(from) + 1 }), { from, only: "stale" }),
      item("say_all", "repeat", words("scripts.say_all"), { only: "all" }),
      { heading: words("scripts.best_of") },
      ...TAKES.map((n) => item(`best_${n}`, "star", words("scripts.best_of_n", { n }), { only: "stale", takes: n, best: true })),
      null,
      { key: "best", icon: "check", words: words("scripts.choose_best"), act: () => this._acts.chooseBest() },
    ]);
  }
}

function button(className, sign, act, said, press) {
  const element = make("button", { type: "button", className }, icon(sign), make("span", { className: "word", textContent: said }));
  element.dataset.act = act;
  if (/square|play/.test(className)) element.querySelector(".word").classList.add("visually-hidden");
  if (said) element.title = said;
  element.addEventListener("click", press);
  return element;
}

function face(element, sign, said) {
  const word = element.querySelector(".word");
  if (element.dataset.sign !== sign) element.querySelector("svg").replaceWith(icon(sign));
  element.dataset.sign = sign;
  if (word.textContent !== said) word.textContent = said;
  element.title = said;
}
