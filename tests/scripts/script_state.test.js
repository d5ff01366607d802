// Scripts: edits are seen before the studio has them, and nothing is lost where another window edits, too.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./standing_page.js";

const { ScriptState } = await import("../../assets/web/script_state/script_state.js");
const { LineWriting } = await import("../../assets/web/script_lines/line_writing.js");

const line = (id, text, who = "") => ({
  id,
  who,
  text,
  kind: "line",
  is_silent: false,
  pause_seconds: null,
  state: "new",
  takes: [],
  chosen: "",
  seconds: null,
});

// The studio with one script of three lines, as its routes answer.
class SmallStudio {
  constructor() {
    this.lines = [line("a", "One."), line("b", "Two."), line("c", "Three.")];
    this.revision = 1;
    this.token = 1;
    this.asked = [];
    this.undone = [];
    this.changed = new Set();
    this.n = 0;
  }

  ask = async (path, init = {}) => {
    const [, rest] = /scripts\/s(.*)/.exec(path);
    const body = init.body && JSON.parse(init.body);
    this.asked.push(`${init.method ?? "GET"} ${rest.split("?")[0]}`);
    const told = this.answer(rest, body, init.method);
    return { text: async () => JSON.stringify(told) };
  };

  answer(path, body) {
    if (path === "") return this.script;
    if (path === "/line_ids") return { ids: this.lines.map(({ id }) => id) };
    if (path.startsWith("/lines?")) return { n_lines: this.lines.length, lines: this.told };
    if (path.startsWith("/changes")) return this.changes(path);
    if (path === "/undo") return this.undo();
    if (path !== "/edits") return { progress: { is_running: true, done: 0, total: 1 } };
    if (body.revision !== this.revision) throw Object.assign(new Error("moved"), { code: "script_moved" });
    return this.edit(body.edits);
  }

  changes(path) {
    const since = Number(path.split("=")[1]);
    const isAny = since < this.token;
    const lines = isAny ? this.told.filter(({ id }) => this.changed.has(id)) : [];
    return { token: this.token, revision: this.revision, progress: null, lines, is_reordered: false };
  }

  get script() {
    return {
      title: "T",
      cast: [{ name: "" }],
      n_lines: this.lines.length,
      revision: this.revision,
      can_undo: this.undone.length,
      can_redo: 0,
    };
  }

  get told() {
    return this.lines.map((one, index) => ({ ...one, index }));
  }

  edit(edits) {
    this.undone.push(this.lines);
    const ids = edits.flatMap((edit) => this[edit.op](edit));
    return this.moved(
      ids,
      edits.some(({ op }) => op !== "put"),
    );
  }

  moved(ids, isReordered) {
    this.revision += 1;
    this.token += 1;
    for (const id of ids) this.changed.add(id);
    return {
      revision: this.revision,
      lines: this.told.filter(({ id }) => ids.includes(id)),
      is_reordered: isReordered,
      script: this.script,
    };
  }

  put({ line: id, written }) {
    this.lines = this.lines.map((one) => (one.id === id ? { ...one, ...written } : one));
    return [id];
  }

  insert({ after, lines }) {
    const made = lines.map((written) => {
      this.n += 1;
      return { ...line(`n${this.n}`, ""), ...written };
    });
    this.lines = this.lines.toSpliced(this.lines.findIndex(({ id }) => id === after) + 1, 0, ...made);
    return made.map(({ id }) => id);
  }

  delete({ lines }) {
    this.lines = this.lines.filter(({ id }) => !lines.includes(id));
    return [];
  }

  cast() {
    return [];
  }

  undo() {
    this.lines = this.undone.pop();
    return this.moved(["a", "b", "c"], true);
  }

  get texts() {
    return this.lines.map(({ text }) => text);
  }
}

async function opened() {
  const studio = new SmallStudio();
  const state = new ScriptState({ ask: studio.ask });
  assert.ok(await state.open("s"));
  await state.want(0, 2);
  return { studio, state, texts: () => state.ids.map((id) => state.line(id).text) };
}

test("an edit is seen at once, and what is written meanwhile goes to the line by the studio's own id", async () => {
  const { studio, state, texts } = await opened();
  const made = state.edit([{ op: "insert", after: "a", lines: [{ who: "", text: "" }] }]);
  const own = state.ids[1];
  state.select([], own);
  state.put([own], { text: "New." });
  assert.deepEqual(texts(), ["One.", "New.", "Two.", "Three."]);
  assert.deepEqual(await made, ["n1"]);
  await state.settled();
  assert.deepEqual([studio.texts, texts(), state.current], [["One.", "New.", "Two.", "Three."], ["One.", "New.", "Two.", "Three."], "n1"]);
});

test("where another window edited another line, both edits stand", async () => {
  const { studio, state, texts } = await opened();
  studio.edit([{ op: "put", line: "c", written: { text: "Theirs." } }]);
  await state.put(["a"], { text: "Mine." });
  assert.deepEqual(
    [studio.texts, texts()],
    [
      ["Mine.", "Two.", "Theirs."],
      ["Mine.", "Two.", "Theirs."],
    ],
  );
  assert.equal(state.conflicts.size, 0);
});

test("where another window edited the same line, theirs stands and mine is kept until somebody says which", async () => {
  const { studio, state, texts } = await opened();
  studio.edit([{ op: "put", line: "b", written: { text: "Theirs." } }]);
  await state.put(["b"], { text: "Mine." });
  assert.deepEqual([studio.texts[1], texts()[1], state.conflicts.get("b").text], ["Theirs.", "Theirs.", "Mine."]);
  await state.settleConflict("b", true);
  assert.deepEqual([studio.texts[1], state.conflicts.size], ["Mine.", 0]);
});

test("what was written of a line that another window deleted is not lost", async () => {
  const { studio, state } = await opened();
  studio.edit([{ op: "delete", lines: ["b"] }]);
  await state.put(["b"], { text: "Mine." });
  assert.deepEqual([state.ids, state.conflicts.get("b").text], [["a", "c"], "Mine."]);
  await state.settleConflict("b", true);
  assert.deepEqual(studio.texts, ["One.", "Three.", "Mine."]);
});

test("an edit that is refused is told, and the lines are as the studio has them", async () => {
  const { studio, state, texts } = await opened();
  const refusals = [];
  state.addEventListener("refused", ({ detail }) => refusals.push(detail.message));
  studio.edit = () => {
    throw new Error("no");
  };
  assert.equal(await state.edit([{ op: "delete", lines: ["a"] }]), null);
  await state.want(0, 2);
  assert.deepEqual([refusals, texts()], [["no"], ["One.", "Two.", "Three."]]);
});

test("what is undone is told as it was called, where nobody else edited since", async () => {
  const { studio, state } = await opened();
  await state.put(["a"], { text: "Mine." }, { key: "did_write", values: { line: 1 } });
  assert.deepEqual((await state.undo()).label, { key: "did_write", values: { line: 1 } });
  assert.deepEqual(studio.texts, ["One.", "Two.", "Three."]);
  await state.put(["a"], { text: "Mine." }, { key: "did_write", values: { line: 1 } });
  studio.edit([{ op: "put", line: "c", written: { text: "Theirs." } }]);
  await state.look();
  assert.equal((await state.undo()).label, null);
});

test("keys in a field split, join and leave a line as writers expect it", async () => {
  const { studio, state, texts } = await opened();
  const focused = [];
  globalThis.window ??= new EventTarget();
  const writing = new LineWriting(state, { rowOf: () => null, focus: (id, at) => focused.push([id, at]) });
  const press = (key, id, [start, end = start], value) =>
    writing.key({ key, target: { selectionStart: start, selectionEnd: end, value } }, id);
  assert.equal(press("Enter", "a", [4], "One."), true);
  await state.settled();
  assert.deepEqual([texts(), focused.at(-1)[1]], [["One.", "", "Two.", "Three."], 0]);
  assert.equal(press("Backspace", "b", [0], "Two."), true);
  assert.equal(press("Delete", "a", [4], "One."), true);
  await state.settled();
  assert.deepEqual(
    [studio.texts, texts(), focused.at(-1)],
    [
      ["One. Two.", "Three."],
      ["One. Two.", "Three."],
      ["a", 5],
    ],
  );
  assert.equal(press("Backspace", "a", [0], "One. Two."), false); // there is none before
  assert.equal(press("Enter", "a", [4, 4], "One. Two."), true);
  await state.settled();
  assert.deepEqual(studio.texts, ["One.", "Two.", "Three."]);
  assert.equal(press("x", "a", [1], "One."), false);
  writing.note("a", "Typed.");
  writing.settle();
  await state.settled();
  assert.equal(studio.texts[0], "Typed.");
});
