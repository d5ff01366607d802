// A blind pair: what has to be heard before a vote, which takes are a pair, and what is asked of the studio.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nextOf, offerOf, PairState, rivalsOf, sidesOf } from "../../assets/web/pairs/pair_state.js";
import { voterHeaders } from "../../assets/web/transport/voter.js";

const take = (id, more = {}) => ({
  id,
  text: "hello",
  voice: "alice",
  engine: id,
  seconds: 1,
  source_seconds: null,
  ended: "ended",
  ...more,
});

test("a browser says which it is once somebody asks for a pair, and about pairs alone", () => {
  const kept = new Map();
  const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });
  assert.deepEqual(voterHeaders("v1/studio/pairs/standings"), {}, "who only looks is nobody");
  const [asked, heard] = [voterHeaders("v1/studio/pairs/next", "POST"), voterHeaders("v1/studio/pairs/1/a")];
  assert.match(asked["X-Studio-Voter"], /^\d{5,}-\d{5,}$/);
  assert.deepEqual(heard, asked);
  assert.deepEqual(voterHeaders("v1/audio/speech", "POST"), {});
  assert.deepEqual([...kept.values()], Object.values(asked));
});

test("what is least known is asked in the same words, by a stored voice or by each engine's own", () => {
  const request = { input: "hello", voice: "nova", model: "one", directions: false, speed: 2 };
  assert.deepEqual(nextOf(request, true), { input: "hello", voice: "nova", directions: false });
  assert.equal(nextOf(request, false).voice, "default");
});

test("a vote waits until both were heard, and is one", () => {
  const pair = new PairState({ id: "1", seconds: 9 });
  pair.note("a", 2.5);
  pair.note("b", 1);
  pair.note("b", 0); // heard again from the beginning
  assert.ok(pair.isHeard("a") && !pair.isHeard("b") && !pair.mayVote);
  pair.note("b", 2.5);
  assert.ok(pair.mayVote);
  pair.isVoted = true;
  assert.ok(!pair.mayVote);
});

test("a short sound is heard when all of it was", () => {
  const pair = new PairState({ id: "1", seconds: 1 });
  for (const slot of ["a", "b"]) pair.note(slot, 0.9);
  assert.ok(!pair.mayVote);
  for (const slot of ["a", "b"]) pair.note(slot, 1);
  assert.ok(pair.mayVote);
});

test("the last two takes of a text by a voice are offered, where the newest is of this page", () => {
  const isOwn = (id) => id === "new";
  assert.deepEqual(offerOf([take("new"), take("x", { text: "other" }), take("y", { voice: "bob" }), take("old")], isOwn), ["new", "old"]);
  assert.equal(offerOf([take("old"), take("older")], isOwn), null);
  assert.equal(offerOf([take("new"), take("cut", { ended: "cancelled" })], isOwn), null);
  assert.equal(offerOf([take("new", { source_seconds: 2 }), take("old")], isOwn), null);
  assert.equal(offerOf([], isOwn), null);
  assert.equal(offerOf([take("new", { engine: "one" }), take("old", { engine: "one" })], isOwn), null, "the same sound again");
  assert.deepEqual(offerOf([take("new", { engine: "one" }), take("old", { engine: "one", seconds: 2 })], isOwn), ["new", "old"]);
});

test("a text is compared with engines that speak when they are asked, and with the same one as it is where something was changed", () => {
  const engines = [
    { id: "one", state: "ready" },
    { id: "two", state: "idle" },
    { id: "away", state: "absent" },
  ];
  const ids = (isChanged) => rivalsOf({ engine: "one", engines, isChanged }).map(({ id }) => id);
  assert.deepEqual([ids(false), ids(true)], [["two"], ["one", "two"]]);
});

test("both sides say the same text, the rival with nothing changed; a built-in voice belongs to its engine", () => {
  const request = { input: "hello", voice: "nova", model: "one", language: "de", speed: 2 };
  const asked = (rival, isStored) => sidesOf(request, rival, isStored);
  assert.deepEqual(asked("two", true), {
    input: "hello",
    language: "de",
    sides: [
      { voice: "nova", model: "one", speed: 2 },
      { model: "two", voice: "nova" },
    ],
  });
  assert.equal(asked("two", false).sides[1].voice, "default");
  assert.equal(asked("one", false).sides[1].voice, "nova");
});
