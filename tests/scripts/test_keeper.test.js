// Claims about drafts that are kept as they are made.

import assert from "node:assert/strict";
import { test } from "node:test";
import { TestKeeper } from "../../assets/web/builder/test_keeper.js";

// A keeper, what the studio was asked, and answers that the test gives by hand.
function begun(id = "") {
  const heard = { asked: [], kept: [], refused: [], plan: "first" };
  const ask = (_, values) => new Promise((resolve) => heard.asked.push({ ...values, resolve }));
  const [plan, kept, refused] = [() => heard.plan, (made) => heard.kept.push(made), (problem) => heard.refused.push(problem)];
  const keeper = new TestKeeper({ ask, plan, kept, refused });
  keeper.begin(id);
  return { keeper, heard };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("what changes while the studio is asked is asked for next, under the id that it gave", async () => {
  const { keeper, heard } = begun();
  keeper.keepSoon();
  const done = keeper.settled();
  assert.equal(heard.asked.length, 1);
  heard.plan = "second";
  keeper.keepSoon();
  heard.asked[0].resolve({ test: { id: "made" } });
  await settle();
  assert.deepEqual([heard.asked[1].id, heard.asked[1].plan], ["made", "second"]);
  assert.equal(heard.kept.length, 0, "the first is not the draft as it is");
  heard.asked[1].resolve({ test: { id: "made" } });
  await done;
  assert.equal(heard.kept.length, 1);
  assert.equal(keeper.isUnderWay, false);
});

test("a draft that was refused has no id, and is asked for again", async () => {
  const { keeper, heard } = begun();
  const known = keeper.known();
  heard.asked[0].resolve({ problem: { code: "studio_away" } });
  assert.equal(await known, "");
  assert.equal(heard.refused.length, 1);
  const again = keeper.known();
  heard.asked[1].resolve({ test: { id: "made" } });
  assert.equal(await again, "made");
});

test("an answer that comes after another draft was opened changes nothing of that one", async () => {
  const { keeper, heard } = begun();
  keeper.keepSoon();
  const done = keeper.settled();
  keeper.begin("other");
  heard.asked[0].resolve({ test: { id: "made" } });
  await done;
  assert.equal(keeper.id, "other");
  assert.equal(heard.kept.length, 0);
});
