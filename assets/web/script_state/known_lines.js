// What is known of the script that is open: its lines by id, in their order, as far as they were fetched, and where one is in it.
// Events: "changed" (detail: {lines: ids, isReordered, isScript}), "selected", "progress", "playing", "refused" (detail: the problem),
// "conflict", "gone" (detail: the line to go to), "named" (detail: {own, id}: a line that is new here has the studio's id by now).

import { askServer } from "../transport/speech_transport.js";
import { LineEdits } from "./line_edits.js";

export const JSON_TYPE = { "Content-Type": "application/json" };
export const ROUTE = "v1/studio/scripts";
const PAGE_LINES = 100; // of one fetch
const NOW = Number.MAX_SAFE_INTEGER; // nothing has changed since then
const MOST_LINES = 1500; // that are kept, those next to what is seen

export class KnownLines extends EventTarget {
  // ask(path, init): as askServer; tests have another.
  constructor({ ask = askServer } = {}) {
    super();
    this._ask = ask;
    this._clear();
  }

  _clear() {
    this.id = "";
    this.script = null; // ScriptAnswer
    this.ids = []; // of all lines, in their order
    this.progress = null; // {is_running, done, total, seconds_left, line, failure}
    this.selected = new Set(); // ids
    this.current = ""; // the line at which one is; "" for none
    this.playing = ""; // the line that is heard
    this.conflicts = new Map(); // id -> what was written here of a line that another window changed
    this._lines = new Map(); // id -> LineAnswer
    this._at = new Map(); // id -> index, made when it is asked for
    this._isIndexed = false;
    this._asked = new Set(); // first lines of the pages that are on their way
    this._edits = new LineEdits(this);
    this._token = 0;
  }

  // --- what there is

  get nLines() {
    return this.ids.length;
  }

  /** LineAnswer, or undefined where it was not fetched yet; `want` fetches it. */
  line(id) {
    return this._lines.get(id);
  }

  /** -1 where there is no such line (any more). */
  indexOf(id) {
    if (!this._isIndexed) {
      this._at = new Map(this.ids.map((one, index) => [one, index]));
      this._isIndexed = true;
    }
    return this._at.get(id) ?? -1;
  }

  /** Id of the line so many places behind another one; "" where there is none. */
  beside(id, steps) {
    return this.ids[this.indexOf(id) + steps] ?? "";
  }

  /** The cast member who says a line; that of the narrator, or a bare name, where it has none. */
  memberOf(line) {
    const { cast = [] } = this.script ?? {};
    return cast.find(({ name }) => name === line.who) ?? cast.find(({ name }) => name === "") ?? { name: line.who };
  }

  /** Ids that verbs are about: the selected ones in their order, else the current one. */
  get chosenLines() {
    if (this.selected.size) return [...this.selected].sort((one, other) => this.indexOf(one) - this.indexOf(other));
    return this.current ? [this.current] : [];
  }

  // --- opening and fetching

  /** Whether it is there. */
  async open(id) {
    this._clear();
    this.id = id;
    const found = await this._try(async () => {
      const changes = await this._get(`/changes?since=${NOW}`); // before the rest: what comes after it is asked for by its token
      const [script, order] = await Promise.all([this._get(""), this._get("/line_ids")]);
      return { script, order, changes };
    });
    if (!found || this.id !== id) return false;
    this._takeOrder(found.order.ids);
    this._token = found.changes.token;
    this._takeScript(found.script);
    this._tell({ isReordered: true, isScript: true });
    return true;
  }

  close() {
    this._clear();
    this._tell({ isReordered: true, isScript: true });
  }

  /** Fetches the lines of these indexes that are not here yet, by the page. Resolves once they are. */
  async want(first, last) {
    const id = this.id;
    const pages = [];
    for (let index = Math.max(0, first); index <= Math.min(last, this.nLines - 1); index += 1) {
      const page = index - (index % PAGE_LINES);
      if (this._lines.has(this.ids[index]) || this._asked.has(page) || this._edits.isNew(this.ids[index])) continue;
      this._asked.add(page);
      pages.push(page);
    }
    await Promise.all(pages.map((page) => this._fetchPage(id, page)));
    this._forgetFar(first, last);
  }

  async _fetchPage(id, first) {
    const told = await this._try(() => this._get(`/lines?first=${first}&count=${PAGE_LINES}`));
    this._asked.delete(first);
    if (!told || this.id !== id) return;
    this._tell({ lines: told.lines.filter((line) => this.indexOf(line.id) >= 0).map((line) => this._take(line)) });
    if (told.n_lines !== this.nLines && !this._edits.isAny) await this._fetchOrder();
  }

  _forgetFar(first, last) {
    if (this._lines.size <= MOST_LINES) return;
    const middle = (first + last) / 2;
    for (const id of this._lines.keys()) {
      const isFar = Math.abs(this.indexOf(id) - middle) > MOST_LINES / 2;
      if (isFar && !this._edits.has(id) && id !== this.current && !this.selected.has(id)) this._lines.delete(id);
    }
  }

  /** What changed since the last look, whoever did it. Cheap. Rejects where the studio does not say it. */
  async look() {
    const id = this.id;
    const told = await this._get(`/changes?since=${this._token}`);
    if (this.id === id) await this._takeChanges(told);
  }

  async _takeChanges(told) {
    const { script } = this;
    this._token = told.token;
    const isMoved = told.revision !== script.revision;
    if (told.is_reordered && !this._edits.isAny) await this._fetchOrder();
    this._takeProgress(told.progress);
    const lines = told.lines.filter((line) => this.indexOf(line.id) >= 0).map((line) => this._take(line));
    if (lines.length || isMoved) this._takeScript(await this._get(""));
    if (lines.length || isMoved) this._tell({ lines, isScript: true });
  }

  async _fetchOrder() {
    const { ids } = await this._get("/line_ids");
    this._takeOrder(ids);
    this._tell({ isReordered: true });
  }

  // --- what the studio tells

  _takeOrder(ids) {
    this.ids = ids;
    this._isIndexed = false;
    for (const id of this._lines.keys()) if (this.indexOf(id) < 0) this._lines.delete(id);
    for (const id of this.selected) if (this.indexOf(id) < 0) this.selected.delete(id);
    if (this.indexOf(this.current) < 0) this.current = "";
  }

  // What is written here and has not reached the studio yet counts more than what it knows.
  _take(line) {
    const written = this._edits.has(line.id) ? this._edits.writtenOf(this._lines.get(line.id)) : {};
    this._lines.set(line.id, { ...line, ...written });
    return line.id;
  }

  _takeScript(script) {
    this.script = script;
    if (script?.progress) this._takeProgress(script.progress);
  }

  _takeProgress(progress) {
    const isSame = JSON.stringify(progress) === JSON.stringify(this.progress);
    this.progress = progress;
    if (!isSame) this.dispatchEvent(new Event("progress"));
  }

  // --- which lines are chosen

  /** ids: of several lines that are selected together, [] for none. current: where one is; as before where it is not given. */
  select(ids, current = this.current) {
    this.selected = new Set(ids);
    this.current = current;
    this.dispatchEvent(new Event("selected"));
  }

  /** Goes to a line: it is brought into sight and gets the focus. */
  goTo(id) {
    this.select([], id);
    this.dispatchEvent(new CustomEvent("gone", { detail: id }));
  }

  // --- the way to the studio

  /** A Response of the script's own routes; rejects where it is refused. path: such as "/export". */
  ask(path, init) {
    return this._ask(this.address(path), init);
  }

  /** Relative to the page; path: such as "/export/check". */
  address(path = "") {
    return `${ROUTE}/${this.id}${path}`;
  }

  async _call(path, init) {
    const response = await this.ask(path, init);
    const text = await response.text();
    return text ? JSON.parse(text) : {};
  }

  _get(path) {
    return this._call(path);
  }

  _post(path, body = {}) {
    return this._call(path, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) });
  }

  // What it gives, or null where it was refused, which is told.
  async _try(act) {
    try {
      return await act();
    } catch (error) {
      if (error.name === "AbortError") return null;
      this.dispatchEvent(new CustomEvent("refused", { detail: error }));
      return null;
    }
  }

  _tell({ lines = [], isReordered = false, isScript = false }) {
    this.dispatchEvent(new CustomEvent("changed", { detail: { lines, isReordered, isScript } }));
  }
}
