// Sounds that the page makes itself, before anything of the test is heard: a murmur to set the volume by, and three tones that tell
// headphones from loudspeakers. Pure.

const SPEECH_RMS = 10 ** (-23 / 20); // as loud as the sounds of a test are (EBU R 128: -23 LUFS)
const PITCH_HZ = 120;
const FORMANTS = [
  // [Hz, bandwidth in Hz, level] of a vowel between "a" and "e" (Peterson and Barney 1952, in the middle of their figure)
  [600, 80, 1],
  [1500, 110, 0.5],
  [2500, 160, 0.25],
];
const SYLLABLES_PER_SECOND = 4; // about what speech has

// Woods, Siegel, Traer and McDermott 2017, "Headphone screening to facilitate web-based auditory experiments": three tones of 200 Hz, 1 s,
// 100 ms ramps, one 6 dB lower, one in opposite phase on both sides, which cancels in the air between loudspeakers and a listener.
export const TRIPLET = { hz: 200, toneSeconds: 1, rampSeconds: 0.1, gapSeconds: 0.5, quietDb: -6, amplitude: 0.2 };

/** Seconds of a murmur that may be repeated, as Float32Array. */
export function murmur(sampleRate, seconds = 4) {
  const length = Math.round(seconds * sampleRate);
  const samples = new Float32Array(length);
  for (const [hz, bandwidth, level] of FORMANTS) {
    let phase = 0;
    const radius = Math.exp((-Math.PI * bandwidth) / sampleRate);
    const [first, second] = [2 * radius * Math.cos((2 * Math.PI * hz) / sampleRate), -radius * radius];
    let [before, earlier] = [0, 0];
    for (let index = 0; index < length; index += 1) {
      const pitch = PITCH_HZ * (1 + 0.15 * Math.sin((2 * Math.PI * index) / length));
      phase += pitch / sampleRate;
      const pulse = phase >= 1 ? 1 : 0;
      phase -= pulse;
      [before, earlier] = [pulse + first * before + second * earlier, before];
      samples[index] += level * (1 - radius) * before * Math.sin((Math.PI * SYLLABLES_PER_SECOND * index) / sampleRate) ** 2;
    }
  }
  const rms = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / length);
  return samples.map((sample) => sample * (SPEECH_RMS / rms));
}

/** Both channels of a triplet. kinds: three of "plain", "quiet" and "opposite", in the order in which they are heard. */
export function triplet(sampleRate, kinds) {
  const { hz, toneSeconds, rampSeconds, gapSeconds, quietDb, amplitude } = TRIPLET;
  const [tone, ramp, gap] = [toneSeconds, rampSeconds, gapSeconds].map((seconds) => Math.round(seconds * sampleRate));
  const left = new Float32Array(3 * tone + 2 * gap);
  const right = new Float32Array(left.length);
  for (const [place, kind] of kinds.entries()) {
    const level = amplitude * (kind === "quiet" ? 10 ** (quietDb / 20) : 1);
    for (let index = 0; index < tone; index += 1) {
      const fade = Math.sin((Math.PI / 2) * Math.min(1, index / ramp, (tone - index) / ramp));
      const value = level * fade * Math.sin((2 * Math.PI * hz * index) / sampleRate);
      left[place * (tone + gap) + index] = value;
      right[place * (tone + gap) + index] = kind === "opposite" ? -value : value;
    }
  }
  return [left, right];
}

/** A list in random order. random: as Math.random. */
export function shuffled(list, random = Math.random) {
  const all = [...list];
  for (let index = all.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [all[index], all[other]] = [all[other], all[index]];
  }
  return all;
}
