// Where the time to the first sound went: four parts that sum up to it, whatever happened on the way.
import assert from "node:assert/strict";
import { test } from "node:test";
import { farOf, kindOf, paceOf, partsOf, stagesOf, totalOf } from "../../assets/web/sound/stages.js";

function runOf(milliseconds, sound = 60) {
  const stages = new Map(Object.entries(milliseconds).map(([name, took]) => [name, { milliseconds: took }]));
  return { facts: { stages, cache: "hit" }, session: { startedAt: 100, firstSoundMilliseconds: sound }, sentAt: 103, openedAt: 140 };
}

test("the parts sum up to the time from the press to the sound", () => {
  const run = runOf({ resolve: 6, load: 4, prompt: 5, queue: 1, first_chunk: 12, first_audio: 24 });
  assert.equal(totalOf(run), 60);
  assert.deepEqual(partsOf(run), { asking: 3 + 2 + 4 + 1, voice: 5, made: 12, way: 33 });
  assert.deepEqual(
    stagesOf(run).map(({ key }) => key),
    ["press", "read", "load", "prompt", "queue", "first_chunk", "first_byte", "first_sound"],
  );
});

test("what a server elsewhere took is told apart from what this studio took around it, and both are what was made", () => {
  const run = runOf({ resolve: 6, prompt: 5, queue: 1, first_chunk: 12, far: 9, first_audio: 24 });
  assert.equal(totalOf(run), 60);
  assert.deepEqual(partsOf(run), { asking: 3 + 6 + 1, voice: 5, far: 9, made: 3, way: 33 });
  assert.deepEqual(
    stagesOf(run).map(({ key }) => key),
    ["press", "read", "prompt", "queue", "far", "around", "first_byte", "first_sound"],
  );
  assert.equal(farOf(run.facts), 9);
  assert.equal(farOf(runOf({ first_chunk: 12 }).facts), null);
});

test("what did not happen or is not known yet is no stage, and nothing takes less than no time", () => {
  const run = runOf({ resolve: 1, first_audio: 90 }, null);
  assert.deepEqual(
    stagesOf(run).map(({ key }) => key),
    ["press", "read", "prompt", "queue", "first_chunk", "first_byte"],
  );
  assert.equal(stagesOf(run).at(-1).milliseconds, 0);
});

test("where an answer was opened before there was sound, the wait was for what was made", () => {
  const run = runOf({ resolve: 6, prompt: 5, queue: 1 }, 20_000);
  assert.equal(totalOf(run), 20_000);
  assert.deepEqual(partsOf(run), { asking: 3 + 6 + 1, voice: 5, made: 20_000 - 15, way: 0 });
});

test("what the server took between the sound and its first bytes is not the network's", () => {
  const run = runOf({ resolve: 6, prompt: 5, queue: 1, first_chunk: 12, first_audio: 24, packet: 26 });
  const took = Object.fromEntries(stagesOf(run).map(({ key, milliseconds }) => [key, milliseconds]));
  assert.equal(totalOf(run), 60);
  assert.deepEqual([took.packet, took.first_byte], [2, 140 - 100 - 3 - 26]);
});

test("a run that loaded its engine is cold, one read from disk is neither, and one that was stopped has no pace", () => {
  assert.equal(kindOf(runOf({}).facts), "warm");
  assert.equal(kindOf(runOf({ load: 9 }).facts), "cold");
  assert.equal(kindOf({ ...runOf({}).facts, cache: "disk" }), "disk");
  for (const cache of ["miss", "joined", "bypass", ""]) assert.equal(kindOf({ ...runOf({}).facts, cache }), "cold");
  assert.equal(paceOf({ receivedMilliseconds: 500, samples: 1, stopped: false, seconds: 5 }), 10);
  assert.equal(paceOf({ receivedMilliseconds: 500, samples: 1, stopped: true, seconds: 5 }), null);
});
