// What an engine that is not here is compared by, before anybody gets it: what it is best at, its size and licence, and what it wants of this
// very machine.

import { make } from "../kit/frame.js";
import { bytes, words } from "../words/words.js";
import { licenceLinks, nonCommercialBadge } from "./terms.js";

const UNMET = ["no_gpu", "small_memory", "small_gpu"];

/** The lines of its `dl`. card: as studio/ui/engines/engine_cards.py sends it, with an `offer`. */
export function offerLines({ offer, terms }) {
  const { best_at: best, n_languages: n, weights_bytes: size, fit } = offer;
  const said = {
    best_at: best.map((one) => words(`engines.best_${one}`, { n })).join(words("figures.comma")),
    size: size ? bytes(size) : "",
    licence: make("span", {}, ...nonCommercialBadge(terms), ...licenceLinks(terms.licences)),
    machine: fit.needed_bytes || fit.verdict === "lent" ? words(`engines.fit_${fit.verdict}`, fit) : "",
  };
  return Object.entries(said).map(([name, shown]) => lineOf(name, shown || "–", name === "machine" && UNMET.includes(fit.verdict)));
}

function lineOf(name, shown, isUnmet) {
  const line = make("div", {}, make("dt", { textContent: words(`engines.offer_${name}`) }), make("dd", {}, shown));
  Object.assign(line.dataset, { name, state: isUnmet ? "care" : "" });
  return line;
}
