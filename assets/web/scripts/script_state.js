// The script that is open: its lines by id, in their order, as far as they were fetched, and the verbs that change it. What is edited is seen
// at once and goes to the studio in its turn; what another window changed meanwhile comes with the answer, and nothing is lost on either side.
// Events: "changed" (detail: {lines: ids, isReordered, isScript}), "selected", "progress", "refused" (detail: the problem), "conflict".

import { askServer } from "../transport/speech_transport.js";
import { LineEdits } from "./line_edits.js";

const JSON_TYPE = { "Content-Type": "application/json" };
const ROUTE = "v1/studio/scripts";
const PAGE_LINES = 100; // of one fetch
const MOST_LINES = 1500; // that are kept, those next to what is seen
const MOVED = "revision_moved"; // reason code: another window was first
const MOST_LOOKS = 5; // after which an edit is given up that others always overtake

export class ScriptState extends EventTarget {
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
    this.conflicts = new Map(); // id -> what was written here of a line that another window changed
    this._lines = new Map(); // id -> LineAnswer
    this._at = new Map(); // id -> index, made when it is asked for
    this._isIndexed = false;
    this._asked = new Set(); // first lines of the pages that are on their way
    this._edits = new LineEdits(this);
    this._queue = Promise.resolve(); // edits go one after the other
    this._undone = []; // {revision, label} of what can be undone here
    this._redone = [];
    this._token = "";
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
      const [script, order, changes] = await Promise.all([
        this._get(""),
        this._get("/line_ids"),
        this._get("/changes"), // the token first: what comes after it is asked for by it
      ]);
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

  /** What changed since the last look, whoever did it. Cheap. */
  async look() {
    const id = this.id;
    const told = await this._try(() => this._get(`/changes?since=${encodeURIComponent(this._token)}`));
    if (told && this.id === id) await this._takeChanges(told);
    return Boolean(told);
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

  // --- edits

  /** Edits as the API has them ({op: "put" | "insert" | "delete" | "move" | "head" | "cast" | "dictionary", ...}), one step of undo together.
   *  They are seen at once. label: {key, values} of the words by which they are told when they are undone. Resolves to the ids of lines
   *  that they made, null where they were refused. */
  edit(edits, label = null) {
    const step = this._edits.begin(edits); // seen from here on
    this._tell({ lines: step.lines, isReordered: step.isReordered, isScript: true });
    const sent = this._queue.then(() => this._send(step, label));
    this._queue = sent.catch(() => {});
    return sent;
  }

  /** What goes on until all edits have reached the studio. */
  settled() {
    return this._queue;
  }

  async _send(step, label) {
    const id = this.id;
    const answer = await this._try(() => this._sendUntilTaken(step));
    if (this.id !== id) return null;
    if (!answer) {
      this._edits.drop(step);
      await this._refresh();
      return null;
    }
    const made = this._edits.end(step, answer.lines);
    this._undone.push({ revision: answer.revision, label });
    this._redone = [];
    await this._takeAnswer(answer, made);
    return made;
  }

  // Where another window was first: its changes are taken, and where they are about other lines the edit goes on after them.
  async _sendUntilTaken(step) {
    for (let look = 0; ; look += 1) {
      const edits = this._edits.sendable(step);
      if (!edits.length) return { ...this.script, lines: [], is_reordered: false, script: this.script };
      try {
        return await this._post("/edits", { edits, revision: this.script.revision });
      } catch (error) {
        if (error.code !== MOVED || look === MOST_LOOKS) throw error;
      }
      await this._rebase(step);
    }
  }

  async _rebase(step) {
    const told = await this._get(`/changes?since=${encodeURIComponent(this._token)}`);
    const script = await this._get("");
    const { ids } = await this._get("/line_ids");
    this._token = told.token;
    const theirs = new Map(told.lines.map((line) => [line.id, line]));
    for (const { id, mine } of this._edits.giveWay(step, theirs, new Set(ids))) this.conflicts.set(id, mine);
    this._takeOrder(this._edits.withNew(ids, this.ids));
    for (const line of told.lines) if (this.indexOf(line.id) >= 0) this._take(line);
    this._takeScript(script);
    this._tell({ lines: [...theirs.keys()], isReordered: true, isScript: true });
    if (this.conflicts.size) this.dispatchEvent(new Event("conflict"));
  }

  async _takeAnswer({ lines, script, is_reordered: isReordered }, made = []) {
    const isElsewhere = isReordered && !this._edits.isAny && !this._isOrdered(lines, script);
    this._takeScript(script);
    if (isElsewhere) await this._fetchOrder();
    const taken = lines.filter((line) => this.indexOf(line.id) >= 0).map((line) => this._take(line));
    this._tell({ lines: taken, isReordered: isReordered || made.length > 0, isScript: true });
  }

  // Whether the lines stand here as they do there.
  _isOrdered(lines, script) {
    return script.n_lines === this.nLines && lines.every(({ id, index }) => this.ids[index] === id);
  }

  // An edit was refused: how the script is, all of it that is seen.
  async _refresh() {
    await this._try(async () => {
      const [script, { ids }] = await Promise.all([this._get(""), this._get("/line_ids")]);
      for (const id of this._lines.keys()) if (!this._edits.has(id)) this._lines.delete(id);
      this._takeOrder(ids);
      this._takeScript(script);
    });
    this._tell({ isReordered: true, isScript: true });
  }

  /** Writes lines otherwise. changes: of {who, text, kind, is_silent, pause_seconds, slot, instructions, speed}. */
  put(ids, changes, label = null) {
    const edits = ids
      .filter((id) => this.line(id))
      .map((id) => ({ op: "put", line: id, written: { ...this._edits.writtenOf(this.line(id)), ...changes } }));
    return this.edit(edits, label);
  }

  setCast(cast, label = null) {
    return this.edit([{ op: "cast", cast }], label);
  }

  setDictionary(entries, label = null) {
    return this.edit([{ op: "dictionary", entries }], label);
  }

  setHead(changes, label = null) {
    const { title, author, language, year, description, pause_seconds, heading_pause_seconds, video_seconds } = this.script;
    const head = { title, author, language, year, description, pause_seconds, heading_pause_seconds, video_seconds, ...changes };
    return this.edit([{ op: "head", head }], label);
  }

  /** {label} of what was undone, label null where it was not done here; null where there is nothing. */
  undo() {
    return this._step("/undo", this._undone, this._redone, "can_undo");
  }

  redo() {
    return this._step("/redo", this._redone, this._undone, "can_redo");
  }

  async _step(path, from, to, can) {
    await this.settled();
    if (!this.script?.[can]) return null;
    const before = from.pop();
    const isOwn = before?.revision === this.script.revision;
    const answer = await this._try(() => this._post(path));
    if (!answer) return null;
    if (!isOwn) from.length = 0;
    const label = isOwn ? before.label : null;
    to.push({ revision: answer.revision, label });
    if (from.length) from.at(-1).revision = answer.revision; // what is undone next, where nobody else edits
    await this._takeAnswer({ ...answer, is_reordered: true });
    if (answer.lines.length === 1) this.select([], answer.lines[0].id);
    return { label, lines: answer.lines.map(({ id }) => id) };
  }

  /** Of a line that another window changed: what was written here goes into it, or is dropped. */
  settleConflict(id, isMine) {
    const mine = this.conflicts.get(id);
    this.conflicts.delete(id);
    if (!isMine || !mine) return this._tell({ lines: [id] });
    if (this.indexOf(id) >= 0) return this.put([id], mine);
    return this.edit([{ op: "insert", after: this.ids.at(-1) ?? null, lines: [mine] }]);
  }

  // --- find and replace

  /** Ids of the lines in which it is found. options: {case, whole_word}. */
  async find(text, options = {}) {
    await this.settled();
    const told = await this._try(() => this._post("/find", { text, ...options }));
    return told?.lines ?? [];
  }

  async replace(text, by, options = {}) {
    await this.settled();
    const answer = await this._try(() => this._post("/replace", { text, by, ...options }));
    if (!answer) return null;
    this._undone.push({ revision: answer.revision, label: { key: "did_replace", values: { text, by } } });
    await this._takeAnswer(answer);
    return answer.lines.map(({ id }) => id);
  }

  // --- saying, takes

  /** asked: {lines?, from?, only?: "stale" | "all", takes?, best?}. */
  async say(asked = {}) {
    await this.settled();
    return this._asksProgress(() => this._post("/say", asked));
  }

  stop() {
    return this._asksProgress(() => this._call("/say", { method: "DELETE" }));
  }

  /** asked: {takes?: 1 to 5, seed?, best?}. */
  async sayAgain(line, asked = {}) {
    await this.settled();
    return this._asksProgress(() => this._post(`/lines/${line}/takes`, asked));
  }

  /** take: an id, "" for none. */
  choose(line, take) {
    return this._changes(() => this._call(`/lines/${line}/chosen`, { method: "PUT", body: JSON.stringify({ take }), headers: JSON_TYPE }));
  }

  /** By the ears. lines: ids; all where nothing is given. */
  chooseBest(lines = null) {
    return this._changes(() => this._post("/best", lines ? { lines } : {}));
  }

  deleteTake(line, take) {
    return this._changes(() => this._call(`/lines/${line}/takes/${take}`, { method: "DELETE" }));
  }

  /** Relative to the page, of a take's sound ("audio") or its words ("words"). */
  takeAddress(line, take, what = "audio") {
    return `${ROUTE}/${this.id}/lines/${line}/takes/${take}/${what}`;
  }

  /** Relative to the page; path: such as "/export/check". */
  address(path = "") {
    return `${ROUTE}/${this.id}${path}`;
  }

  async _asksProgress(act) {
    const told = await this._try(act);
    if (!told) return null;
    if (told.progress) this._takeProgress(told.progress);
    await this.look();
    return told;
  }

  async _changes(act) {
    const told = await this._try(act);
    if (told) await this.look();
    return told;
  }

  // --- which lines are chosen

  /** ids: of several lines that are selected together, [] for none. current: where one is; as before where it is not given. */
  select(ids, current = this.current) {
    this.selected = new Set(ids);
    this.current = current;
    this.dispatchEvent(new Event("selected"));
  }

  // --- the way to the studio

  async _call(path, init) {
    const response = await this._ask(this.address(path), init);
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
