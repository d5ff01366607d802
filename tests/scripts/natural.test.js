// What is said of the engine that sounds natural, by which engine is chosen and how that one stands.
import assert from "node:assert/strict";
import { test } from "node:test";
import { naturalOf } from "../../assets/web/engines/natural_state.js";

const AWAY = { engine: "pocket", is_default: false, has_come: false, built_in: "plain" };
const HERE = { ...AWAY, is_default: true, has_come: true };

function stateOf(natural, state, { engine = "plain", isFetchable = true, trouble = "" } = {}) {
  const engines = [{ id: "plain" }, { id: "pocket", state, is_fetchable: isFetchable, trouble }];
  return naturalOf({ natural, engine, engines })?.state ?? "";
}

test("it is offered where it can be got, told of while it comes, and can be used once it is the default", () => {
  assert.equal(stateOf(AWAY, "absent"), "away");
  assert.equal(stateOf(AWAY, "fetching"), "coming");
  assert.equal(stateOf(AWAY, "absent", { trouble: "The disk is full." }), "failed");
  assert.equal(stateOf(AWAY, "loading"), ""); // nobody knows yet whether it can be the default
  for (const state of ["idle", "loading", "ready"]) assert.equal(stateOf(HERE, state), "here");
});

test("nothing is said where it cannot be got or has failed, where another engine is chosen, or where none would sound better", () => {
  assert.equal(stateOf(AWAY, "absent", { isFetchable: false }), "");
  for (const state of ["failed", "unavailable"]) assert.equal(stateOf(AWAY, state), "");
  for (const engine of ["pocket", "large"]) assert.equal(stateOf(HERE, "ready", { engine }), "");
  assert.equal(stateOf({ ...HERE, has_come: false }, "ready"), ""); // it was the default from the first
  assert.equal(stateOf({ ...AWAY, built_in: "" }, "absent"), "");
  assert.equal(stateOf(null, "absent"), "");
  assert.equal(naturalOf({}), null); // before the first answer
});
