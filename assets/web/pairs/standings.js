// What wins here: the engines and settings that were voted on blind, each with its strength and range, and in words how much that says.

import { make } from "../kit/frame.js";
import { number, words } from "../words/words.js";
import { pairCalls } from "./pair_calls.js";
import { VOTED } from "./pair_row.js";
import { systemWords, verdictWords } from "./system_words.js";

const EDGE = 1.05; // of the scale: room beside the outermost range

export class StandingsTable {
  // element: the card in compare.html.
  constructor(element) {
    const part = (name) => element.querySelector(`.standings-${name}`);
    Object.assign(this, { _verdict: part("verdict"), _within: part("within"), _table: part("table"), _files: part("files") });
    for (const link of this._files.querySelectorAll("a")) link.href = pairCalls.file(link.dataset.format);
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
