// The figures of the systems, beside each other: a line for each figure, what is beyond chance bold.

import { letterSign } from "../builder/test_systems.js";
import { figureName, figureWords, rangeWords } from "../evaluation_state/evaluation_words.js";
import { make } from "../kit/frame.js";
import { bytes, number, words } from "../words/words.js";

/** Whether a system is better than each other one that has the figure, beyond chance. pairs: of results. */
export function isBest(system, figure, { pairs, systems }) {
  const others = systems.filter(({ id, means }) => id !== system && means[figure] && means[figure].value !== null);
  const wins = (other) =>
    pairs.some((pair) => pair.figure === figure && pair.is_clear && pair.better === system && [pair.system, pair.other].includes(other));
  return others.length > 0 && others.every(({ id, is_toy: isToy }) => isToy || wins(id)) && others.some(({ is_toy: isToy }) => !isToy);
}

/** [compared figures, others in a fold]. */
export function figureTables(results) {
  const measured = results.figures.filter(({ name }) => results.systems.some(({ means }) => means[name]));
  const judged = measured.filter((figure) => isJudged(figure, results));
  const others = measured.filter((figure) => !judged.includes(figure));
  const first = tableOfFigures(judged, results, true);
  if (!others.length) return [first];
  const fold = make(
    "details",
    { className: "card fold evaluation-others" },
    make("summary", { textContent: words("evaluations.page_other_figures") }),
  );
  fold.append(tableOfFigures(others, results, false));
  return [first, fold];
}

const isJudged = ({ name, is_judged: told }, { pairs }) => told ?? pairs.some(({ figure }) => figure === name);

function tableOfFigures(figures, results, isFirst) {
  const { systems } = results;
  const heads = systems.map(({ label, is_toy: isToy }, at) => {
    const name = make("span", { textContent: label, dir: "auto" });
    const toy = isToy ? [make("span", { className: "chip plain", textContent: words("evaluations.page_toy") })] : [];
    return make("th", { scope: "col", className: "r" }, make("span", { className: "figure-head" }, letterSign(at), name, ...toy));
  });
  const corner = make("th", { scope: "col", textContent: words("evaluations.page_figure") });
  const rows = figures.map((figure) => rowOfFigure(figure, results));
  if (isFirst) rows.push(...wholeRows(systems));
  const table = make(
    "table",
    { className: "table cards-table figures-table" },
    make("caption", {
      className: "visually-hidden",
      textContent: words(isFirst ? "evaluations.page_figures" : "evaluations.page_other_figures"),
    }),
    make("thead", {}, make("tr", {}, corner, ...heads)),
    make("tbody", {}, ...rows),
  );
  return make("div", { className: isFirst ? "card figures-scroll" : "figures-scroll" }, table);
}

function rowOfFigure(figure, results) {
  const { name, better } = figure;
  const wanted = better === "none" || !better ? "" : words(`evaluations.page_better_${better}`);
  const title = make("span", { dir: "auto", textContent: figureName(figure) });
  const small = wanted ? [make("small", { className: "soft", textContent: wanted })] : [];
  const cells = results.systems.map((system) => {
    const mean = system.means[name];
    if (!mean) return cell(system, ["–"]);
    const said = figureWords(figure, mean.value);
    const range = rangeWords(figure, mean.low, mean.high);
    const value = isBest(system.id, name, results) ? make("b", { textContent: said }) : make("span", { textContent: said });
    const made = cell(system, [value, ...(range ? [make("small", { className: "soft", textContent: range })] : [])]);
    if (Number.isFinite(mean.p50))
      made.title = words("evaluations.page_half", { half: figureWords(figure, mean.p50), most: figureWords(figure, mean.p95) });
    return made;
  });
  return rowWith(make("span", { className: "figure-name" }, title, ...small), cells);
}

// What is known of a system as a whole.
function wholeRows(systems) {
  const row = (key, said) => {
    const cells = systems.map((system) => cell(system, [said(system) || "–"]));
    return rowWith(make("span", { textContent: words(`evaluations.page_whole_${key}`) }), cells);
  };
  const has = (name) => systems.some((system) => system[name]);
  return [
    ...(has("cold_p50_ms") ? [row("cold", ({ cold_p50_ms: cold }) => (cold ? figureWords({ unit: "ms", decimals: 0 }, cold) : ""))] : []),
    ...(has("memory_bytes") ? [row("memory", ({ memory_bytes: memory }) => (memory ? bytes(memory) : ""))] : []),
    row("n", ({ n }) => number(n)),
    ...(has("n_refused") ? [row("refused", ({ n_refused: refused }) => number(refused ?? 0))] : []),
  ];
}

function cell({ label }, parts) {
  const made = make("td", { className: "r" }, make("span", { className: "figure-cell" }, ...parts));
  made.dataset.name = label;
  return made;
}

const rowWith = (head, cells) => make("tr", {}, make("th", { scope: "row" }, head), ...cells);
