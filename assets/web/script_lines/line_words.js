// What is said of a line and of how far the saying is. Pure.

import { seconds, words } from "../words/words.js";

// The shape of each state (drawings/states.js).
export const SHAPES = { new: "none", waiting: "disk", saying: "learning", said: "good", stale: "stale", failed: "failed" };
const MINUTE = 60;
const BETWEEN = " · ";
const COMMA = () => words("figures.comma");

/** The state in words; a line that is never said has its own. */
export const lineStateWords = (line) => words(line.is_silent ? "scripts.silent" : `scripts.state_${line.state}`);

export const lineShape = (line) => (line.is_silent ? "unsupported" : SHAPES[line.state]);

export const whoName = (who) => who || words("scripts.narrator");

/** "Line 12, ANNA: Hello there, said, 2.3 s": of the row, for who hears the page. isSelected: with others. */
export function rowWords(line, index, isSelected) {
  const kind = line.kind === "heading" ? "scripts.row_heading" : "scripts.row";
  const said = [words(kind, { n: index + 1, who: whoName(line.who), text: line.text }), lineStateWords(line)];
  if (line.seconds) said.push(seconds(line.seconds));
  if (isSelected) said.push(words("scripts.selected_one"));
  return said.join(COMMA());
}

/** What a line has that others do not: its pause, its place in a video, how it fits in there. */
export function extrasOf(line) {
  const said = [];
  const { slot, fitting, pause_seconds: pause, speed, instructions } = line;
  if (slot) said.push(`${clockTime(slot.start)} – ${clockTime(slot.end)}`);
  if (fitting?.over_seconds > 0) said.push(words("scripts.over", { over: fitting.over_seconds }));
  else if ((fitting?.speed ?? 1) !== 1) said.push(words("scripts.fitted", { speed: fitting.speed }));
  if (pause !== null && pause !== undefined) said.push(words("scripts.pause_of", { pause }));
  if (speed) said.push(words("scripts.speed_of", { speed }));
  if (instructions) said.push(instructions);
  return said.join(BETWEEN);
}

/** Such as 1:02:03.4 or 2:03.4. */
export function clockTime(at) {
  const tenths = Math.round(at * 10);
  const [hours, minutes] = [Math.floor(tenths / 36_000), Math.floor((tenths % 36_000) / 600)];
  const rest = ((tenths % 600) / 10).toFixed(1).padStart(4, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** "84 lines, 9 min 12 s; 80 said, 3 changed since, 1 failed". */
export function countsWords({ n_lines: n, n_said: said, n_stale: stale, n_failed: failed = 0, seconds: length }) {
  const parts = [words("scripts.n_lines", { n })];
  if (length) parts.push(seconds(Math.round(length)));
  parts.push(words("scripts.n_said", { n: said }));
  if (stale) parts.push(words("scripts.n_stale", { n: stale }));
  if (failed) parts.push(words("scripts.n_failed", { n: failed }));
  return parts.join(BETWEEN);
}

/** "12 of 84 lines, about 3 min left". */
export function progressWords({ done, total, seconds_left: left }) {
  const said = words("scripts.progress", { n: total, done });
  if (left === null || left === undefined) return said;
  const minutes = Math.max(1, Math.round(left / MINUTE));
  return said + COMMA() + (left < MINUTE ? words("scripts.minute_left") : words("scripts.minutes_left", { n: minutes }));
}

/** How high a line is before it is drawn. width: of its text, in pixels. isStacked: who speaks stands above it. */
export function guessedHeight(line, width, isStacked = false) {
  const row = ROW_PIXELS + (isStacked ? WHO_PIXELS : 0);
  if (!line) return row;
  const perLine = Math.max(12, width / CHARACTER_PIXELS);
  const n = line.text.split("\n").reduce((sum, part) => sum + Math.max(1, Math.ceil(part.length / perLine)), 0);
  return row + (n - 1) * TEXT_PIXELS + (line.kind === "heading" ? HEADING_PIXELS : 0);
}

const ROW_PIXELS = 49;
const WHO_PIXELS = 28;
const TEXT_PIXELS = 24;
const HEADING_PIXELS = 24;
const CHARACTER_PIXELS = 7.6;
