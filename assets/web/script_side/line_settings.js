// What the current line has of its own, beside its words: how it is said, how fast, the pause behind it, its place in a video.

import { make } from "../kit/frame.js";
import { checkField, field, numberField } from "../script_sheets/sheet.js";
import { foldOf } from "../script_sheets/side_parts.js";
import { words } from "../words/words.js";
import { slotWords, timeOf, timeTyped } from "./line_times.js";

const ID = "script-line";
const WAIT_MILLISECONDS = 400; // after the last key

export class LineSettings {
  constructor(state) {
    this._state = state;
    this._line = "";
    this._timer = null;
    const { element, body, note } = foldOf("script-line-settings", words("scripts.settings_title"), false);
    this.element = element;
    this._note = note;
    this._body = body;
    this._none = make("p", { className: "note", textContent: words("scripts.settings_none") });
    this._fields = make("div", { className: "stack" });
    body.append(this._none, this._fields);
    this._build();
  }

  _build() {
    const instructions = make("textarea", { className: "input", rows: 2, dir: "auto" });
    const usual = words("scripts.settings_usual");
    this._speed = numberField(`${ID}-speed`, words("scripts.cast_speed"), null, { min: 0.25, max: 4, step: 0.05, placeholder: usual });
    this._pause = numberField(`${ID}-pause`, words("scripts.settings_pause"), null, { min: 0, max: 60, step: 0.1, placeholder: usual });
    this._instructions = instructions;
    this._silent = checkField(words("scripts.settings_silent"), false);
    this._start = make("input", { className: "input num", dir: "auto", placeholder: words("scripts.settings_no_slot") });
    this._end = make("input", { className: "input num", dir: "auto", placeholder: words("scripts.settings_no_slot") });
    this._fits = make("p", { className: "note", role: "status" });
    const pair = (...parts) => make("div", { className: "sheet-pair" }, ...parts);
    const own = field(`${ID}-instructions`, words("scripts.cast_instructions"), instructions, words("scripts.settings_instructions_hint"));
    const slot = pair(
      field(`${ID}-start`, words("scripts.settings_start"), this._start),
      field(`${ID}-end`, words("scripts.settings_end"), this._end),
    );
    this._fields.append(own, pair(this._speed.element, this._pause.element), this._silent.element, slot, this._fits);
    this._fields.addEventListener("input", () => this._later());
    this._fields.addEventListener("change", () => this._put());
  }

  show() {
    const line = this._state.script && this._state.line(this._state.current);
    const isOther = (line?.id ?? "") !== this._line;
    if (isOther) this._flush();
    this._line = line?.id ?? "";
    this._none.hidden = Boolean(line);
    this._fields.hidden = !line;
    this._note.textContent = line ? words("scripts.settings_number", { n: this._state.indexOf(line.id) + 1 }) : "";
    if (!line) return;
    this._fits.textContent = slotWords(line);
    this._fits.dataset.kind = line.fitting?.kind ?? "";
    this._fits.hidden = !this._fits.textContent;
    if (!isOther && this._fields.contains(document.activeElement)) return; // whoever types goes on
    this._instructions.value = line.instructions ?? "";
    this._speed.input.value = line.speed ?? "";
    this._pause.input.value = line.pause_seconds ?? "";
    this._silent.box.checked = line.is_silent;
    this._start.value = line.slot ? timeOf(line.slot.start) : "";
    this._end.value = line.slot ? timeOf(line.slot.end) : "";
    this._refuse("");
  }

  _later() {
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this._put(), WAIT_MILLISECONDS);
  }

  // What was typed of the line before goes to it.
  _flush() {
    if (this._timer !== null) this._put();
  }

  _put() {
    clearTimeout(this._timer);
    this._timer = null;
    const line = this._state.line(this._line);
    if (!line) return;
    const typed = this._read();
    if (!typed) return this._refuse(words("scripts.settings_bad_slot"));
    this._refuse("");
    const changed = Object.entries(typed).filter(([key, value]) => JSON.stringify(line[key] ?? null) !== JSON.stringify(value));
    if (changed.length) this._state.put([this._line], Object.fromEntries(changed), { key: "settings_did", values: {} });
  }

  // null where the slot is none.
  _read() {
    const [start, end] = [timeTyped(this._start.value), timeTyped(this._end.value)];
    const isBare = !this._start.value.trim() && !this._end.value.trim();
    if (!isBare && (start === null || end === null || end <= start)) return null;
    return {
      instructions: this._instructions.value.trim() || null,
      speed: this._speed.read(),
      pause_seconds: this._pause.read(),
      is_silent: this._silent.box.checked,
      slot: isBare ? null : { start, end },
    };
  }

  _refuse(said) {
    this._end.setAttribute("aria-invalid", String(Boolean(said)));
    this._start.setAttribute("aria-invalid", String(Boolean(said)));
    if (said) Object.assign(this._fits, { textContent: said, hidden: false });
  }
}
