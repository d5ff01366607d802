// Runs of a lane: how long it took each time that it was spoken as it is now, and whether it is to be timed once more. Pure.

import { farOf, kindOf, paceOf } from "../sound/stages.js";

const ENOUGH = 2;
const MOST = 3; // that happen without being asked for
const QUICK_MILLISECONDS = 5000; // a run that took longer is done again only when somebody asks for it

/** measured: of a speech that came to its end: {facts, firstSoundMilliseconds, receivedMilliseconds, samples, seconds}. */
export function runOf(measured) {
  const { facts, firstSoundMilliseconds: firstSound, receivedMilliseconds } = measured;
  return {
    start: kindOf(facts),
    firstSound,
    ttfp: facts.ttfpMilliseconds,
    speed: paceOf(measured),
    isQuick: receivedMilliseconds <= QUICK_MILLISECONDS && farOf(facts) === null,
  };
}

/** Those that are of one kind, so that they can be compared: the last kind of which there are enough, else the last one. */
export function comparedRuns(runs) {
  const ofKind = (kind) => runs.filter(({ start }) => start === kind);
  const last = runs.findLast(({ start }) => ofKind(start).length >= ENOUGH) ?? runs.at(-1);
  return last ? ofKind(last.start) : [];
}

/** Whether it is timed once more, silently: it is quick, no server elsewhere is paid for it, and its runs tell nothing yet. */
export const wantsRun = (runs) =>
  runs.length > 0 && runs.length < MOST && comparedRuns(runs).length < ENOUGH && runs.every(({ isQuick }) => isQuick);

/** Of each lane the figures of its runs, null where it has none. key: `firstSound` or `speed`. Where lanes began in different ways, such as cold and
 *  warm, one figure of each, which says which is shorter and not which is better. */
export function timesOf(lanes, key) {
  const all = lanes.map(({ runs }) => comparedRuns(runs).filter((run) => run[key] !== null));
  const kinds = new Set(all.flatMap((runs) => runs.map(({ start }) => start)));
  return all.map((runs) => (runs.length ? (kinds.size > 1 ? runs.slice(0, 1) : runs).map((run) => run[key]) : null));
}
