// Edits of lines that are seen before the studio has them. A line that is new here has an id of its own until the studio gives it one.

const NEW = "~"; // begins such ids
const WRITTEN = ["who", "text", "kind", "is_silent", "pause_seconds", "slot", "instructions", "speed"];

export class LineEdits {
  // script: a ScriptState, whose lines and order are changed.
  constructor(script) {
    this._script = script;
    this._steps = new Set(); // on their way
    this._real = new Map(); // own id -> the studio's
    this._n = 0;
  }

  get isAny() {
    return this._steps.size > 0;
  }

  isNew(id) {
    return id.startsWith(NEW);
  }

  /** The id by which a line is known now. */
  idOf(id) {
    return this._real.get(id) ?? id;
  }

  /** Whether what is written of a line is on its way. */
  has(id) {
    return [...this._steps].some((step) => step.edits.some(({ op, line }) => op === "put" && this.idOf(line) === id));
  }

  /** What is written of a line, of all that is known of it. */
  writtenOf(line) {
    return Object.fromEntries(WRITTEN.filter((key) => line[key] !== undefined).map((key) => [key, line[key]]));
  }

  /** Does it here. Gives the step: {edits, made: own ids of new lines, before: what was written of changed ones, lines, isReordered}. */
  begin(edits) {
    const step = { edits, made: [], before: new Map(), lines: [], isReordered: false };
    for (const edit of edits) this._does[edit.op]?.(edit, step);
    this._script._isIndexed = false;
    this._steps.add(step);
    return step;
  }

  _does = {
    put: ({ line, written }, step) => {
      const before = this._script.line(line);
      if (!step.before.has(line)) step.before.set(line, before && this.writtenOf(before));
      if (before) this._script._lines.set(line, { ...before, ...written });
      step.lines.push(line);
    },
    insert: ({ after, lines }, step) => {
      const own = lines.map((written) => this._make(written));
      const at = after ? this._script.ids.indexOf(after) + 1 : 0;
      this._script.ids = this._script.ids.toSpliced(at, 0, ...own);
      step.made.push(...own);
      step.isReordered = true;
    },
    delete: ({ lines }, step) => {
      const gone = new Set(lines);
      for (const id of lines) step.before.set(id, this._script.line(id) && this.writtenOf(this._script.line(id)));
      this._script.ids = this._script.ids.filter((id) => !gone.has(id));
      step.isReordered = true;
    },
    move: ({ lines, after }, step) => {
      const moved = new Set(lines);
      const rest = this._script.ids.filter((id) => !moved.has(id));
      this._script.ids = rest.toSpliced(after ? rest.indexOf(after) + 1 : 0, 0, ...lines);
      step.isReordered = true;
    },
    head: ({ head }) => {
      this._script.script = { ...this._script.script, ...head };
    },
    cast: ({ cast }) => {
      this._script.script = { ...this._script.script, cast };
    },
    dictionary: ({ entries }) => {
      this._script.script = { ...this._script.script, dictionary: entries };
    },
  };

  _make(written) {
    this._n += 1;
    const id = `${NEW}${this._n}`;
    const usual = { who: "", kind: "line", is_silent: false, state: "new", failure: null, chosen: "", takes: [], seconds: 0 };
    this._script._lines.set(id, { ...usual, ...written, id });
    return id;
  }

  /** The edits with the ids that the studio knows. */
  sendable({ edits }) {
    const known = (edit) => ({
      ...edit,
      ...("line" in edit && { line: this.idOf(edit.line) }),
      ...(edit.after && { after: this.idOf(edit.after) }),
      ...(["delete", "move"].includes(edit.op) && { lines: edit.lines.map((id) => this.idOf(id)) }),
    });
    return edits.map(known);
  }

  /** The studio has it. lines: of its answer. Gives the ids of the lines that were made. */
  end(step, lines) {
    this._steps.delete(step);
    if (!step.made.length) return [];
    const script = this._script;
    const fresh = lines.filter(({ id }) => !script.line(id)).sort((one, other) => one.index - other.index);
    step.made.forEach((own, at) => {
      if (fresh[at]) this._name(own, fresh[at]);
    });
    script._isIndexed = false;
    return step.made.map((own) => this.idOf(own));
  }

  _name(own, line) {
    const script = this._script;
    this._real.set(own, line.id);
    script.ids = script.ids.map((id) => (id === own ? line.id : id));
    const written = this.has(line.id) ? this.writtenOf(script.line(own)) : {};
    script._lines.delete(own);
    script._lines.set(line.id, { ...line, ...written });
    if (script.selected.delete(own)) script.selected.add(line.id);
    if (script.current === own) script.current = line.id;
    script.dispatchEvent(new CustomEvent("named", { detail: { own, id: line.id } }));
  }

  /** The studio does not take it. */
  drop(step) {
    this._steps.delete(step);
  }

  /** What another window changed meanwhile goes before the edits of a step. theirs: its lines, by id; there: the ids of all lines. Gives
   *  {id, mine} of the lines that both wrote, whose edits leave the step. */
  giveWay(step, theirs, there) {
    const lost = [];
    step.edits = step.edits.flatMap((edit) => {
      if (edit.op === "put") return this._putOrGiveWay(edit, step, theirs, there, lost);
      if (edit.op === "insert" || edit.op === "move") return [{ ...edit, after: this._lastThere(edit.after, there) }];
      if (edit.op === "delete") return this._deleteWhatIsThere(edit, step, theirs, there);
      return [edit];
    });
    return lost;
  }

  _putOrGiveWay(edit, step, theirs, there, lost) {
    const id = this.idOf(edit.line);
    const now = theirs.get(id);
    const isGone = !there.has(id);
    const isOtherwise = now && !this._isWritten(now, step.before.get(edit.line)) && !this._isWritten(now, edit.written);
    if (!isGone && !isOtherwise) return [edit];
    lost.push({ id, mine: edit.written });
    return [];
  }

  // A line that was written otherwise meanwhile stays.
  _deleteWhatIsThere(edit, step, theirs, there) {
    const isAsBefore = (id) => !theirs.has(id) || this._isWritten(theirs.get(id), step.before.get(id));
    const lines = edit.lines.map((id) => this.idOf(id)).filter((id) => there.has(id) && isAsBefore(id));
    return lines.length ? [{ ...edit, lines }] : [];
  }

  _isWritten(line, written) {
    return (
      Boolean(written) &&
      Object.entries(written).every(([key, value]) => JSON.stringify(line[key] ?? null) === JSON.stringify(value ?? null))
    );
  }

  // The line itself, or the nearest before it that is there still.
  _lastThere(after, there) {
    if (!after) return null;
    const ids = this._script.ids;
    for (let at = ids.indexOf(this.idOf(after)); at >= 0; at -= 1) if (there.has(ids[at])) return ids[at];
    return there.has(this.idOf(after)) ? this.idOf(after) : null;
  }

  /** The studio's order, with the lines in it that are new here. */
  withNew(theirs, ours) {
    const ids = [...theirs];
    ours.forEach((id, at) => {
      if (!this.isNew(id)) return;
      const before = ours.slice(0, at).findLast((one) => ids.includes(one));
      ids.splice(before ? ids.indexOf(before) + 1 : 0, 0, id);
    });
    return ids;
  }
}
