// What is said of a state goes with the state: the chip of all engines, and the answer to a press at an engine's row.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stillHolds } from "../../assets/web/engines/engine_note.js";
import { standing } from "../../assets/web/frame/engines_standing.js";
import { saidWhenBack } from "../../assets/web/kit/back_again.js";

const engine = (state, more = {}) => ({ state, title: "Tone", fetching: false, elsewhere: null, ...more });

test("an engine that was unloaded can be loaded again, and that is no lack of one", () => {
  assert.deepEqual(standing([engine("idle"), engine("unavailable")], false), ["disk", "No engine loaded"]);
  assert.deepEqual(standing([engine("unavailable"), engine("failed")], false), ["none", "No engine"]);
  assert.deepEqual(standing([], false), ["none", "No engine"]);
  assert.deepEqual(standing([engine("ready"), engine("idle")], false), ["memory", "1 engine loaded"]);
  assert.deepEqual(standing([engine("ready")], true), ["care", "Offline"]);
  assert.deepEqual(standing([engine("idle", { fetching: true, percent: null })], false), ["learning", "Getting Tone"]);
});

test("what was said of a press ends when the engine stands otherwise", () => {
  for (const [verb, holds, ended] of [
    ["fetch", "arriving", ["broken", "idle", "ready", "paused"]],
    ["cancel", "paused", ["ready", "broken", "idle"]],
    ["load", "loading", ["ready", "failed", "idle"]],
    ["load", "connecting", ["connected", "down"]],
    ["make-room", "loading", ["ready", "failed"]],
    ["unload", "idle", ["loading", "ready"]],
  ]) {
    assert.ok(stillHolds(verb, holds));
    for (const other of ended) assert.ok(!stillHolds(verb, other), `${verb}, ${other}`);
  }
});

test("that the studio does not answer is not said once it does, and what else was said stays", () => {
  const acts = [{ words: "Try again" }];
  const back = saidWhenBack({ kind: "problem", code: "studio_away", values: {}, acts });
  assert.deepEqual([back.kind, back.code, back.fact, back.acts], ["note", "", "The studio did not answer. It does again.", acts]);
  assert.equal(saidWhenBack({ kind: "problem", code: "engine_busy" }), null);
  assert.equal(saidWhenBack({}), null);
});
