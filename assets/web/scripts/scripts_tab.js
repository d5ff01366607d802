// The tab "Scripts": one of three views is seen, the list, a new script, or the editor of one.

import "../words/later_catalog.js";
import { make, onMount } from "../kit/frame.js";
import { addPlace, say } from "../kit/notices.js";
import { onThing, placeNow, showsThing } from "../navigation/navigation.js";
import { ScriptState } from "../script_state/script_state.js";
import { ScriptWatch } from "../script_state/script_watch.js";
import { called } from "../transport/server_call.js";
import { words } from "../words/words.js";
import { NewScript } from "./new_script.js";
import { ScriptEditor } from "./script_editor.js";
import { addKeys } from "./script_keys.js";
import { ScriptsList } from "./scripts_list.js";

export let scriptsTab;

const ROOM = "scripts";
const PLACE = "scripts-message";
const NEW = "new";
const REST_MILLISECONDS = 300; // before the address says at which line one is: browsers bound how often it changes

class ScriptsTab {
  constructor({ element, server }) {
    const root = element.querySelector(".scripts");
    const notice = root.querySelector(".notice");
    addPlace(PLACE, notice);
    this._root = root;
    this._views = Object.fromEntries(
      ["list", "new", "editor"].map((name) => [name, make("div", { className: `scripts-${name}`, hidden: true })]),
    );
    root.append(...Object.values(this._views));
    root.before(notice); // above whatever is seen
    root.prepend(notice);
    root.removeAttribute("aria-busy");
    this.state = new ScriptState();
    const refuse = (problem) => this._refuse(problem);
    const leave = () => this.leave();
    const example = () => this._example(server);
    this._list = new ScriptsList(this._views.list, { open: (id) => this.open(id), create: () => this.create(), refuse });
    this._new = new NewScript(this._views.new, { kept: (script) => this._kept(script), leave, example, refuse });
    this.editor = new ScriptEditor(this.state, this._views.editor, {
      leave,
      refuse,
      say: (notice) => say(PLACE, notice),
      part: (id) => root.querySelector(`#${id}`),
    });
    this._watch = new ScriptWatch(this.state, { isSeen: () => placeNow().room === ROOM, reopen: (error) => this._reopen(error) });
    this.state.addEventListener("selected", () => this._address());
    document.addEventListener("studio-place", ({ detail: { room } }) => room === ROOM && this._view === "list" && this._list.look());
    addKeys();
    this._see("list");
    this._list.look();
    onThing(ROOM, (thing) => this._open(thing));
  }

  /** Shows a script, at a line of it. */
  async open(id, line = "") {
    say(PLACE);
    this._see("editor"); // a list that is not seen draws nothing
    if (!(await this.state.open(id))) return this._see("list");
    showsThing(ROOM, this._thing(line), { title: this._titleNow });
    this.editor.open(line);
    this._watch.look();
    return undefined;
  }

  create() {
    say(PLACE);
    this._see("new");
    showsThing(ROOM, NEW, { title: words("scripts.new") });
    this._new.begin();
  }

  leave() {
    say(PLACE);
    this._close();
    this._see("list");
    showsThing(ROOM, "");
    this._list.look().then(() => this._list.focus());
  }

  // By its address: a script, a line of one, a new one, or the list.
  _open(thing) {
    const [id, line = ""] = thing.split("/");
    if (id === NEW) return this.create();
    if (!id) return this.leave();
    if (id === this.state.id) return this.editor.open(line);
    this._close();
    return this.open(id, line);
  }

  _close() {
    if (!this.state.id) return;
    this.editor.close();
    this.state.settled().then(() => this._view !== "editor" && this.state.close());
  }

  _kept(script) {
    this.open(script.id);
  }

  // The studio was started again, or the script is gone: what is there is read anew.
  async _reopen(error) {
    if (error.code === "script_unknown") {
      this.state.close();
      this.leave();
      return this._refuse(error);
    }
    const { id, current } = this.state;
    if (await this.state.open(id)) this.editor.open(current);
    return undefined;
  }

  _see(view) {
    this._view = view;
    for (const [name, element] of Object.entries(this._views)) element.hidden = name !== view;
  }

  get _titleNow() {
    return this.state.script?.title || words("scripts.untitled");
  }

  _thing(line) {
    return line && !line.startsWith("~") ? `${this.state.id}/${line}` : this.state.id;
  }

  // The address follows the line at which one is, and back leads to the list.
  _address() {
    clearTimeout(this._naming);
    this._naming = setTimeout(() => this._nameLine(), REST_MILLISECONDS);
  }

  _nameLine() {
    const { current } = this.state;
    if (this._view === "editor" && this.state.id && placeNow().room === ROOM)
      showsThing(ROOM, this._thing(current), { isReplaced: true, title: this._titleNow });
  }

  async _example(server) {
    const { problem, text } = await called(server, "show_example", {}, "studio_away");
    if (problem) this._refuse(problem);
    return text ?? null;
  }

  _refuse(problem) {
    const { code, values, message, fact = message, hint } = problem;
    say(PLACE, { kind: "problem", code, values, fact, hint });
  }
}

onMount("scripts", (tools) => {
  scriptsTab = new ScriptsTab(tools);
});
