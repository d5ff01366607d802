// How loud a sound is: integrated loudness as ITU-R BS.1770-4 has it, of one channel. Pure.
// The filters are those of the standard's tables 1 and 2 at 48 kHz, made for any rate from the analogue ones behind them, as
// libebur128 does (its ebur128.c, `ebur128_init_filter`).

const SHELF = { hz: 1681.974450955533, gain: 3.999843853973347, q: 0.7071752369554196 };
const HIGH_PASS = { hz: 38.13547087602444, q: 0.5003270373238773 };
const OFFSET_DB = -0.691;
const BLOCK_SECONDS = 0.4;
const STEP_SECONDS = 0.1; // blocks overlap by three quarters
const ABSOLUTE_GATE = -70; // LUFS
const RELATIVE_GATE = -10; // LU below the mean of what is above the absolute gate
const FULL_SCALE = 32768;

/** [b0, b1, b2, a1, a2] of the two filters of the K-weighting. */
export function weighting(sampleRate) {
  const shelf = (() => {
    const k = Math.tan((Math.PI * SHELF.hz) / sampleRate);
    const high = 10 ** (SHELF.gain / 20);
    const band = high ** 0.4996667741545416;
    const a0 = 1 + k / SHELF.q + k * k;
    return [
      (high + (band * k) / SHELF.q + k * k) / a0,
      (2 * (k * k - high)) / a0,
      (high - (band * k) / SHELF.q + k * k) / a0,
      (2 * (k * k - 1)) / a0,
      (1 - k / SHELF.q + k * k) / a0,
    ];
  })();
  const k = Math.tan((Math.PI * HIGH_PASS.hz) / sampleRate);
  const a0 = 1 + k / HIGH_PASS.q + k * k;
  return [shelf, [1, -2, 1, (2 * (k * k - 1)) / a0, (1 - k / HIGH_PASS.q + k * k) / a0]];
}

// Energy of each tenth of a second, weighted. pieces: Int16Arrays.
function energies(pieces, sampleRate) {
  const filters = weighting(sampleRate).map((factors) => ({ factors, one: 0, two: 0 }));
  const step = Math.round(STEP_SECONDS * sampleRate);
  const found = [];
  let [sum, n] = [0, 0];
  for (const piece of pieces) {
    for (const word of piece) {
      let sample = word / FULL_SCALE;
      for (const filter of filters) {
        const [b0, b1, b2, a1, a2] = filter.factors; // in the transposed direct form II
        const out = b0 * sample + filter.one;
        filter.one = b1 * sample - a1 * out + filter.two;
        filter.two = b2 * sample - a2 * out;
        sample = out;
      }
      sum += sample * sample;
      n += 1;
      if (n === step) {
        found.push(sum / step);
        [sum, n] = [0, 0];
      }
    }
  }
  return found;
}

const loudness = (power) => OFFSET_DB + 10 * Math.log10(power);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** LUFS; null of silence and of what is shorter than a block. pieces: Int16Arrays of one sound, mono. */
export function loudnessOf(pieces, sampleRate) {
  const steps = energies(pieces, sampleRate);
  const n = Math.round(BLOCK_SECONDS / STEP_SECONDS);
  const blocks = steps.slice(n - 1).map((_, at) => mean(steps.slice(at, at + n)));
  const loud = blocks.filter((power) => power > 0 && loudness(power) > ABSOLUTE_GATE);
  if (!loud.length) return null;
  const gate = loudness(mean(loud)) + RELATIVE_GATE;
  return loudness(mean(loud.filter((power) => loudness(power) > gate)));
}
