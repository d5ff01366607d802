// Writing in the lines: what the keys of a field do. A text goes to the studio when its writer rests, or leaves the field.

import { joinedText, landing, pastedLines, splitLine } from "./line_texts.js";
import { whoName } from "./line_words.js";

const REST_MILLISECONDS = 700;

export class LineWriting {
  // state: a ScriptState. rowOf(id): the LineRow that is drawn, or undefined. focus(id, at): the field of a line gets the caret there.
  constructor(state, { rowOf, focus }) {
    this._state = state;
    this._rowOf = rowOf;
    this._focus = focus;
    this._typed = null; // {id, text} that the studio does not know
    this._timer = null;
    state.addEventListener("named", ({ detail: { own, id } }) => {
      if (this._typed?.id === own) this._typed.id = id;
    });
    window.addEventListener("pagehide", () => this.settle());
  }

  /** Whether what is in the field of a line counts more than what is known of it. */
  isTyping(id) {
    return this._typed?.id === id;
  }

  /** Somebody wrote. */
  note(id, text) {
    if (this._typed && this._typed.id !== id) this.settle();
    this._typed = { id, text };
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this.settle(), REST_MILLISECONDS);
  }

  /** What was written goes to the studio. */
  settle() {
    clearTimeout(this._timer);
    const typed = this._typed;
    this._typed = null;
    const line = typed && this._state.line(typed.id);
    if (!line || line.text === typed.text) return;
    this._state.put([typed.id], { text: typed.text }, this._label("did_write", typed.id));
  }

  /** A key in the field of a line; whether it was taken. */
  key(event, id) {
    const { key, isComposing, ctrlKey, metaKey, altKey, shiftKey, target } = event;
    if (isComposing || ctrlKey || metaKey) return false;
    if (altKey) return this._move(key, id);
    const { selectionStart: start, selectionEnd: end, value } = target;
    if (key === "Enter" && !shiftKey) return this.split(id, start, end);
    if (key === "Backspace" && start === 0 && end === 0) return this.join(this._state.beside(id, -1), id);
    if (key === "Delete" && start === value.length && end === start) return this.join(id, this._state.beside(id, 1));
    if (key === "ArrowUp" && start === end && !shiftKey) return this._leave(target, id, -1);
    if (key === "ArrowDown" && start === end && !shiftKey) return this._leave(target, id, 1);
    return false;
  }

  _move(key, id) {
    const steps = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (!steps) return false;
    this.move([id], steps);
    return true;
  }

  /** Moves lines up or down by so many places. */
  move(ids, steps) {
    this.settle();
    const after = landing(this._state.ids, ids, steps);
    if (after === undefined || !ids.length) return;
    this._state.edit([{ op: "move", lines: ids, after }], { key: "did_move", values: { n: ids.length } });
  }

  /** The line ends at `start`; what stands behind `end` is a new one. */
  split(id, start, end = start) {
    const line = this._written(id);
    if (!line) return true;
    const text = line.text.slice(0, start) + line.text.slice(end);
    const { before, after } = splitLine({ ...line, text }, start);
    this._typed = null;
    clearTimeout(this._timer);
    const isChanged = before.text !== this._state.line(id).text || "pause_seconds" in before;
    const put = isChanged ? [{ op: "put", line: id, written: { ...this._state.writtenOf(id), ...before } }] : [];
    this._insert(id, [after], after.text ? "did_split" : "did_insert", put);
    return true;
  }

  /** New lines behind one, of which the last gets the caret. */
  insert(id, lines) {
    this.settle();
    this._insert(id, lines, "did_insert", []);
  }

  _insert(id, lines, label, before) {
    const at = this._state.indexOf(id) + 1;
    this._state.edit([...before, { op: "insert", after: id || null, lines }], this._label(label, id));
    const last = this._state.ids[at + lines.length - 1];
    this._focus(last, lines.length > 1 ? lines.at(-1).text.length : 0);
  }

  /** Two lines that follow each other are one; the first stays. */
  join(id, other) {
    const [one, second] = [this._written(id), this._written(other)];
    if (!one || !second) return Boolean(id && other);
    const { text, at } = joinedText(one.text, second.text);
    this._typed = null;
    clearTimeout(this._timer);
    const isEmpty = !one.text.trim() && second.text.trim(); // then the second one stays as it is
    const written = { ...this._state.writtenOf(id), text, ...(isEmpty && { who: second.who, kind: second.kind }) };
    const edits = [
      { op: "put", line: id, written },
      { op: "delete", lines: [other] },
    ];
    this._state.edit(edits, this._label("did_join", id));
    this._focus(id, at);
    return true;
  }

  /** Deletes lines; the one behind them is where one is then. */
  remove(ids) {
    this.settle();
    if (!ids.length) return;
    const next = this._state.beside(ids.at(-1), 1) || this._state.beside(ids[0], -1);
    this._state.edit([{ op: "delete", lines: ids }], { key: "did_delete", values: { n: ids.length } });
    this._state.select([], next);
  }

  /** Pasted text of several lines becomes lines; whether it was taken. */
  paste(event, id) {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const line = this._written(id);
    if (!line || !/\S[^\S\n]*\r?\n\s*\S/.test(text)) return false;
    event.preventDefault();
    const { selectionStart: start, selectionEnd: end } = event.target;
    const [before, behind] = [line.text.slice(0, start), line.text.slice(end)];
    const lines = pastedLines(text, this._state.script.cast, line.who);
    this._typed = null;
    clearTimeout(this._timer);
    if (behind.trim()) lines.at(-1).text += ` ${behind.trim()}`;
    const first = before.trim() || lines[0].who !== line.who ? null : lines.shift();
    const own = first ? first.text : before.trimEnd();
    const put = own === this._state.line(id).text ? [] : [{ op: "put", line: id, written: { ...this._state.writtenOf(id), text: own } }];
    if (lines.length) this._insert(id, lines, "did_paste", put);
    else if (put.length) this._state.edit(put, this._label("did_write", id));
    return true;
  }

  /** Who says these lines. A name that the cast does not have comes into it. */
  setWho(ids, who) {
    this.settle();
    const known = ids.map((id) => this._state.line(id)).filter((line) => line && line.who !== who);
    if (!known.length) return;
    const { cast } = this._state.script;
    const isNew = who && !cast.some(({ name }) => name === who);
    const puts = known.map(({ id }) => ({ op: "put", line: id, written: { ...this._state.writtenOf(id), who } }));
    const joins = isNew ? [{ op: "cast", cast: [...cast, { name: who }] }] : [];
    this._state.edit([...joins, ...puts], { key: "did_who", values: { n: known.length, who: whoName(who) } });
  }

  // Of the field that is drawn, before the studio has it.
  _written(id) {
    const line = this._state.line(id);
    if (!line) return null;
    return this.isTyping(id) ? { ...line, text: this._typed.text } : line;
  }

  _label(key, id) {
    return { key, values: { line: this._state.indexOf(id) + 1 } };
  }

  // Up in the first row of a text and down in the last go to the next line: where the caret stays where it was, there is no other row.
  _leave(field, id, steps) {
    const before = field.selectionStart;
    setTimeout(() => {
      const isAtEdge = steps < 0 ? field.selectionStart === 0 : field.selectionStart === field.value.length;
      const isStuck = field.selectionStart === before || (isAtEdge && isOneRow(field));
      if (isStuck && document.activeElement === field) this._goBeside(id, steps, before);
    });
    return "free"; // the browser moves the caret
  }

  _goBeside(id, steps, at) {
    const next = this._state.beside(id, steps);
    if (next) this._focus(next, at);
  }
}

const ROWS = 1.6; // a field of one row is lower than so many

const isOneRow = (field) => field.clientHeight < ROWS * Number.parseFloat(getComputedStyle(field).lineHeight);
