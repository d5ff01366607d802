// The figures of lanes as a table. What a program thinks of a sound says that it is an estimate; the best of a column is bold only where it
// is better by more than its error, and of what is timed by more than another run changes.

import { make } from "../kit/frame.js";
import { farOf } from "../sound/stages.js";
import { isSeenByVisitor, milliseconds, number, seconds, words } from "../words/words.js";
import { bestOf, TIMED } from "./compare_figures.js";
import { LETTERS } from "./compare_row.js";
import { comparedRuns, timesOf } from "./compare_runs.js";

export const ESTIMATED = ["words", "likeness", "dnsmos", "distillmos"]; // as compare_tab.py has them

const NONE = "–";
const of = (value, say) => (value === null || value === undefined ? NONE : say(value));
const estimated = (name) => (lane) => lane.estimates?.[name] ?? null;
const qualityOf = (lane) => lane.estimates?.dnsmos?.overall ?? lane.estimates?.distillmos ?? null;
const exactly = (decimals) => (value) => number(value, decimals, decimals);

/**
 * key: of the words, and of the errors where there is a best. lacks: the measures of which one is enough.
 * @typedef {{ key: string, value: (lane: any) => any, say: (value: any, told?: any) => string, lacks?: string[],
 *   title?: (told: any) => string, more?: (lane: any) => string }} Column
 */

/** @type {Column[]} */
const COLUMNS = [
  { key: "length", value: (lane) => (lane.isHeard ? lane.seconds : null), say: seconds },
  { key: "loudness", value: ({ lufs }) => lufs, say: (lufs) => words("compare.lufs", { lufs: number(lufs, 1, 1) }) },
  { key: "likeness", value: estimated("likeness"), say: exactly(2), lacks: ["likeness"] },
  {
    key: "words",
    value: estimated("word_errors"),
    say: (errors, { n_words: n }) => words("compare.words_of", { errors, of: n }),
    lacks: ["words"],
    title: ({ heard }) => (heard ? words("compare.heard", { heard }) : ""),
    more: floorWords,
  },
  {
    key: "quality",
    value: qualityOf,
    say: (value) => words("compare.of_five", { value: exactly(1)(value) }),
    lacks: ["dnsmos", "distillmos"],
    title: ({ dnsmos, distillmos }) =>
      [dnsmos && `DNSMOS ${exactly(2)(dnsmos.overall)}`, distillmos && `Distill-MOS ${exactly(2)(distillmos)}`].filter(Boolean).join(", "),
  },
  { key: "firstSound", value: timed("firstSound"), say: milliseconds, more: firstSoundWords },
  { key: "speed", value: timed("speed"), say: timesWords, more: (lane) => spreadWords(lane, "speed", timesWords) },
];
const LACKS = ["missing", "busy", "failed", "silent", "short", "closing"]; // cases of studio/analysis/estimates.py
const WITHOUT_BEST = ["length", "loudness"];

export class CompareTable {
  constructor(table) {
    this._head = table.querySelector("thead tr");
    this._body = table.querySelector("tbody");
  }

  /** missing: by measure, what cannot be estimated here. */
  show(lanes, missing) {
    const columns = COLUMNS.filter(({ lacks = [] }) => !lacks.length || lacks.some((measure) => !(measure in missing)));
    const lane = make("th", { scope: "col", textContent: words("compare.lane") });
    this._head.replaceChildren(lane, ...columns.map(headOf));
    const best = new Map(columns.map((column) => [column, bestIn(column, lanes)]));
    const rows = lanes.map((one, at) => {
      const name = make("span", { className: "beside" }, letterOf(at), make("span", { textContent: one.name, dir: "auto" }));
      return make("tr", {}, make("th", { scope: "row" }, name), ...columns.map((column) => cellOf(column, one, best.get(column) === at)));
    });
    this._body.replaceChildren(...rows);
  }
}

/** How often lanes were timed, and what that is worth. isTiming: they are, now. */
export function timedWords(lanes, isTiming) {
  if (isTiming) return words("compare.timing");
  if (!lanes.length) return "";
  return words(lanes.every(({ runs }) => comparedRuns(runs).length > 1) ? "compare.timed" : "compare.timed_once");
}

/** What cannot be estimated here, and what would help, in one line; "" where all can be. missing: as CompareTable.show has it. */
export function missingWords(missing) {
  const measures = ESTIMATED.filter((measure) => measure in missing);
  if (!measures.length) return "";
  const { hint, values } = missing[measures[0]];
  const said = words("compare.missing", { measures: measures.map((measure) => words(`compare.measure_${measure}`)) });
  if (isSeenByVisitor()) return said; // it is the owner who installs
  return `${said} ${words("compare.missing_command", { command: values.command ?? hint })}`;
}

function letterOf(at) {
  const letter = make("span", { className: "letter mini", textContent: LETTERS[at] });
  letter.dataset.lane = LETTERS[at];
  return letter;
}

function bestIn({ key, value }, lanes) {
  if (WITHOUT_BEST.includes(key)) return null;
  const systems = lanes.map(({ system }) => system);
  return bestOf(key, TIMED.includes(key) ? timesOf(lanes, key) : lanes.map(value), systems);
}

// The mean of the runs that are compared.
function timed(key) {
  return (lane) => {
    const runs = lane.isHeard ? comparedRuns(lane.runs).filter((run) => run[key] !== null) : [];
    return runs.length ? runs.reduce((sum, run) => sum + run[key], 0) / runs.length : null;
  };
}

function timesWords(pace) {
  return words("compare.times", { times: number(pace, 0, pace < 10 ? 1 : 0) });
}

// From where to where its runs went.
function spreadWords({ runs, isHeard }, key, say) {
  const found = comparedRuns(runs).map((run) => run[key]);
  if (!isHeard || found.length < 2) return "";
  return words("compare.runs", { n: found.length, low: say(Math.min(...found)), high: say(Math.max(...found)) });
}

function firstSoundWords(lane) {
  return [serverWords(lane), spreadWords(lane, "firstSound", milliseconds)].filter(Boolean).join(words("figures.comma"));
}

/** @param {Column} column */
function headOf({ key, lacks }) {
  const head = make("th", { scope: "col", className: "r" }, words(`compare.column_${key}`));
  if (lacks) head.append(make("small", { textContent: words("compare.estimate") }));
  return head;
}

// What a server elsewhere took of it.
function serverWords({ facts, firstSoundMilliseconds: sound }) {
  const far = facts && sound !== null ? farOf(facts) : null;
  return far === null ? "" : words("compare.far", { about: milliseconds(far) });
}

// What the recognizer itself mishears: fewer errors say nothing of a voice.
function floorWords({ estimates }) {
  const floor = estimates?.word_floor;
  return floor ? words("compare.word_floor", { percent: number(100 * floor, 0, 0) }) : "";
}

/** @type {(column: Column, lane: any, isBest: boolean) => HTMLElement} */
function cellOf({ key, value, say, lacks, title, more }, lane, isBest) {
  const said = of(value(lane), (found) => say(found, lane.estimates));
  const shown = isBest ? make("b", { textContent: said }) : said;
  const below = more?.(lane);
  const told = below ? make("span", {}, shown, make("small", { textContent: below })) : shown;
  const cell = make("td", { className: "r num" }, told);
  const name = words(`compare.column_${key}`);
  cell.dataset.name = lacks ? words("compare.estimated", { name }) : name;
  cell.dataset.key = key;
  if (lacks && lane.estimates) cell.title = said === NONE ? whyNot(key, lane.estimates.lacking[lacks[0]]) : (title?.(lane.estimates) ?? "");
  return cell;
}

// Why there is no estimate. lack: what the ears say; nothing where nothing was to be compared with.
function whyNot(key, lack) {
  if (lack && LACKS.includes(lack.reason_code)) return words(`compare.lack_${lack.reason_code}`, lack.values);
  return key === "likeness" ? words("compare.no_recording") : "";
}
