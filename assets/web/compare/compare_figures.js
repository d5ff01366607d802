// Figures of lanes: how loud each is played, and which is the best of a column. Pure.

/** Factors by which all are as loud as the quietest, so that none is clipped. loudnesses: LUFS; null of what has none, which stays as it is. */
export function gainsOf(loudnesses) {
  const quietest = Math.min(...loudnesses.filter((lufs) => lufs !== null));
  return loudnesses.map((lufs) => (lufs === null ? 1 : 10 ** ((quietest - lufs) / 20)));
}

// How far two of a column must be apart. What a program says of one sound, and one measured time, are no more exact than that: chosen, since
// nothing says how exact either is of one sound; of words missed it is what counts so small differ by from sound to sound (Poisson, 95 %).
const share = (part, least) => (one, other) => Math.max(least, part * Math.max(one, other));
export const ERRORS = {
  likeness: () => 0.05, // cosine
  words: (one, other) => 1.96 * Math.sqrt(one + other),
  quality: () => 0.3, // of five
  firstSound: share(0.2, 10), // milliseconds
  speed: share(0.2, 0),
};
const HIGHER = { likeness: true, words: false, quality: true, firstSound: false, speed: true };

/** Which of the values is the best of its column, null where no other one is so far from it that it means something.
 *  column: a key of ERRORS. values: null where there is none. */
export function bestOf(column, values) {
  const known = values.map((value, at) => ({ value, at })).filter(({ value }) => value !== null && value !== undefined);
  if (known.length < 2) return null;
  known.sort((one, other) => (HIGHER[column] ? other.value - one.value : one.value - other.value));
  const [best, next] = known;
  return Math.abs(best.value - next.value) > ERRORS[column](best.value, next.value) ? best.at : null;
}

/** Where a press at `x` is in a lane, as a share of its length. left, width: of what stands for all of it. */
export const shareAt = (x, { left, width }) => Math.min(1, Math.max(0, (x - left) / width));
