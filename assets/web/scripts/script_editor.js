// The editor of a script: its title, the bar, the chapters, the lines, and beside them what script_side/ has of it.

import { choice } from "../choice/choice.js";
import { icon } from "../drawings/icons.js";
import { make } from "../kit/frame.js";
import { openMenu } from "../kit/menu.js";
import { strip } from "../kit/notices.js";
import { PHONE } from "../navigation/navigation.js";
import { ScriptPage } from "../script_lines/script_page.js";
import { mountCandidates } from "../script_side/candidates.js";
import { mountSide } from "../script_side/side.js";
import { player } from "../sound/player.js";
import { apart, words } from "../words/words.js";
import { ScriptBar } from "./script_bar.js";
import { lineItems, pauseItems, selectionItems } from "./script_menus.js";
import { ScriptOutline } from "./script_outline.js";
import { ScriptPlay } from "./script_play.js";

const FREE_SCROLL_MILLISECONDS = 4000; // after somebody scrolled, in which the line that is heard does not take the page along

export class ScriptEditor {
  // leave(): to the list. refuse(problem), say(notice): at the tab's place. part(id): of the tab.
  constructor(state, element, { leave, refuse, say, part }) {
    this._state = state;
    this._element = element;
    this._refuse = refuse;
    this._scrolled = Number.NEGATIVE_INFINITY;
    this._isWithTakes = false;
    this._draw(leave);
    const about = (id) => this._about(id);
    this._play = new ScriptPlay(state, { refuse, about });
    this._acts = this._makeActs();
    this.page = new ScriptPage(state, { scroller: this._scroller, list: this._list, acts: this._acts });
    this._bar = new ScriptBar(state, this._barElement, { play: this._play, acts: this._acts });
    new ScriptOutline(state, this._outline, { go: (id) => this.page.go(id, { isMiddle: true }) });
    const tools = { say, part };
    this._side = mountSide(state, this._aside, tools);
    mountCandidates(state, this._takes, tools);
    this._wire(say);
  }

  _draw(leave) {
    const back = make("button", { type: "button", className: "button quiet square", title: words("scripts.back") }, icon("left"));
    back.setAttribute("aria-label", words("scripts.back"));
    back.addEventListener("click", leave);
    this._title = make("input", { className: "input script-title", dir: "auto", maxLength: 200, spellcheck: false });
    this._title.setAttribute("aria-label", words("scripts.title"));
    this._title.addEventListener("change", () => this._rename());
    this._panel = make(
      "button",
      { type: "button", className: "button script-panel-open", title: words("scripts.side") },
      icon("sliders"),
      make("span", { className: "wide-only", textContent: words("scripts.side") }),
    );
    this._panel.setAttribute("aria-label", words("scripts.side"));
    this._panel.setAttribute("aria-controls", "script-side");
    this._panel.addEventListener("click", () => this._showSide(this._aside.hidden));
    this._barElement = make("div", { className: "script-bar" });
    this._outline = make("nav", { className: "script-outline", hidden: true });
    this._list = make("ul", { className: "script-lines" });
    this._list.setAttribute("role", "list");
    this._list.setAttribute("aria-label", words("scripts.lines"));
    this._scroller = make("div", { className: "script-scroller" }, this._list);
    this._takes = make("section", { id: "script-candidates" });
    this._aside = make("aside", { id: "script-side", hidden: matchMedia(PHONE).matches });
    const body = make(
      "div",
      { className: "script-body" },
      this._outline,
      make("div", { className: "script-main" }, this._scroller, this._takes),
      this._aside,
    );
    this._element.append(make("div", { className: "page-title script-head" }, back, this._title, this._panel), this._barElement, body);
  }

  _wire(say) {
    const { _state: state } = this;
    state.addEventListener("changed", ({ detail }) => detail.isScript && this._showTitle());
    state.addEventListener("refused", ({ detail }) => this._refuse(detail));
    state.addEventListener("playing", () => this._followPlaying());
    state.addEventListener("conflict", () => this._sayLost(say));
    for (const event of ["selected", "changed"]) state.addEventListener(event, () => this._showTakes());
    const scrolled = () => {
      this._scrolled = performance.now();
    };
    for (const event of ["wheel", "touchmove", "pointerdown"]) this._scroller.addEventListener(event, scrolled, { passive: true });
    document.addEventListener("keydown", (event) => this._key(event));
    this._aside.addEventListener("keydown", (event) => event.key === "Escape" && matchMedia(PHONE).matches && this._showSide(false));
    this._showSide(!this._aside.hidden);
  }

  /** The script is there: it is seen, at a line of it. */
  open(line = "") {
    this._showTitle();
    const id = this._state.indexOf(line) >= 0 ? line : this._state.ids[0];
    if (id) this.page.go(id, { isMiddle: Boolean(line) });
    this._bar.show();
  }

  /** What was written goes to the studio, and what plays stops. */
  close() {
    this.page.writing.settle();
    if (this._play.isOurs) player.stop();
  }

  _showTitle() {
    const { script } = this._state;
    if (!script || document.activeElement === this._title) return;
    this._title.value = script.title;
    this._title.placeholder = words("scripts.untitled");
  }

  _rename() {
    this._state.setHead({ title: this._title.value.trim() }, { key: "did_title", values: {} });
  }

  _showSide(isShown) {
    this._aside.hidden = !isShown;
    this._panel.setAttribute("aria-expanded", String(isShown));
    this._panel.setAttribute("aria-pressed", String(isShown));
    this._element.toggleAttribute("data-side", isShown);
  }

  // What was written of a line that another window deleted has no row: it can come back as a new line.
  _sayLost(say) {
    const lost = [...this._state.conflicts].find(([id]) => this._state.indexOf(id) < 0);
    if (!lost) return;
    const [id, { text }] = lost;
    const press = () => {
      say({});
      this._state.settleConflict(id, true);
    };
    say({
      kind: "care",
      fact: words("scripts.conflict_gone"),
      hint: apart(text),
      acts: [{ words: words("scripts.conflict_back"), press }],
    });
  }

  // Takes of the line stand below the lines where there is a choice, or where somebody wants to see them.
  _showTakes() {
    const isChoice = !matchMedia(PHONE).matches && this._state.line(this._state.current)?.takes.length > 1;
    this._element.toggleAttribute("data-takes", isChoice || this._isWithTakes);
  }

  // Of the session in the player, while a line is heard.
  _about(id) {
    const { script } = this._state;
    const line = this._state.line(id);
    const { voice = "" } = line ? this._state.memberOf(line) : {};
    const print = choice.known.voices?.find(({ name }) => name === voice)?.print ?? "";
    const name = line?.who ? `${line.who} · ${script.title || words("scripts.untitled")}` : script.title || words("scripts.untitled");
    return {
      voice: name,
      engine: "",
      engineTitle: words("scripts.line_n", { n: this._state.indexOf(id) + 1 }),
      text: line?.text ?? "",
      language: "",
      options: {},
      print,
    };
  }

  _followPlaying() {
    const { playing } = this._state;
    if (playing && performance.now() - this._scrolled > FREE_SCROLL_MILLISECONDS && !this._isWriting) this.page.show(playing);
  }

  get _isWriting() {
    return document.activeElement?.matches(".script-lines :is(textarea, input)");
  }

  // --- what can be done

  _makeActs() {
    const { _state: state } = this;
    const from = () => state.current || state.ids[0];
    return {
      play: (id = "") => this._pressPlay(id || (this._play.isOurs ? state.playing : from())),
      toggle: (id) => {
        this.page.writing.settle();
        this._play.toggle(id);
      },
      step: (steps) => (this._play.isOurs ? this._play.step(steps) : this.page.go(state.beside(from(), steps) || from())),
      say: (asked) => this._say(asked),
      stop: () => state.stop(),
      again: (id) => this._say(null, id),
      undo: () => this._undo("undo"),
      redo: () => this._undo("redo"),
      find: () => this._openFind(),
      export_: () => this._openExport(),
      chooseBest: () => state.chooseBest(),
      silent: (ids) => this._turn(ids, "is_silent", [true, false], ["did_silent", "did_said"]),
      heading: (ids) => this._turn(ids, "kind", ["heading", "line"], ["did_heading", "did_line"]),
      pause: (ids) => openMenu(this._moreOf(ids[0]), words("scripts.pause_behind"), pauseItems(state, ids)),
      who: (ids) => this.page.row(state.current)?.who.focus() ?? this.page.go(ids[0]),
      menu: (id, button) => openMenu(button, button.title, lineItems(state, this.page, this._acts, id)),
      selection: () => selectionItems(state, this.page, this._acts),
      selectNone: () => state.select([]),
      takes: () => {
        this._isWithTakes = !this._isWithTakes;
        this._showTakes();
      },
      mine: (id) => state.settleConflict(id, true),
      theirs: (id) => state.settleConflict(id, false),
    };
  }

  _moreOf(id) {
    return this.page.row(id)?.more ?? this._panel;
  }

  _pressPlay(id) {
    this.page.writing.settle();
    if (id) this._play.press(id);
  }

  async _say(asked, again = "") {
    this.page.writing.settle();
    const told = await (again ? this._state.sayAgain(again) : this._state.say(asked));
    if (told && !told.progress?.is_running) strip({ kind: "note", text: words("scripts.nothing_to_say") });
  }

  // All of the lines become so; where all are, they become otherwise.
  _turn(ids, key, [on, off], [didOn, didOff]) {
    this.page.writing.settle();
    const lines = ids.map((id) => this._state.line(id)).filter(Boolean);
    const isOn = lines.every((line) => line[key] === on);
    if (lines.length) this._state.put(ids, { [key]: isOn ? off : on }, { key: isOn ? didOff : didOn, values: { n: ids.length } });
  }

  async _undo(which) {
    this.page.writing.settle();
    const isWriting = document.activeElement?.matches(".line-text");
    const done = await this._state[which]();
    if (!done) return;
    const { label, lines } = done;
    const what = label ? words(`scripts.${label.key}`, label.values) : words("scripts.did_lines", { n: lines.length });
    strip({ text: words(which === "undo" ? "scripts.undone" : "scripts.redone", { what }), key: "script-undo" });
    const id = lines.find((one) => this._state.indexOf(one) >= 0) ?? this._state.current;
    if (isWriting) this.page.write(id, this._state.line(id)?.text.length ?? 0);
    else this.page.go(id);
  }

  _openFind() {
    this.page.writing.settle();
    this._showSide(true);
    this._side.openFind();
  }

  _openExport() {
    this.page.writing.settle();
    this._side.openExport();
  }

  // Keys of the whole editor, wherever the focus is in it.
  _key(event) {
    if (!this._element.offsetParent || document.querySelector("dialog[open]")) return;
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey;
    if (!isCommand) return;
    const isInOtherField = event.target.matches?.("input, textarea") && !this._list.contains(event.target);
    const act = this._commandOf(event.key.toLowerCase(), event.shiftKey, isInOtherField);
    if (!act) return;
    event.preventDefault();
    act();
  }

  _commandOf(key, isShift, isInOtherField) {
    const acts = this._acts;
    if (key === "f") return acts.find;
    if (key === "h") return acts.find;
    if (key === "e") return acts.export_;
    if (key === "enter") return () => (isShift ? acts.say({ only: "stale" }) : acts.say({ lines: this._state.chosenLines, only: "all" }));
    if (isInOtherField) return null; // the field's own
    if (key === "z") return isShift ? acts.redo : acts.undo;
    if (key === "y") return acts.redo;
    return null;
  }
}
