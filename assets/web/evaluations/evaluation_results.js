// What was found: what it comes to in a sentence or two, the figures of each system with their ranges, how they lie, and the sounds, worst first.

import { lineWords } from "../evaluation_state/evaluation_words.js";
import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { iconButton, section } from "./evaluation_parts.js";
import { EvaluationSounds } from "./evaluation_sounds.js";
import { figurePlots } from "./figure_plots.js";
import { figureTables } from "./figure_tables.js";

export class EvaluationResults {
  // test(): a listening test is wanted. refuse(problem).
  constructor({ refuse, test }) {
    this._sounds = new EvaluationSounds(refuse);
    this._verdict = make("div", { className: "stack evaluation-verdict" });
    this._test = iconButton("headphones", words("evaluations.page_test"), test);
    this._tables = make("div", { className: "stack" });
    this._plots = make("div", { className: "evaluation-plots" });
    this._plotSection = section(
      words("evaluations.page_plots"),
      make("p", { className: "note", textContent: words("evaluations.page_plots_about") }),
      this._plots,
    );
    this.figures = []; // as results have them
    this._notes = make("ul", { className: "evaluation-notes note" });
    this.element = make(
      "div",
      { className: "stack evaluation-results", hidden: true },
      this._verdict,
      make("div", {}, this._test),
      section(
        words("evaluations.page_figures"),
        make("p", { className: "note", textContent: words("evaluations.page_bold") }),
        this._tables,
        this._notes,
      ),
      this._plotSection,
      section(words("evaluations.page_sounds"), this._sounds.element),
    );
  }

  /** Nothing of another evaluation is seen any more. */
  clear() {
    this.element.hidden = true;
    this.figures = [];
    for (const part of [this._verdict, this._tables, this._plots, this._notes]) part.replaceChildren();
    this._sounds.clear();
  }

  /** results: as GET results gives them. */
  show(evaluation, results) {
    this.figures = results.figures;
    const verdict = (results.verdict ?? []).map(lineWords).filter(Boolean);
    const partial = evaluation.state !== "done" ? [make("p", { className: "note", textContent: words("evaluations.page_partial") })] : [];
    const said = verdict.length ? verdict : [words("evaluations.page_no_verdict")];
    this._verdict.replaceChildren(...partial, ...said.map((line) => make("p", { className: "claim", dir: "auto", textContent: line })));
    this._test.hidden = results.systems.length < 2;
    this._tables.replaceChildren(...figureTables(results));
    const plots = figurePlots(results);
    this._plots.replaceChildren(...plots);
    this._plotSection.hidden = !plots.length;
    const notes = [...(results.lines ?? []), ...(results.notes ?? [])].map(lineWords).filter(Boolean);
    this._notes.replaceChildren(...notes.map((line) => make("li", { dir: "auto", textContent: line })));
    this._notes.hidden = !notes.length;
    this._sounds.show(evaluation, results);
    this.element.hidden = false;
  }
}
