// The table of the last runs, newest first: where the prompt came from, and how long it took until there was sound.

import { make, onMount } from "./frame.js";
import { player } from "./player.js";
import { later, milliseconds } from "./player_view.js";

export let runsTable;

const MOST_RUNS = 20;
const COLUMNS = ["Voice", "Engine", "Start", "Cache", "Server TTFP", "Click to sound", "Audio", "RTF", "Underruns"];

const shown = (value, format) => (value === null || value === undefined ? "…" : format(value));

function cellsOf({ voice, engine, start, facts, session }) {
  if (!session) return [voice || "–", engine, ...COLUMNS.slice(2).map((name) => (name === "Start" ? start : "–"))];
  const { firstSoundMilliseconds, receivedMilliseconds, seconds, samples, stopped, underruns } = session;
  const rtf = receivedMilliseconds && samples && !stopped ? receivedMilliseconds / 1000 / seconds : null;
  return [
    voice,
    engine,
    start,
    facts.cache || "–",
    shown(facts.ttfpMilliseconds, milliseconds),
    shown(firstSoundMilliseconds, milliseconds),
    stopped ? "stopped" : shown(receivedMilliseconds && seconds, (value) => `${value.toFixed(1)} s`),
    stopped ? "–" : shown(rtf, (value) => value.toFixed(2)),
    String(underruns),
  ];
}

class Runs {
  constructor({ element }) {
    this._runs = [];
    this._body = element.querySelector("tbody");
    this._empty = element.querySelector(".empty");
    this._table = element.querySelector("table");
    const show = () => this._show();
    for (const event of ["change", "received"]) player.addEventListener(event, () => this._runs.length && later(show));
  }

  // run: { voice, engine, start, facts, session }; the session fills in what is not known yet.
  add(run) {
    this._runs = [run, ...this._runs].slice(0, MOST_RUNS);
    this._show();
  }

  // A run that never began: it has no figures, and nobody shall take the ones below for its own.
  addRefused(voice, engine) {
    this.add({ voice, engine, start: "refused" });
  }

  _show() {
    this._table.hidden = !this._runs.length;
    this._empty.hidden = Boolean(this._runs.length);
    this._body.replaceChildren(
      ...this._runs.map((run) => {
        const cells = cellsOf(run).map((text, index) => {
          const cell = make("td", { textContent: text });
          cell.dataset.label = COLUMNS[index];
          return cell;
        });
        const row = make("tr", {}, ...cells);
        row.dataset.cache = run.facts?.cache ?? "";
        return row;
      }),
    );
  }
}

onMount("runs", (tools) => {
  runsTable = new Runs(tools);
});
