import assert from "node:assert/strict";
import test from "node:test";
import { Pace } from "../../assets/web/engines/pace.js";

test("a pace is told once it was measured for a while, with what is left in whole seconds or minutes", () => {
  const pace = new Pace();
  assert.equal(pace.at(10, 1_000, 100_000), null);
  assert.equal(pace.at(12, 9_000, 100_000), null);
  assert.deepEqual(pace.at(14, 9_000, 100_000), { pace: 2_000, left: 46 });
  assert.deepEqual(pace.at(14, 9_000, 300_000), { pace: 2_000, left: 180 });
  assert.deepEqual(pace.at(14, 9_000, null), { pace: 2_000, left: null });
  assert.equal(new Pace().at(0, 5, 5) ?? pace.at(5_000_000, 1_001, 100_000), null, "what stands still has none");
});
