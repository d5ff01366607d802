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
  const twice = (...values) => values.map((value) => (value === null ? null : [value, value * 1.01]));
  assert.equal(bestOf("firstSound", twice(40, 49, 300)), null);
  assert.equal(bestOf("firstSound", twice(300, 40, 51)), 1);
  assert.equal(bestOf("speed", twice(10, 13, null)), 1);
  assert.equal(bestOf("speed", twice(10, 12)), null);
  assert.equal(bestOf("quality", [3.2, null, undefined]), null);
});

test("of what is timed the best is one that is better by more than another run changes, and one run tells nothing", () => {
  assert.equal(bestOf("firstSound", [[40], [300]]), null, "each was timed once");
  assert.equal(bestOf("firstSound", [[40, 41], [300]]), null);
  assert.equal(
    bestOf("firstSound", [
      [40, 41],
      [300, 310],
    ]),
    0,
  );
  assert.equal(
    bestOf("firstSound", [
      [40, 200],
      [300, 310],
    ]),
    null,
    "it differs from run to run as much as from the other",
  );
  assert.equal(
    bestOf("firstSound", [
      [100, 104],
      [150, 154],
      [90, 300],
    ]),
    null,
    "a lane that varies makes all of them doubtful",
  );
  assert.equal(
    bestOf("speed", [
      [10, 10.1, 10.2],
      [20, 21, 20.5],
    ]),
    1,
  );
});

test("lanes that are one and the same have no best, whatever was measured", () => {
  const twice = [
    [40, 41],
    [300, 310],
    [900, 910],
  ];
  assert.equal(bestOf("firstSound", twice, ["x", "x", "y"]), null);
  assert.equal(bestOf("firstSound", twice, ["x", "y", "y"]), 0);
  assert.equal(bestOf("likeness", [0.9, 0.2], ["x", "x"]), null);
  // Two runs each of times that vary by a tenth or by half: of 2000 pairs of equals one in twenty or fewer has a best.
  let state = 1;
  const uniform = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  for (const spread of [0.1, 0.5]) {
    const run = () => 200 * Math.exp(spread * normal());
    const wrong = Array.from({ length: 2000 }, () =>
      bestOf("firstSound", [
        [run(), run()],
        [run(), run()],
      ]),
    ).filter((at) => at !== null);
    assert.ok(wrong.length / 2000 <= 0.06, `${spread}: ${wrong.length}`);
  }
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
