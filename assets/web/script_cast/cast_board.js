// The casting board: every name of the script with the print of its voice, how much it says, by which voice and engine, and its line to hear.

import { printOf } from "../drawings/voiceprint.js";
import { make } from "../kit/frame.js";
import { redraw } from "../kit/library.js";
import { openMenu } from "../kit/menu.js";
import { foldOf, playFace, signButton } from "../script_sheets/side_parts.js";
import { tellDone } from "../script_sheets/told_edits.js";
import { player } from "../sound/player.js";
import { words } from "../words/words.js";
import { askGiven, askJoined, askMember, askName, staleWords } from "./cast_dialog.js";
import { castRows, memberOf, NARRATOR, renaming, staleByJoining, staleLines, withMember, without } from "./cast_edits.js";
import { givenVoices } from "./give_voices.js";
import { known } from "./member_choice.js";
import { gainWords } from "./member_fields.js";
import { hearMember, sampleKey } from "./member_sample.js";
import { memberName, printDigest, voiceLine } from "./member_words.js";

const PRINT_PIXELS = 32;

export class CastBoard {
  // tools: {say(notice)}.
  constructor(state, tools) {
    this._state = state;
    this._tools = tools;
    this._told = new Map(); // "voice engine" -> what is known of it
    const { element, body, note } = foldOf("script-cast", words("scripts.cast_title_all"));
    this.element = element;
    this._note = note;
    this._list = make("ul", { className: "cast-list" });
    this._list.setAttribute("aria-label", words("scripts.cast_title_all"));
    this._new = make("button", { type: "button", className: "button small", textContent: words("scripts.cast_new") });
    this._give = make("button", { type: "button", className: "button small", textContent: words("scripts.cast_give") });
    this._new.addEventListener("click", () => this._add());
    this._give.addEventListener("click", () => this._giveAll());
    body.append(this._list, make("div", { className: "beside wraps" }, this._new, this._give));
    this._list.addEventListener("click", ({ target }) => this._press(target.closest("button")));
    player.addEventListener("change", () => this._follow());
    document.addEventListener("studio-choice", () => this._look());
  }

  get rows() {
    const { script, ids } = this._state;
    return castRows(script, script.cast_counts ? [] : ids.map((id) => this._state.line(id)).filter(Boolean));
  }

  show() {
    if (!this._state.script) return;
    const { rows } = this;
    this._note.textContent = words("scripts.cast_n", { n: rows.length });
    redraw(
      this._list,
      rows.map((row) => this._rowOf(row)),
    );
    this._give.disabled = !rows.some(({ member, counts }) => !member?.voice && counts.n_lines);
    this._follow();
    this._look();
  }

  // What is known of voices and engines of the cast, which the studio is asked once for each.
  async _look() {
    const { script } = this._state;
    if (!script) return;
    const wanted = this.rows.map(({ member }) => [member?.voice ?? null, member?.model ?? null]);
    const missing = wanted.filter((pair) => !this._told.has(JSON.stringify(pair)));
    if (!missing.length) return;
    const answers = await Promise.all(missing.map(([voice, engine]) => known(voice, engine)));
    for (const [at, told] of answers.entries()) this._told.set(JSON.stringify(missing[at]), told);
    this.show();
  }

  _toldOf({ member }) {
    return this._told.get(JSON.stringify([member?.voice ?? null, member?.model ?? null]));
  }

  _rowOf(row) {
    const { name, member, counts } = row;
    const told = this._toldOf(row);
    const digest = member?.voice ? printDigest(told) : "";
    const print = digest ? printOf(digest, PRINT_PIXELS) : make("span", { className: "cast-blank", ariaHidden: "true" });
    const isGone = Boolean(member?.voice && told?.engine && told.voice !== member.voice);
    const about = [
      make("b", { className: "cut", dir: "auto", textContent: memberName(row) }),
      make("small", { className: "cut", dir: "auto", textContent: voiceLine(row, told) }),
      make("small", { className: "cut num", textContent: this._countWords(row) }),
    ];
    if (isGone)
      about.push(
        make("small", { className: "refused", textContent: words("scripts.cast_voice_gone", { voice: member.voice, engine: told.title }) }),
      );
    const open = make("button", { type: "button", className: "cast-open" }, print, make("span", { className: "what" }, ...about));
    Object.assign(open.dataset, { key: name, act: "edit" });
    const hear = playFace(words("scripts.cast_hear_of", { name: memberName(row) }));
    Object.assign(hear.dataset, { key: name, act: "hear" });
    const more = signButton("more", words("scripts.cast_more", { name: memberName(row) }), null, { key: name, act: "menu" });
    more.setAttribute("aria-haspopup", "menu");
    more.setAttribute("aria-expanded", "false");
    const line = make("li", { className: "cast-row" }, open, hear, more);
    line.dataset.lines = counts.n_lines;
    return line;
  }

  _countWords({ member, counts }) {
    const said = [words("scripts.cast_lines", { n: counts.n_lines })];
    if (counts.seconds) said.push(words("scripts.cast_length", { length: counts.seconds }));
    if (member?.gain_db) said.push(gainWords(member.gain_db));
    return said.join(" · ");
  }

  _follow() {
    for (const button of this._list.querySelectorAll("[data-act=hear]")) {
      const member = this._memberOf(button.dataset.key);
      const isSounding = player.isSounding(sampleKey(this._state, member));
      const label = words(isSounding ? "player.pause" : "scripts.cast_hear_of", { name: memberName(member) });
      button.classList.toggle("strong", isSounding);
      if (button.title !== label) {
        button.title = label;
        button.setAttribute("aria-label", label);
      }
    }
  }

  _memberOf(name) {
    return this._state.script.cast.find((member) => member.name === name) ?? memberOf(name);
  }

  _press(button) {
    const { key: name, act } = button?.dataset ?? {};
    const row = act && this.rows.find((one) => one.name === name);
    if (!row) return;
    if (act === "edit") this._edit(row);
    if (act === "hear") this._hear(row);
    if (act === "menu") this._menu(button, row);
  }

  _hear({ name }) {
    const member = this._memberOf(name);
    player.togglePlay(sampleKey(this._state, member), () =>
      hearMember(this._state, member, (problem) => this._tools.say({ ...problem, kind: "problem" })),
    );
  }

  _menu(button, row) {
    const isNarrator = row.name === NARRATOR;
    const canGo = row.member && !row.counts.n_lines;
    const line = this._state.ids.find((id) => this._state.line(id)?.who === row.name);
    openMenu(button, words("scripts.cast_more", { name: memberName(row) }), [
      { key: "edit", icon: "sliders", words: words("scripts.cast_edit"), act: () => this._edit(row) },
      { key: "first", icon: "down", words: words("scripts.cast_first_line"), isDisabled: !line, act: () => this._state.select([], line) },
      ...(isNarrator ? [] : [{ key: "rename", icon: "pencil", words: words("scripts.cast_rename"), act: () => this._rename(row) }]),
      ...(this.rows.length > 1 && row.counts.n_lines && !isNarrator
        ? [{ key: "join", icon: "link", words: words("scripts.cast_join"), act: () => this._join(row) }]
        : []),
      ...(canGo
        ? [null, { key: "remove", icon: "trash", words: words("scripts.cast_remove"), isDangerous: true, act: () => this._remove(row) }]
        : []),
    ]);
  }

  async _edit({ name }) {
    const { rows } = this;
    const before = this._memberOf(name);
    const after = await askMember(this._state, before, rows);
    if (!after || JSON.stringify(after) === JSON.stringify(before)) return;
    const n = staleLines(rows, [after]);
    this._put(withMember(this._state.script.cast, after), "cast_did_edit", { name: memberName(after) }, n);
  }

  async _add() {
    const member = await askMember(this._state, memberOf(""), this.rows, { isNew: true });
    if (member?.name) this._put([...this._state.script.cast, member], "cast_did_add", { name: member.name }, 0);
  }

  _remove({ name }) {
    this._put(without(this._state.script.cast, name), "cast_did_remove", { name }, 0);
  }

  async _rename(row) {
    const to = await askName(row, this.rows);
    if (to) this._follows(row, to, "cast_did_rename");
  }

  async _join(row) {
    const to = await askJoined(row, this.rows);
    if (to !== null) this._follows(row, to, "cast_did_join");
  }

  _follows({ name }, to, key) {
    const n = staleByJoining(this.rows, name, to);
    const values = { name, to: memberName({ name: to }) };
    tellDone(this._state, this._state.edit([renaming(name, to)], { key, values }), words(`scripts.${key}`, values), n ? staleWords(n) : "");
  }

  async _giveAll() {
    const { rows } = this;
    const { script } = this._state;
    const told = await known(null, null);
    if (!told.engine) return;
    const found = givenVoices(rows, told, script.language ?? "");
    if (!found.given.length)
      return this._tools.say({
        kind: "care",
        fact: words("scripts.cast_none_left", { engine: told.title }),
        hint: words("scripts.cast_none_left_hint"),
      });
    if (!(await askGiven(found, rows))) return;
    const cast = found.given.reduce((all, member) => withMember(all, member), script.cast);
    this._put(cast, "cast_did_give", { n: found.given.length }, staleLines(rows, found.given));
  }

  _put(cast, key, values, n) {
    return tellDone(this._state, this._state.setCast(cast, { key, values }), words(`scripts.${key}`, values), n ? staleWords(n) : "");
  }
}
