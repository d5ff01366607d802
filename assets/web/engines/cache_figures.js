// What all that was learned takes and saves: one line, and a fold with the rest.

import { definitions } from "../kit/definitions.js";
import { shownChanges } from "../kit/shown.js";
import { bytes, number, seconds, words } from "../words/words.js";

export class CacheFigures {
  constructor(element) {
    this._element = element;
  }

  // figures: as studio/ui/cache/cache_tab.py sends them.
  draw(figures) {
    if (!shownChanges(this._element, figures)) return;
    const { memory_bytes: used, max_bytes: most, disk_bytes: stored, hits_percent: percent, lookups: n, saved_seconds: saved } = figures;
    this._element.hidden = false;
    this._say("memory", bytes(used));
    this._say("memory_limit", words("cache.of_limit", { limit: most }));
    this._element.querySelector(".gauge i").style.width = `${Math.min(100, (100 * used) / most)}%`;
    this._say("disk", bytes(stored));
    this._say("found", n ? words("cache.percent", { n: percent }) : words("cache.not_yet"));
    this._say("lookups", n ? words("cache.of_lookups", { n }) : "");
    this._say("saved", seconds(saved));
    this._element.querySelector("details dl").replaceChildren(...definitions(rest(figures)));
  }

  _say(name, said) {
    this._element.querySelector(`[data-figure="${name}"]`).textContent = said;
  }
}

// The figures of the fold.
function rest({
  entries,
  max_entries,
  pinned,
  pinned_bytes,
  evictions,
  hits,
  disk_hits,
  joined,
  misses,
  rejected,
  extractions,
  extraction_seconds,
}) {
  const lines = [
    ["entries", words("cache.n_of", { n: entries, most: max_entries })],
    ["pinned", words("cache.n_bytes", { n: pinned, size: pinned_bytes })],
    ["evictions", words("cache.times", { n: evictions })],
    ["hits", words("cache.times", { n: hits })],
    ["disk_hits", words("cache.times", { n: disk_hits })],
    ["joined", words("cache.times", { n: joined })],
    ["misses", words("cache.times", { n: misses })],
    ["extractions", words("cache.learned", { n: extractions, spent: extraction_seconds })],
    ["rejected", number(rejected)],
  ];
  return lines.map(([name, said]) => [words(`cache.figure_${name}`), said, words(`cache.about_${name}`), name]);
}
