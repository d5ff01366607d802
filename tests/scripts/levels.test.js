// What the meter shows while somebody records, in dBFS: of signals whose level is known.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Levels } from "../../assets/web/recording/levels.js";

const RATE = 48_000;
const BLOCK = 480; // 10 ms

const sine = (amplitude, seconds) =>
  Float32Array.from({ length: seconds * RATE }, (_, i) => amplitude * Math.sin((2 * Math.PI * 1000 * i) / RATE));

function heard(...signals) {
  const levels = new Levels(RATE);
  for (const signal of signals) for (let at = 0; at < signal.length; at += BLOCK) levels.add(signal.subarray(at, at + BLOCK));
  return levels;
}

const near = (value, wanted, most = 0.1) => assert.ok(Math.abs(value - wanted) <= most, `${value} instead of ${wanted}`);

test("a sine of half the full scale is at -9 dBFS, one of a hundredth at -43", () => {
  near(heard(sine(0.5, 2)).levelDb, -9.03);
  near(heard(sine(0.01, 2)).levelDb, -43.01);
});

test("the level follows within some tenths of a second and is not that of the beginning", () => {
  near(heard(sine(0.5, 2), sine(0.01, 1.5)).levelDb, -43.01, 0.5);
});

test("the held level outlasts a pause between words, and falls by half in a second and a half", () => {
  near(heard(sine(0.5, 2), new Float32Array(1.5 * RATE)).heldDb, -12.04);
  near(heard(sine(0.01, 1), sine(0.5, 2)).heldDb, -9.03);
});

test("silence is at the foot of the meter and is counted until a sound comes", () => {
  const silent = heard(new Float32Array(RATE));
  assert.equal(silent.levelDb, -90);
  near(silent.silentSeconds, 1, 1e-9);
  assert.equal(heard(new Float32Array(RATE), sine(0.01, 0.01)).silentSeconds, 0);
  near(heard(sine(0.01, 0.5), sine(0.0002, 0.5)).silentSeconds, 0.5, 1e-9); // -74 dBFS: a muted input
});

test("the noise is that of the quietest 100 ms wherever they begin, and unknown before", () => {
  assert.equal(heard(sine(0.5, 0.09)).noiseDb, null);
  near(heard(sine(0.5, 0.95), sine(0.001, 0.1), sine(0.5, 0.9)).noiseDb, -63.01);
});

test("samples at full scale are counted, and the lamp is that of the last block", () => {
  const clipped = new Float32Array(BLOCK).fill(1);
  assert.equal(heard(sine(0.5, 0.99), clipped).clippedPercent, 1);
  assert.equal(heard(clipped).heldDb, 0); // too loud, however short
  assert.equal(new Levels(RATE).clippedPercent, 0);
});

test("the length is that of what arrived", () => assert.equal(heard(sine(0.1, 1.25)).seconds, 1.25));
