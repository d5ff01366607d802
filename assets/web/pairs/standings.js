// What wins here: the engines and settings that were voted on blind, each with its strength and range, and in words how much that says.

import { make, saveFile } from "../kit/frame.js";
import { ask } from "../kit/library.js";
import { strip } from "../kit/notices.js";
import { transport } from "../transport/gradio_transport.js";
import { language, number, words } from "../words/words.js";
import { pairCalls } from "./pair_calls.js";
import { NEXT_PAIR, VOTED } from "./pair_row.js";
import { systemWords, verdictWords } from "./system_words.js";

const EDGE = 1.05; // of the scale: room beside the outermost range
const N_COLUMNS = 6; // of the table in compare.html

export class StandingsTable {
  // element: the card in compare.html.
  constructor(element) {
    const part = (name) => element.querySelector(`.standings-${name}`);
    this._verdict = part("verdict");
    this._within = part("within");
    this._votes = part("votes");
    this._about = part("about");
    this._delete = part("delete");
    this._table = part("table");
    this._files = part("files");
    for (const button of this._files.querySelectorAll("[data-format]")) button.addEventListener("click", () => save(button.dataset.format));
    part("next").hidden = transport === "gradio"; // as in the menu beside Speak
    part("next").addEventListener("click", () => document.dispatchEvent(new CustomEvent(NEXT_PAIR)));
    this._delete.addEventListener("click", () => this._deleteAll());
    document.addEventListener(VOTED, ({ detail }) => (detail ? this._show(detail) : this._load()));
    new IntersectionObserver((seen) => seen.some(({ isIntersecting }) => isIntersecting) && this._load()).observe(element);
  }

  async _load() {
    const standings = await pairCalls.standings().catch(() => null); // the page tells elsewhere where the studio does not answer
    if (standings) this._show(standings);
  }

  _show(standings) {
    const { systems, n_within: n, n_voters: voters, most_a_day: most } = standings;
    this._isArena = voters !== null;
    this._votes.textContent = votesWords(standings);
    this._votes.hidden = !this._votes.textContent;
    this._about.textContent = this._isArena ? words("pairs.about_arena", { most }) : words("pairs.about");
    this._delete.textContent = words(this._isArena ? "pairs.delete_own" : "pairs.delete_all");
    this._verdict.textContent = verdictWords(standings);
    this._within.hidden = !n;
    this._within.textContent = n ? words("pairs.n_within", { n }) : "";
    this._table.hidden = !systems.length;
    this._files.hidden = !systems.length && !n;
    const farthest = EDGE * Math.max(1, ...systems.flatMap(({ low, high, points }) => [Math.abs(points), -(low ?? 0), high ?? 0]));
    const rows = systems.flatMap((one, at) => {
      const isApart = at > 0 && one.group !== systems[at - 1].group;
      return [...(isApart ? [apartRow()] : []), rowOf(one, farthest)];
    });
    this._table.querySelector("tbody").replaceChildren(...rows);
  }

  async _deleteAll() {
    const [question, act] = this._isArena
      ? ["pairs.delete_own_question", "pairs.delete_own"]
      : ["pairs.delete_question", "pairs.delete_all"];
    if (!(await ask(words(question), words(act), words("pairs.keep_votes")))) return;
    if (!(await pairCalls.clear().catch(complain))) return;
    document.dispatchEvent(new CustomEvent(VOTED));
    strip({ text: words(this._isArena ? "pairs.deleted_own" : "pairs.deleted") });
  }
}

// Fetched, since a link says whose the votes are by a cookie alone, and some browsers keep none.
async function save(format) {
  const file = await pairCalls.file(format).catch(complain);
  if (file) saveFile(file, `votes.${format}`);
}

function complain({ message, hint = "" }) {
  strip({ kind: "problem", text: message, hint });
}

/** How many votes of how many voters there are, and from when to when; "" where there is none. standings: as the studio tells them. */
export function votesWords({ n_votes: n, n_voters: voters, n_uncounted: uncounted, most_a_day: most, first_at: first, last_at: last }) {
  if (first === null) return "";
  const told = { votes: words("pairs.n_votes", { n }), first: dateOf(first), last: dateOf(last) };
  if (voters === null) return words("pairs.votes_from", told);
  const said = words("pairs.votes_of_voters", { ...told, voters: words("pairs.n_voters", { n: voters }) });
  return uncounted ? `${said} ${words("pairs.n_uncounted", { n: uncounted, most })}` : said;
}

const dateOf = (seconds) => new Date(1000 * seconds).toLocaleDateString(language, { dateStyle: "medium" });

// Between groups that no vote links.
function apartRow() {
  return make("tr", { className: "standings-apart" }, make("td", { colSpan: N_COLUMNS, textContent: words("pairs.apart") }));
}

function rowOf({ system, n_votes: n, wins, points, low, high }, farthest) {
  const cell = (name, textContent) => {
    const made = make("td", { className: "r num", textContent });
    made.dataset.name = words(`pairs.${name}`);
    return made;
  };
  const whole = (value) => number(Math.round(value));
  const range = cell("range", low === null ? "–" : words("pairs.from_to", { low: whole(low), high: whole(high) }));
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
  const line = make("i", { hidden: low === null });
  if (low !== null) Object.assign(line.style, { left: at(low), right: `calc(100% - ${at(high)})` });
  const dot = make("b");
  dot.style.left = at(points);
  return make("span", {}, line, dot);
}
