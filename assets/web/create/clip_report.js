// The verdict, its three facts, the figures and the engines of step two, from the keys and figures of the server's check_region.

import { hereOf, showMore } from "../choice/engines_here.js";
import { chip, shape } from "../drawings/states.js";
import { make } from "../kit/frame.js";
import { number, words } from "../words/words.js";

const VERDICTS = { care: "but", failed: "again", forbidden: "never" };
const FITS = { as_it_is: "memory", better_shorter: "care" }; // others say which limit

const fact = (made) => {
  const { fact: name, state, case: said, values } = made;
  const title = words(`create.fact_${state === "good" ? name : said}`);
  const card = make("li", { className: "fact-card" }, make("strong", {}, shape(state), title));
  card.append(make("span", { textContent: words(`create.says_${said}`, values) }));
  card.dataset.fact = name;
  card.dataset.state = state;
  return card;
};

const figure = ({ measure, unit, decimals, grade, case: said, values }) => {
  const verdict = make("span", { className: "grade", textContent: words(`create.grade_${grade}`) });
  verdict.dataset.grade = grade;
  const cells = [
    [{ className: "r", textContent: words(`create.unit_${unit}`, { n: number(values.n, decimals, decimals) }) }, "value"],
    [{}, "grade", verdict],
    [{ textContent: words(`create.says_${said}`, values) }, "advice"],
  ].map(([properties, column, ...children]) => {
    const cell = make("td", properties, ...children);
    cell.dataset.name = words(`create.column_${column}`);
    return cell;
  });
  return make("tr", {}, make("th", { scope: "row", textContent: words(`create.measure_${measure}`) }), ...cells);
};

const engineChip = ({ title, fit, values }) =>
  make("li", {}, chip(FITS[fit] ?? "unsupported", words("create.fit_line", { engine: title, fit: words(`create.fit_${fit}`, values) })));

function fitWords(engines) {
  const n = engines.filter(({ fit }) => fit in FITS).length;
  if (n === engines.length) return words("create.fit_all");
  return n ? words("create.fit_some", { n, all: engines.length }) : words("create.fit_none");
}

// report: null while the studio looks at the region, or where there is none; hasClip: which of them.
export function showReport(element, report, hasClip) {
  const find = (id) => element.querySelector(`#${id}`);
  for (const id of ["figures", "fits"]) find(id).hidden = !hasClip;
  const verdict = find("quality-verdict");
  verdict.dataset.state = report?.verdict.state ?? "";
  if (!report) {
    verdict.textContent = words(hasClip ? "create.listening" : "create.no_recording");
    if (!hasClip) find("facts").replaceChildren();
    return;
  }
  const { state, case: said, values } = report.verdict;
  verdict.textContent = state === "good" ? words("create.verdict_good") : words(`create.${VERDICTS[state]}_${said}`, values);
  find("facts").replaceChildren(...report.facts.map(fact));
  find("quality").tBodies[0].replaceChildren(...report.figures.map(figure));
  const engines = hereOf(report.engines);
  find("fit").replaceChildren(...engines.map(engineChip));
  find("fit-count").textContent = fitWords(engines);
  showMore(find("fit-more"), report.engines);
}
