// Which sound is heard from where, over a context that only notes what it is told; and the pure parts of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FADE_SECONDS, landingShare, SwitchedSounds, shareAfter, withFades } from "../../assets/web/sound/switched_sounds.js";

const near = (value, wanted, most = 1e-9) => assert.ok(Math.abs(value - wanted) <= most, `${value} instead of ${wanted}`);

class NotedContext {
  constructor() {
    Object.assign(this, { currentTime: 10, baseLatency: 0.01, state: "running", sources: [], destination: {} });
  }

  createBufferSource() {
    const source = { connect: (next) => next, start: (when, offset) => Object.assign(source, { when, offset }) };
    source.stop = (end) => Object.assign(source, { end });
    this.sources.push(source);
    return source;
  }

  createGain() {
    const gain = { set: [] };
    for (const name of ["setValueAtTime", "linearRampToValueAtTime"]) gain[name] = (value, time) => gain.set.push([value, time]);
    gain.cancelScheduledValues = () => {};
    this.sources.at(-1).gain = gain;
    return { gain, connect: (next) => next };
  }

  createBuffer(_channels, length, sampleRate) {
    return bufferOf(length, sampleRate);
  }
}

function bufferOf(length, sampleRate = 1000) {
  const samples = new Float32Array(length).fill(1);
  const part = { length, sampleRate, numberOfChannels: 1, duration: length / sampleRate, getChannelData: () => samples };
  return Object.assign(part, { copyToChannel: (data) => samples.set(data) });
}

function studio() {
  const context = new NotedContext();
  const sounds = new SwitchedSounds(context);
  sounds.load("a", bufferOf(2000));
  sounds.load("b", bufferOf(4000), 0.5);
  return { context, sounds };
}

test("a switch lands at the same share of the length, at one time for both, with fades of 5 ms", () => {
  const { context, sounds } = studio();
  sounds.play("a");
  const [first] = context.sources;
  assert.equal(first.offset, 0);
  context.currentTime = first.when + 0.5;
  near(sounds.position, 0.25);
  sounds.switchTo("b");
  const second = context.sources[1];
  near(second.when, context.currentTime + 0.012);
  near(second.offset, ((second.when - first.when) / 2) * 4);
  assert.deepEqual(first.gain.set.slice(-2), [
    [1, second.when],
    [0, second.when + FADE_SECONDS],
  ]);
  near(first.end, second.when + FADE_SECONDS);
  assert.deepEqual(second.gain.set, [
    [0, second.when],
    [0.5, second.when + FADE_SECONDS],
  ]);
  assert.equal(sounds.playing, "b");
  assert.equal(sounds.seconds, 4);
});

test("what is paused goes on where it was, in another sound too, and play begins again", () => {
  const { context, sounds } = studio();
  sounds.play("b");
  context.currentTime = context.sources[0].when + 3;
  sounds.pause();
  context.currentTime += 60;
  assert.equal(sounds.playing, null);
  near(sounds.position, 0.75);
  sounds.switchTo("a");
  near(context.sources[1].offset, 1.5);
  sounds.play("a");
  assert.equal(context.sources[2].offset, 0);
});

test("who listens is told of each change, and the end of a sound that another took over from is none", () => {
  const { context, sounds } = studio();
  const told = [];
  sounds.onchange = () => told.push(sounds.playing);
  sounds.play("a");
  sounds.switchTo("b");
  context.sources[0].onended();
  context.sources[1].onended();
  sounds.stop();
  assert.deepEqual(told, ["a", "b", null, null]);
  assert.equal(sounds.position, 0);
});

test("a part repeats by itself, from within, and a switch stays within it", () => {
  const { context, sounds } = studio();
  sounds.play("a");
  sounds.repeat(0.5, 0.75);
  const looped = context.sources[1];
  assert.equal(looped.loop, true);
  assert.equal(looped.buffer.length, 500);
  assert.equal(looped.offset, 0);
  context.currentTime = looped.when + 0.6;
  near(sounds.position, 0.55);
  sounds.switchTo("b");
  const { when, offset, buffer } = context.sources[2];
  near(offset, (shareAfter(0.5, when - looped.when, 2, { from: 0.5, to: 0.75 }) - 0.5) * 4);
  assert.equal(buffer.length, 1000);
  sounds.repeat(null);
  assert.equal(context.sources[3].loop, false);
  near(context.sources[3].offset, sounds._voice.share * 4);
});

test("shares", () => {
  near(shareAfter(0.2, 1, 10), 0.3);
  assert.equal(shareAfter(0.9, 5, 10), 1);
  near(shareAfter(0.6, 1, 2, { from: 0.5, to: 0.75 }), 0.6);
  assert.equal(landingShare(1), 0);
  assert.equal(landingShare(0.4), 0.4);
  assert.equal(landingShare(0.4, { from: 0.5, to: 0.75 }), 0.5);
  assert.equal(landingShare(0.6, { from: 0.5, to: 0.75 }), 0.6);
});

test("fades begin and end in silence, leave the middle, and the original", () => {
  const samples = new Float32Array(8).fill(1);
  assert.deepEqual([...withFades(samples, 2)], [0, 0.5, 1, 1, 1, 1, 0.5, 0]);
  assert.deepEqual([...samples], new Array(8).fill(1));
  assert.deepEqual([...withFades(samples.slice(0, 1), 2)], [1]);
});
