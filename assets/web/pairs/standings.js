// What wins here: the engines and settings that were voted on blind, each with its strength and range, and in words how much that says.

import { make } from "../kit/frame.js";
import { ask } from "../kit/library.js";
import { strip } from "../kit/notices.js";
import { number, words } from "../words/words.js";
import { pairCalls } from "./pair_calls.js";
import { VOTED } from "./pair_row.js";
import { systemWords, verdictWords } from "./system_words.js";

const FREED_MILLISECONDS = 60_000; // until a browser has certainly begun to save
const EDGE = 1.05; // of the scale: room beside the outermost range

export class StandingsTable {
  // element: the card in compare.html.
  constructor(element) {
    const part = (name) => element.querySelector(`.standings-${name}`);
    this._verdict = part("verdict");
    this._within = part("within");
    this._table = part("table");
    this._files = part("files");
    for (const button of this._files.querySelectorAll("[data-format]")) button.addEventListener("click", () => save(button.dataset.format));
    part("delete").addEventListener("click", deleteAll);
    document.addEventListener(VOTED, ({ detail }) => (detail ? this._show(detail) : this._load()));
    new IntersectionObserver((seen) => seen.some(({ isIntersecting }) => isIntersecting) && this._load()).observe(element);
  }

  async _load() {
    const standings = await pairCalls.standings().catch(() => null); // the page tells elsewhere where the studio does not answer
    if (standings) this._show(standings);
  }

  _show(standings) {
    const { systems, n_within: n } = standings;
    this._verdict.textContent = verdictWords(standings);
    this._within.hidden = !n;
    this._within.textContent = n ? words("pairs.n_within", { n }) : "";
    this._table.hidden = !systems.length;
    this._files.hidden = !systems.length && !n;
    const farthest = EDGE * Math.max(1, ...systems.flatMap(({ low, high }) => [-low, high]));
    this._table.querySelector("tbody").replaceChildren(...systems.map((one) => rowOf(one, farthest)));
  }
}

// Fetched, since a link says whose the votes are by a cookie alone, and some browsers keep none.
async function save(format) {
  const file = await pairCalls.file(format).catch(complain);
  if (!file) return;
  const link = make("a", { href: URL.createObjectURL(file), download: `votes.${format}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), FREED_MILLISECONDS);
}

async function deleteAll() {
  if (!(await ask(words("pairs.delete_question"), words("pairs.delete_all"), words("pairs.keep_votes")))) return;
  if (!(await pairCalls.clear().catch(complain))) return;
  document.dispatchEvent(new CustomEvent(VOTED));
  strip({ text: words("pairs.deleted") });
}

function complain({ message, hint = "" }) {
  strip({ kind: "problem", text: message, hint });
}

function rowOf({ system, n_votes: n, wins, points, low, high }, farthest) {
  const cell = (name, textContent) => {
    const made = make("td", { className: "r num", textContent });
    made.dataset.name = words(`pairs.${name}`);
    return made;
  };
  const whole = (value) => number(Math.round(value));
  const range = cell("range", words("pairs.from_to", { low: whole(low), high: whole(high) }));
  return make(
    "tr",
    {},
    make("th", { scope: "row", textContent: systemWords(system) }),
    cell("votes", number(n)),
    cell("won", number(wins)),
    cell("strength", whole(points)),
    range,
    make("td", { className: "standings-bar", ariaHidden: "true" }, barOf({ points, low, high }, farthest)),
  );
}

// The range to scale, with 0 in the middle.
function barOf({ points, low, high }, farthest) {
  const at = (value) => `${50 + (50 * value) / farthest}%`;
  const line = make("i");
  Object.assign(line.style, { left: at(low), right: `calc(100% - ${at(high)})` });
  const dot = make("b");
  dot.style.left = at(points);
  return make("span", {}, line, dot);
}
