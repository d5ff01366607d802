// What changed since an earlier evaluation: asked which one, then told figure by figure.

import { evaluationAnswer } from "../evaluation_state/evaluation_calls.js";
import { figureName, figureWords, lineWords, rangeWords, titleOf } from "../evaluation_state/evaluation_words.js";
import { make } from "../kit/frame.js";
import { ask as agreeTo } from "../kit/library.js";
import { openDialog } from "../navigation/navigation.js";
import { language, words } from "../words/words.js";

/** Asks since which one, and shows what changed. figures: of results. Throws SpeechRefused. */
export async function openSince(evaluation, figures) {
  const { evaluations } = await evaluationAnswer();
  const others = evaluations.filter(({ id, n_measured: n }) => id !== evaluation.id && n);
  if (!others.length) return tell([make("p", { textContent: words("evaluations.page_since_none") })]);
  const choices = others.map((one) => make("option", { value: one.id, textContent: `${titleOf(one)} · ${dayOf(one)}` }));
  const select = make("select", { className: "select" }, ...choices);
  const name = make("span", { className: "name", textContent: words("evaluations.page_since_which") });
  const field = make("div", { className: "evaluation-question" }, make("label", { className: "field" }, name, select));
  const yes = words("evaluations.page_since_compare");
  if (!(await agreeTo(words("evaluations.page_since_about"), yes, words("evaluations.page_cancel"), [field], "primary"))) return undefined;
  const found = await evaluationAnswer(`/${evaluation.id}/since/${select.value}`, { lang: language });
  return tell(partsOfSince(found, figures));
}

const dayOf = ({ created }) => (created ? new Date(1000 * created).toLocaleDateString(language) : "");

/** What is shown of a comparison of two runs, as GET since gives it. figures: of results. */
export function partsOfSince({ lines = [], comparison: { changes = [] } = {} }, figures) {
  const said = lines.map(lineWords).filter(Boolean);
  const parts = said.map((textContent) => make("p", { dir: "auto", textContent }));
  if (changes.length) parts.push(tableOfChanges(changes, figures));
  return parts.length ? parts : [make("p", { textContent: words("evaluations.page_since_nothing") })];
}

function tableOfChanges(changes, figures) {
  const heads = ["system", "figure", "change", "range"].map((key, at) =>
    make("th", { scope: "col", className: at > 1 ? "r" : "", textContent: words(`evaluations.page_since_${key}`) }),
  );
  const rows = changes.map(({ label, change }) => {
    const { figure: name, difference, ratio, low_all: low, high_all: high } = change;
    const figure = figures.find((one) => one.name === name) ?? { name, label: name };
    const kind = ratio === null ? figure : { unit: "x", decimals: 2 };
    const sign = ratio === null && difference > 0 ? "+" : "";
    return make(
      "tr",
      {},
      make("th", { scope: "row", dir: "auto", textContent: label }),
      named("figure", figureName(figure), ""),
      named("change", sign + figureWords(kind, ratio ?? difference)),
      named("range", rangeWords(kind, low, high) || figureWords(kind, null)),
    );
  });
  const table = make("table", { className: "table cards-table" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
  return make("div", { className: "figures-scroll" }, table);
}

function named(key, textContent, className = "r") {
  const cell = make("td", { className, textContent });
  cell.dataset.name = words(`evaluations.page_since_${key}`);
  return cell;
}

function tell(parts) {
  const close = make("button", { value: "", className: "button", textContent: words("evaluations.page_close") });
  const title = make("h3", { textContent: words("evaluations.page_since") });
  const form = make("form", { method: "dialog" }, title, ...parts, make("div", { className: "panel-end" }, close));
  const dialog = make("dialog", { className: "sheet dialog evaluation-since" }, form);
  dialog.setAttribute("aria-label", title.textContent);
  dialog.addEventListener("close", () => dialog.remove());
  (document.querySelector(".gradio-container") ?? document.body).append(dialog);
  openDialog(dialog);
}
