// The script that is open, and the verbs that change it. What is edited is seen at once and goes to the studio in its turn; what another window
// changed meanwhile comes with the answer, and nothing is lost on either side. Verbs do not reject: they tell why ("refused") and give null.

import { queued } from "../transport/gradio_transport.js";
import { called } from "../transport/server_call.js";
import { SpeechRefused } from "../transport/speech_transport.js";
import { JSON_TYPE, KnownLines, ROUTE } from "./known_lines.js";

const MOVED = "script_moved"; // reason code: another window was first
const MOST_LOOKS = 5; // after which an edit is given up that others always overtake

export class ScriptState extends KnownLines {
  _clear() {
    super._clear();
    this._queue = Promise.resolve(); // edits go one after the other
    this._undone = []; // {revision, label} of what can be undone here
    this._redone = [];
  }

  /** What was written of the one before reaches the studio first. */
  async open(id) {
    await this.settled();
    return super.open(id);
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

  /** What is written of a line that is here, as edits have it. */
  writtenOf(id) {
    return this._edits.writtenOf(this.line(id));
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
    const told = await this._get(`/changes?since=${this._token}`);
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
    return this._asksProgress(() => this._asksSound(asked, () => this._post("/say", asked)));
  }

  stop() {
    return this._asksProgress(() => this._call("/say", { method: "DELETE" }));
  }

  /** asked: {takes?: 1 to 5, seed?, best?}. */
  async sayAgain(line, asked = {}) {
    await this.settled();
    return this._asksProgress(() => this._asksSound({ ...asked, line }, () => this._post(`/lines/${line}/takes`, asked)));
  }

  /** Words of a take are made anew. wish: {text?, take?, engine?, operations?, seed?}. Rejects where it is refused. */
  async mend(line, wish) {
    await this.settled();
    const told = await this._asksSound({ line, mend: wish }, () => this._post(`/lines/${line}/mend`, wish));
    if (told.progress) this._takeProgress(told.progress);
    await this._try(() => this.look());
    return told;
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

  // Where a GPU is lent, an event of the queue gets one for its visitor, and no other request.
  async _asksSound(asked, post) {
    if (!queued) return post();
    const { problem } = await called({}, "say_script", { ...asked, script: this.id }, "E-NET-1");
    if (problem) throw new SpeechRefused(problem.code, problem.values, problem);
    return {};
  }

  async _asksProgress(act) {
    const told = await this._try(act);
    if (!told) return null;
    if (told.progress) this._takeProgress(told.progress);
    await this._try(() => this.look());
    return told;
  }

  async _changes(act) {
    const told = await this._try(act);
    if (told) await this._try(() => this.look());
    return told;
  }
}
