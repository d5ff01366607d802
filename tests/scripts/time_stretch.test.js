// Sound at another speed: how long it becomes, and that pitch, silence and the cuts of the stream make no difference.
import assert from "node:assert/strict";
import { test } from "node:test";
import { TimeStretch } from "../../assets/web/sound/time_stretch.js";

const RATE = 24_000;
const SPEEDS = [0.75, 1.25, 1.5, 2];
const tone = (hz, seconds) => Int16Array.from({ length: RATE * seconds }, (_, at) => 12_000 * Math.sin((2 * Math.PI * hz * at) / RATE));

function stretched(samples, speed, pieceSamples = 1920) {
  const stretch = new TimeStretch(RATE, speed);
  const heard = [];
  for (let at = 0; at < samples.length; at += pieceSamples) heard.push(...stretch.push(samples.subarray(at, at + pieceSamples)));
  heard.push(...stretch.finish());
  return Int16Array.from(heard);
}

// By the first and the last time that it goes up through zero.
function pitchOf(samples) {
  const ups = [];
  for (let at = 1; at < samples.length; at += 1) if (samples[at - 1] < 0 && samples[at] >= 0) ups.push(at);
  return ((ups.length - 1) * RATE) / (ups.at(-1) - ups[0]);
}

test("a tone keeps its pitch and its level, and becomes as long as its speed says", () => {
  const sound = tone(220, 2);
  for (const speed of SPEEDS) {
    const heard = stretched(sound, speed);
    assert.ok(Math.abs((heard.length * speed) / sound.length - 1) < 0.02, `${speed}: ${heard.length} samples`);
    const steady = heard.subarray(RATE / 10, heard.length - RATE / 10);
    assert.ok(Math.abs(pitchOf(steady) / 220 - 1) < 0.01, `${speed}: ${pitchOf(steady)} Hz`);
    assert.ok(Math.max(...steady) > 11_500, `${speed}: quieter`);
  }
});

test("at its own speed a sound is what it was", () => {
  const sound = tone(220, 0.5);
  assert.deepEqual(stretched(sound, 1), sound);
});

test("silence stays silent, and nothing stays nothing", () => {
  assert.ok(stretched(new Int16Array(RATE), 1.5).every((sample) => sample === 0));
  assert.equal(stretched(new Int16Array(0), 2).length, 0);
});

test("the same sound gives the same samples however it was cut, and never more than there is time for", () => {
  const sound = tone(150, 0.6);
  for (const speed of SPEEDS) {
    const whole = stretched(sound, speed, sound.length);
    for (const piece of [101, 480, 5000]) assert.deepEqual(stretched(sound, speed, piece), whole, `${speed}, by ${piece}`);
    const stretch = new TimeStretch(RATE, speed);
    let heard = 0;
    for (let at = 0; at < sound.length; at += 700) {
      heard += stretch.push(sound.subarray(at, at + 700)).length;
      assert.ok(heard <= Math.round(Math.min(sound.length, at + 700) / speed));
    }
  }
});
