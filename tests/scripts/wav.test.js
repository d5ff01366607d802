// PCM in and out of files: a header that every program reads, and samples that nothing changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { channelsTaken, int16Of, wavOf } from "../../assets/web/sound/wav.js";

test("a WAV file says what it holds, and holds the samples bit by bit", async () => {
  const pieces = [Int16Array.of(0, 1, -1), Int16Array.of(32767, -32768)];
  const blob = wavOf(pieces, 24_000);
  const bytes = await blob.arrayBuffer();
  const view = new DataView(bytes);
  const text = (from, to) => String.fromCharCode(...new Uint8Array(bytes.slice(from, to)));
  assert.equal(blob.type, "audio/wav");
  assert.equal(bytes.byteLength, 44 + 10);
  assert.deepEqual([text(0, 4), text(8, 12), text(12, 16), text(36, 40)], ["RIFF", "WAVE", "fmt ", "data"]);
  assert.equal(view.getUint32(4, true), bytes.byteLength - 8);
  assert.equal(view.getUint32(16, true), 16); // of the format that follows
  assert.deepEqual([view.getUint16(20, true), view.getUint16(22, true)], [1, 1]); // PCM, mono
  assert.deepEqual([view.getUint32(24, true), view.getUint32(28, true)], [24_000, 48_000]);
  assert.deepEqual([view.getUint16(32, true), view.getUint16(34, true)], [2, 16]); // bytes of a sample, bits
  assert.equal(view.getUint32(40, true), 10);
  assert.deepEqual([...new Int16Array(bytes.slice(44))], [0, 1, -1, 32767, -32768]);
});

test("a file of no samples is a file all the same", async () => {
  const bytes = await wavOf([], 48_000).arrayBuffer();
  assert.equal(bytes.byteLength, 44);
  assert.equal(new DataView(bytes).getUint32(40, true), 0);
});

test("floats become the nearest of 65,536 steps, and what is too loud is clipped rather than wrapped", () => {
  const samples = Float32Array.of(0, 0.5, -0.5, 1, -1, 1.7, -1.7, 1 / 32768, 0.4 / 32768);
  assert.deepEqual([...int16Of(samples)], [0, 16384, -16384, 32767, -32768, 32767, -32768, 1, 0]);
});

test("of two channels this browser plays those that the studio took", () => {
  const [left, right] = [Int16Array.of(100, -100, 32767), Int16Array.of(50, 100, 32767)];
  const taken = (numbers) => channelsTaken([left, right], { channels: numbers, n_channels: 2, track: 1 });
  assert.deepEqual([taken([0]), taken([1])], [left, right]);
  assert.deepEqual([...taken([0, 1])], [75, 0, 32767]);
});

test("of another track, of another number of channels or of many the studio gives the sound", () => {
  const channels = [0, 1, 2].map((sample) => Int16Array.of(sample));
  assert.equal(channelsTaken(channels.slice(0, 2), { channels: [0], n_channels: 2, track: 2 }), null);
  assert.equal(channelsTaken(channels.slice(0, 2), { channels: [0], n_channels: 1, track: 1 }), null);
  assert.equal(channelsTaken(channels, { channels: [2], n_channels: 3, track: 1 }), null);
});
