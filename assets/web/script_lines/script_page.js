// The lines of a script on the page: the rows that are seen, where one is in them, and the keys. Of fields LineWriting knows the keys; of rows,
// which have the focus while nobody writes, single letters and arrows.

import { choice } from "../choice/choice.js";
import { make } from "../kit/frame.js";
import { player } from "../sound/player.js";
import { LineRow } from "./line_row.js";
import { guessedHeight } from "./line_words.js";
import { LineWriting } from "./line_writing.js";
import { VirtualList } from "./virtual_list.js";

const PAGE_ROWS = 10; // of Page up and Page down
const NARROW_PIXELS = 860; // of the lines: who speaks stands above the text (styles/scripts.css)
const ASIDE_PIXELS = { wide: 440, narrow: 300 }; // of a row: what is no text
const FIELD = "textarea, input";

export class ScriptPage {
  // state: a ScriptState. acts: {play(id), menu(id, button), again(id), seen(first, last), ...} by the names of keys and buttons.
  constructor(state, { scroller, list, acts }) {
    this._state = state;
    this._acts = acts;
    this._scroller = scroller;
    this._list = list;
    this._anchor = ""; // where a selection began
    this._names = make("datalist", { id: "script-cast-names" });
    scroller.before(this._names);
    const draw = {
      guess: (id) => guessedHeight(state.line(id), this._textWidth, this._scroller.clientWidth < NARROW_PIXELS),
      drawn: () => this._rowOf(),
      put: (row, id, index) => row.show(state.line(id), this._told(id, index)),
      seen: (first, last) => state.want(first, last),
    };
    this._rows = new VirtualList(scroller, list, draw);
    this.writing = new LineWriting(state, { rowOf: (id) => this._rows.row(id), focus: (id, at) => this.write(id, at) });
    this._wire();
  }

  _wire() {
    const { _state: state, _list: list } = this;
    state.addEventListener("named", ({ detail: { own, id } }) => this._rows.rename(own, id));
    state.addEventListener("changed", ({ detail }) => this._changed(detail));
    state.addEventListener("selected", () => this._rows.refresh());
    state.addEventListener("playing", () => this._rows.refresh());
    state.addEventListener("conflict", () => this._rows.refresh());
    state.addEventListener("gone", ({ detail: id }) => this.go(id));
    player.addEventListener("change", () => this._follow());
    document.addEventListener("studio-choice", () => this._rows.refresh()); // prints are known by now
    list.addEventListener("click", (event) => this._press(event));
    list.addEventListener("focusin", ({ target }) => this._enter(target));
    list.addEventListener("focusout", ({ target }) => target.matches("textarea") && this.writing.settle());
    list.addEventListener("input", ({ target }) => this._write(target));
    list.addEventListener("change", ({ target }) => this._changeWho(target));
    list.addEventListener("paste", (event) => event.target.matches("textarea") && this.writing.paste(event, idOf(event.target)));
    list.addEventListener("keydown", (event) => this._key(event));
    // On a phone the line that is written stays in sight above the keyboard.
    window.visualViewport?.addEventListener("resize", () => this._isWriting && this._rows.show(state.current));
  }

  get _isWriting() {
    return document.activeElement?.matches(FIELD) && this._list.contains(document.activeElement);
  }

  get _textWidth() {
    const width = this._scroller.clientWidth;
    return width - (width < NARROW_PIXELS ? ASIDE_PIXELS.narrow : ASIDE_PIXELS.wide);
  }

  _changed({ lines, isReordered, isScript }) {
    if (isReordered) this._rows.set(this._state.ids);
    if (isScript) this._showNames();
    this._rows.refresh(isReordered || isScript ? null : new Set(lines));
  }

  _showNames() {
    const names = (this._state.script?.cast ?? []).map(({ name }) => name).filter(Boolean);
    if (this._names.dataset.shown === names.join("\n")) return;
    this._names.dataset.shown = names.join("\n");
    this._names.replaceChildren(...names.map((value) => make("option", { value })));
  }

  _rowOf() {
    return new LineRow();
  }

  _told(id, index) {
    const { _state: state } = this;
    const line = state.line(id);
    const voice = line && state.memberOf(line).voice;
    const print = choice.known.voices?.find(({ name }) => name === voice)?.print ?? "";
    return {
      index,
      n: state.nLines,
      print,
      isCurrent: id === state.current || (!state.current && index === 0),
      isSelected: state.selected.has(id),
      isPlaying: id === state.playing,
      isSounding: id === state.playing && player.state === "playing",
      conflict: state.conflicts.get(id) ?? null,
      isTyping: this.writing?.isTyping(id) ?? false,
    };
  }

  // What plays or is paused now.
  _follow() {
    const row = this._state.playing && this._rows.row(this._state.playing);
    if (row) this._rows.refresh(new Set([this._state.playing]));
  }

  // --- where one is

  /** The row of a line gets the focus, and comes into sight. */
  go(id, { isMiddle = false } = {}) {
    if (this._state.indexOf(id) < 0) return;
    this._rows.show(id, { isMiddle });
    if (id !== this._state.current) this._state.select([...this._state.selected], id);
    this._rows.row(id)?.element.focus({ preventScroll: true });
  }

  /** The field of a line gets the caret. */
  write(id, at = 0) {
    if (this._state.indexOf(id) < 0) return;
    this._rows.show(id);
    this._state.select([], id);
    const field = this._rows.row(id)?.text;
    field?.focus({ preventScroll: true });
    field?.setSelectionRange(at, at);
  }

  /** Brings a line into sight and leaves the focus where it is. */
  show(id) {
    this._rows.show(id, { isMiddle: true });
  }

  /** The row that is drawn of a line. */
  row(id) {
    return this._rows.row(id);
  }

  _enter(target) {
    const id = idOf(target);
    if (id && id !== this._state.current) this._state.select([...this._state.selected], id);
  }

  // --- presses and keys

  _press({ target, shiftKey }) {
    const button = target.closest("button[data-act]");
    const id = idOf(target);
    if (!button || !id) return;
    const { act } = button.dataset;
    if (act === "select") return this._select(id, shiftKey);
    this.writing.settle();
    this._acts[act]?.(id, button);
  }

  _select(id, isUpTo) {
    const { selected } = this._state;
    if (isUpTo && this._anchor) return this._state.select(this._between(this._anchor, id), id);
    this._anchor = id;
    const ids = selected.has(id) ? [...selected].filter((one) => one !== id) : [...selected, id];
    return this._state.select(ids, id);
  }

  _between(one, other) {
    const [first, last] = [this._state.indexOf(one), this._state.indexOf(other)].sort((a, b) => a - b);
    return this._state.ids.slice(Math.max(0, first), last + 1);
  }

  _write(target) {
    if (!target.matches("textarea")) return;
    const id = idOf(target);
    this._rows.row(id)?.fit();
    this.writing.note(id, target.value);
  }

  _changeWho(target) {
    if (!target.matches("input")) return;
    const id = idOf(target);
    const { selected } = this._state;
    this.writing.setWho(selected.has(id) ? [...selected] : [id], target.value.trim());
  }

  _key(event) {
    const id = idOf(event.target);
    if (!id) return;
    if (event.target.matches("textarea")) return this._keyOfText(event, id);
    if (event.target.matches("input")) return this._keyOfWho(event, id);
    if (event.target.matches(".line")) this._keyOfRow(event, id);
    return undefined;
  }

  _keyOfText(event, id) {
    if (event.key === "Escape") return this._leaveField(event, id);
    const taken = this.writing.key(event, id);
    if (taken) event.stopPropagation();
    if (taken === true) event.preventDefault();
    return undefined;
  }

  _keyOfWho(event, id) {
    if (event.key === "Escape") {
      event.target.value = this._state.line(id)?.who ?? "";
      return this._leaveField(event, id);
    }
    if (event.key !== "Enter" || event.isComposing) return undefined;
    event.preventDefault();
    this._changeWho(event.target);
    const { text } = this._rows.row(id);
    text.focus();
    return undefined;
  }

  // Esc stops no sound here.
  _leaveField(event, id) {
    event.stopPropagation();
    event.preventDefault();
    this.writing.settle();
    this.go(id);
  }

  _keyOfRow(event, id) {
    const { key, altKey, shiftKey } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    const act = isCommand ? this._commands(key) : altKey ? this._moves(key) : this._letters(key, id, shiftKey);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  _commands(key) {
    if (key === "a") return () => this._state.select(this._state.ids);
    return null;
  }

  _moves(key) {
    const steps = { ArrowUp: -1, ArrowDown: 1 }[key];
    return steps && (() => this.writing.move(this._state.chosenLines, steps));
  }

  _letters(key, id, isUpTo) {
    const state = this._state;
    const steps = { ArrowUp: -1, k: -1, ArrowDown: 1, j: 1, PageUp: -PAGE_ROWS, PageDown: PAGE_ROWS }[key];
    if (steps) return () => this._step(id, steps, isUpTo);
    if (key === "Escape" && !state.selected.size) return null; // it stops the sound
    const row = this._rows.row(id);
    return {
      Home: () => this.go(state.ids[0]),
      End: () => this.go(state.ids.at(-1)),
      Enter: () => this.write(id, state.line(id)?.text.length ?? 0),
      " ": () => this._acts.toggle(id),
      x: () => this._select(id, false),
      w: () => row.who.focus(),
      r: () => this._acts.again(id),
      s: () => this._acts.silent(state.chosenLines),
      h: () => this._acts.heading(state.chosenLines),
      m: () => this._acts.menu(id, row.more),
      t: () => this._acts.takes(),
      Delete: () => this.writing.remove(state.chosenLines),
      Backspace: () => this.writing.remove(state.chosenLines),
      Escape: () => state.select([]),
    }[key];
  }

  _step(id, steps, isUpTo) {
    const state = this._state;
    const to = state.ids[Math.max(0, Math.min(state.nLines - 1, state.indexOf(id) + steps))];
    if (isUpTo) {
      if (!state.selected.size) this._anchor = id;
      state.select(this._between(this._anchor, to), to);
    }
    this.go(to);
  }
}

const idOf = (target) => target.closest?.(".line")?.dataset.id ?? "";
