// All of a comparison as one file: the sound of each lane, and figures.csv and figures.json with what made it and what was measured; the columns of
// studio/api/answers/compared_zip.py, with those of the page behind them.

import { saveFile } from "../kit/frame.js";
import { wavOf } from "../sound/wav.js";
import { comparedRuns } from "./compare_runs.js";
import { zipOf } from "./compare_zip.js";

const LETTERS = "ABCDEF";
const COLUMNS = [
  ...["lane", "file", "label", "voice", "engine", "seed", "options", "language", "length_seconds", "ttfp_ms", "rtf", "lufs", "likeness"],
  ...["word_errors", "n_words", "dnsmos", "distillmos", "warning", "error", "first_sound_ms", "start", "n_runs"],
];
const FORMULA = /^'*(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/; // as studio/reading/formula_guard.py

const rounded = (value, decimals) => (value === null || value === undefined ? null : Number(value.toFixed(decimals)));
const mean = (values) => (values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null);

/** What is known of a lane, by COLUMNS; null where there is none. at: its place. */
export function laneFigures(lane, at) {
  const { isHeard, options, failure, ending, estimates } = lane;
  const { seed = lane.seed?.default ?? null, ...others } = options;
  const runs = comparedRuns(lane.runs).filter(({ firstSound }) => firstSound !== null);
  const speed = mean(runs.map((run) => run.speed).filter(Boolean));
  return {
    lane: LETTERS[at],
    file: isHeard ? `${LETTERS[at]}.wav` : null,
    label: lane.name,
    voice: lane.voice,
    engine: lane.engine,
    seed,
    options: others,
    language: lane.language || null,
    length_seconds: isHeard ? rounded(lane.seconds, 3) : null,
    ttfp_ms: rounded(mean(runs.map(({ ttfp }) => ttfp).filter((ttfp) => ttfp !== null)), 3),
    rtf: speed ? rounded(1 / speed, 5) : null,
    lufs: rounded(lane.lufs, 2),
    likeness: estimates?.likeness ?? null,
    word_errors: estimates?.word_errors ?? null,
    n_words: estimates?.n_words ?? null,
    dnsmos: estimates?.dnsmos?.overall ?? null,
    distillmos: estimates?.distillmos ?? null,
    warning: ending?.warning || null,
    error: failure ? failure.message : null,
    first_sound_ms: rounded(mean(runs.map(({ firstSound }) => firstSound)), 1),
    start: runs[0]?.start ?? null,
    n_runs: runs.length,
  };
}

/** rows: of laneFigures. */
export function csvOf(rows) {
  const lines = [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => plain(row[name])))];
  return lines.map((line) => `${line.map(cellOf).join(",")}\r\n`).join("");
}

/** [{name, bytes}] of all of it. */
export async function filesOf(lanes, text) {
  const rows = lanes.map(laneFigures);
  const written = (told) => new TextEncoder().encode(told);
  const files = [
    { name: "figures.json", bytes: written(JSON.stringify({ text, lanes: rows }, null, 1)) },
    { name: "figures.csv", bytes: written(csvOf(rows)) },
  ];
  for (const [at, { file }] of rows.entries()) {
    if (file) files.push({ name: file, bytes: new Uint8Array(await wavOf(lanes[at].pieces, lanes[at].sampleRate).arrayBuffer()) });
  }
  return files;
}

/** Has the browser save it. lanes: as they stand on the page. */
export async function saveAll(lanes, text) {
  saveFile(zipOf(await filesOf(lanes, text)), "comparison.zip");
}

function plain(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "object")
    return Object.entries(value)
      .map(([name, one]) => `${name}=${one}`)
      .join("; ");
  return value;
}

function cellOf(value) {
  const guarded = typeof value === "string" && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
