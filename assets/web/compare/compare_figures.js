// Figures of lanes: how loud each is played, and which is the best of a column. Pure.

/** Factors by which all are as loud as the quietest, so that none is clipped. loudnesses: LUFS; null of what has none, which stays as it is. */
export function gainsOf(loudnesses) {
  const quietest = Math.min(...loudnesses.filter((lufs) => lufs !== null));
  return loudnesses.map((lufs) => (lufs === null ? 1 : 10 ** ((quietest - lufs) / 20)));
}

// How far two of a column must be apart at least. What a program says of one sound, and a measured time, are no more exact than that: chosen,
// since nothing says how exact either is of one sound; of words missed it is what counts so small differ by from sound to sound (Poisson, 95 %).
const share = (part, least) => (one, other) => Math.max(least, part * Math.max(one, other));
export const ERRORS = {
  likeness: () => 0.05, // cosine
  words: (one, other) => 1.96 * Math.sqrt(one + other),
  quality: () => 0.3, // of five
  firstSound: share(0.2, 10), // milliseconds
  speed: share(0.2, 0),
};
const HIGHER = { likeness: true, words: false, quality: true, firstSound: false, speed: true };

export const TIMED = ["firstSound", "speed"]; // another run gives another figure
const LEAST_RUNS = 2;
// Student's t at 0.975, by degrees of freedom from 1.
const T = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];

/** Which lane is the best of its column, null where no other one is so far from it that it means something: farther than the figure's error,
 *  and of what is timed farther than runs of one lane differ. column: a key of ERRORS. values: null where there is none; of what is timed one
 *  per run, in a list. systems: of lanes, as text; of two that are one and the same neither is the best. */
export function bestOf(column, values, systems = values.map((_, at) => String(at))) {
  const isTimed = TIMED.includes(column);
  const known = values.map((value, at) => ({ runs: [value ?? []].flat(), at })).filter(({ runs }) => runs.length);
  if (known.length < 2) return null;
  const lanes = known.map(({ runs, at }) => ({ runs, at, value: meanOf(runs) }));
  lanes.sort((one, other) => (HIGHER[column] ? other.value - one.value : one.value - other.value));
  const [best, next] = lanes;
  if (systems.filter((system) => system === systems[best.at]).length > 1) return null;
  if (Math.abs(best.value - next.value) <= ERRORS[column](best.value, next.value)) return null;
  return isTimed && !isBeyondRuns(lanes) ? null : best.at;
}

const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

// Whether the first two are farther apart than chance makes runs of one lane (Student's t of logarithms, since times vary in proportion; how much
// they vary is told by all lanes together). lanes: [{runs}], best first.
function isBeyondRuns(lanes) {
  const logs = lanes.map(({ runs }) => runs.map(Math.log)).filter((runs) => runs.length >= LEAST_RUNS);
  const [best, next] = lanes.map(({ runs }) => runs.map(Math.log));
  if (Math.min(best.length, next.length) < LEAST_RUNS) return false;
  const squares = logs.flatMap((runs) => runs.map((run) => (run - meanOf(runs)) ** 2));
  const free = squares.length - logs.length;
  const error = Math.sqrt((squares.reduce((sum, square) => sum + square, 0) / free) * (1 / best.length + 1 / next.length));
  return Math.abs(meanOf(best) - meanOf(next)) > T[Math.min(free, T.length) - 1] * error;
}

/** Where a press at `x` is in a lane, as a share of its length. left, width: of what stands for all of it. */
export const shareAt = (x, { left, width }) => Math.min(1, Math.max(0, (x - left) / width));
