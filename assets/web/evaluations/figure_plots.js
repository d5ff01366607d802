// How the systems lie by each figure that they are compared by: a dot for what a system has, a line for its range, on one scale.

import { letterSign } from "../builder/test_systems.js";
import { figureName, figureWords } from "../evaluation_state/evaluation_words.js";
import { make } from "../kit/frame.js";
import { words } from "../words/words.js";

const MARGIN = 0.06; // of the scale, beyond what lies on it
const LANES = "abcdef";

/** {low, high} of a scale that holds all of these values with a margin; null for none. isRatio: by factors, so that both are logarithms. */
export function scaleOf(values, isRatio) {
  const known = values
    .filter((value) => Number.isFinite(value) && (!isRatio || value > 0))
    .map((value) => (isRatio ? Math.log(value) : value));
  if (!known.length) return null;
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const margin = (most - least || Math.abs(most) || 1) * MARGIN;
  return { low: !isRatio && least >= 0 ? Math.max(0, least - margin) : least - margin, high: most + margin };
}

/** Where a value lies on a scale, 0 to 1. */
export function placeOnScale(value, { low, high }, isRatio) {
  const at = isRatio ? Math.log(value) : value;
  return Math.max(0, Math.min(1, (at - low) / (high - low)));
}

/** One element for each figure by which systems are compared. */
export function figurePlots({ figures, systems, pairs }) {
  const compared = figures.filter(({ name }) => pairs.some(({ figure }) => figure === name));
  return compared.map((figure) => plotOfFigure(figure, systems)).filter(Boolean);
}

function plotOfFigure(figure, systems) {
  const { name, is_ratio: isRatio = false, better } = figure;
  const known = systems.map(({ means, label }, at) => ({ at, label, ...means[name] })).filter(({ value }) => Number.isFinite(value));
  const scale = scaleOf(
    known.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]),
    isRatio,
  );
  if (!scale || known.length < 2) return null;
  const end = (at) => figureWords(figure, isRatio ? Math.exp(scale[at]) : scale[at]);
  const rows = known.map((one) => rowOfPlot(one, scale, isRatio));
  const ends = make(
    "div",
    { className: "plot-ends num" },
    make("span", { textContent: end("low") }),
    make("span", { textContent: end("high") }),
  );
  const wanted = better === "none" ? "" : words(`evaluations.page_better_${better}`);
  const caption = make(
    "figcaption",
    {},
    make("span", { className: "strong", dir: "auto", textContent: figureName(figure) }),
    make("span", { className: "note", textContent: wanted }),
  );
  const plot = make("figure", { className: "card pad figure-plot" }, caption, ...rows, ends);
  return plot;
}

// What it shows stands in the table.
function rowOfPlot({ at, value, low, high }, scale, isRatio) {
  const share = (one) => `${100 * placeOnScale(one, scale, isRatio)}%`;
  const track = make("span", { className: "plot-track" });
  if (Number.isFinite(low) && Number.isFinite(high)) {
    const range = make("i", { className: "plot-range" });
    range.style.insetInlineStart = share(low);
    range.style.insetInlineEnd = `${100 - 100 * placeOnScale(high, scale, isRatio)}%`;
    track.append(range);
  }
  const dot = make("i", { className: "plot-dot" });
  dot.style.insetInlineStart = share(value);
  track.append(dot);
  const row = make("div", { className: "plot-row" }, letterSign(at), track);
  row.style.setProperty("--lane", `var(--lane-${LANES[at % LANES.length]})`);
  row.setAttribute("aria-hidden", "true");
  return row;
}
