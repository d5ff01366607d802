// Comparing lanes: how loud they are, at which factor each is played, and when one of them is the best.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bestOf, gainsOf, shareAt } from "../../assets/web/compare/compare_figures.js";
import { loudnessOf, weighting } from "../../assets/web/compare/compare_loudness.js";
import { firstAudible, KeptSound, leastLead } from "../../assets/web/sound/audible.js";

const near = (one, other, most) => assert.ok(Math.abs(one - other) <= most, `${one} is not ${other}`);

function sine(hz, seconds, sampleRate, peak = 32767) {
  return Int16Array.from({ length: seconds * sampleRate }, (_, at) => Math.round(peak * Math.sin((2 * Math.PI * hz * at) / sampleRate)));
}

test("the filters at 48 kHz are those of ITU-R BS.1770-4, tables 1 and 2", () => {
  const tables = [
    [1.53512485958697, -2.69169618940638, 1.19839281085285, -1.69065929318241, 0.73248077421585],
    [1, -2, 1, -1.99004745483398, 0.99007225036621],
  ];
  for (const [at, factors] of weighting(48000).entries())
    for (const [index, factor] of factors.entries()) near(factor, tables[at][index], 1e-7);
});

test("a full-scale sine of 997 Hz has -3.01 LUFS, at any rate and in whatever pieces it came", () => {
  for (const rate of [16000, 24000, 48000]) near(loudnessOf([sine(997, 1, rate)], rate), -3.01, 0.05);
  const whole = sine(997, 1, 24000);
  near(loudnessOf([whole.subarray(0, 7777), whole.subarray(7777)], 24000), loudnessOf([whole], 24000), 1e-9);
});

test("pauses are gated out, and silence and what is shorter than a block have no loudness", () => {
  const [tone, pause] = [sine(997, 2, 16000, 3276), new Int16Array(48000)];
  near(loudnessOf([tone, pause, tone], 16000), -23.311, 0.01); // as studio/audio/loudness.py says
  assert.equal(loudnessOf([pause], 16000), null);
  assert.equal(loudnessOf([sine(997, 0.3, 16000)], 16000), null);
});

test("all lanes are brought down to the quietest, and one without a loudness stays as it is", () => {
  const [loud, quiet, silent] = gainsOf([-17, -23, null]);
  near(20 * Math.log10(loud), -6, 1e-9);
  assert.deepEqual([quiet, silent], [1, 1]);
  assert.deepEqual(gainsOf([null]), [1]);
});

test("the best of a column is one that is better by more than its error", () => {
  assert.equal(bestOf("likeness", [0.7, 0.93, 0.89]), null);
  assert.equal(bestOf("likeness", [0.7, 0.94, 0.88]), 1);
  assert.equal(bestOf("words", [0, 1, 3]), null);
  assert.equal(bestOf("words", [9, 0, 4]), 1);
  assert.equal(bestOf("firstSound", [40, 49, 300]), null);
  assert.equal(bestOf("firstSound", [300, 40, 51]), 1);
  assert.equal(bestOf("speed", [10, 13, null]), 1);
  assert.equal(bestOf("speed", [10, 12]), null);
  assert.equal(bestOf("quality", [3.2, null, undefined]), null);
});

test("a sound begins with its first sample above -50 dBFS", () => {
  assert.equal(firstAudible(Int16Array.of(0, 103, -104, 0)), 2);
  assert.equal(firstAudible(Int16Array.of(0, 103)), -1);
});

test("the time to first sound of a lane is the one that the player would have had: to the device, and not to the page", () => {
  const lead = leastLead({ baseLatency: 0.01 });
  const of = (...pieces) => {
    const sound = new KeptSound(1000, lead);
    for (const [at, samples] of pieces) sound.take(Int16Array.from(samples), at);
    return sound.firstSoundMilliseconds;
  };
  const [silence, sound] = [new Array(30).fill(0), [0, 0, 9000]];
  near(of([100, sound]), 100 + 12 + 2, 1e-9);
  near(of([100, silence], [110, sound]), 100 + 12 + 30 + 2, 1e-9);
  near(of([100, silence], [500, sound], [900, sound]), 500 + 12 + 2, 1e-9);
  assert.equal(of([100, silence]), null);
});

test("a press beside a wave is one on its edge", () => {
  const box = { left: 100, width: 200 };
  assert.deepEqual(
    [50, 150, 400].map((x) => shareAt(x, box)),
    [0, 0.25, 1],
  );
});
