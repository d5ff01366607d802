// Which of an engine's options come first, and what two of them mean for the first sound.
import assert from "node:assert/strict";
import { test } from "node:test";
import { arranged, firstSoundOf } from "../../assets/web/choice/option_order.js";

const named = (...names) => names.map((name) => ({ name, default: 1 }));
const namesOf = (options) => options.map(({ name }) => name);

test("what people use comes first, at most four in a line with the first sound, and all others behind it", () => {
  const block = named("seed", "first_block_seconds", "block_seconds", "speed", "top_k", "pitch_semitones", "temperature");
  const { usual, first, others } = arranged(block);
  assert.deepEqual(namesOf(usual), ["speed", "pitch_semitones", "seed"]);
  assert.deepEqual([first.piece.name, first.later.name], ["first_block_seconds", "block_seconds"]);
  assert.deepEqual(namesOf(others), ["first_block_seconds", "block_seconds", "top_k", "temperature"]);
  const lively = arranged(named("temperature", "initial_codec_chunk_frames", "codec_chunk_frames", "seed", "speed"));
  assert.deepEqual(namesOf(lively.usual), ["speed", "temperature", "seed"]);
  assert.equal(lively.first.piece.name, "initial_codec_chunk_frames");
  assert.deepEqual(namesOf(arranged(named("mode", "seed", "steps")).usual), ["mode", "seed"]);
  assert.deepEqual(namesOf(arranged(named("strength", "speed", "steps", "pitch")).usual), ["speed", "pitch", "strength"]);
  assert.deepEqual(arranged(named("steps")), { instructions: null, usual: [], first: null, others: named("steps") });
});

test("what is said of how it should sound has a place of its own, where it is words", () => {
  const instructions = { name: "instructions", kind: "text", default: "", maximum: 500 };
  const { instructions: found, usual, others } = arranged([...named("seed"), instructions, ...named("steps")]);
  assert.deepEqual([found, namesOf(usual), namesOf(others)], [instructions, ["seed"], ["steps"]]);
  const choice = { ...instructions, kind: "choice" };
  assert.deepEqual([arranged([choice]).instructions, arranged([choice]).others], [null, [choice]]);
});

test("the first sound is early by the engine's own pieces, and smoother with a first one as long as the later ones", () => {
  const first = { piece: { name: "first", default: 0.15 }, later: { name: "later", default: 0.3 } };
  assert.equal(firstSoundOf(first, {}), "early");
  assert.equal(firstSoundOf(first, { first: 0.3 }), "smooth");
  assert.equal(firstSoundOf(first, { first: 0.2 }), "");
  assert.equal(firstSoundOf(first, { first: 0.3, later: 0.5 }), "");
});
