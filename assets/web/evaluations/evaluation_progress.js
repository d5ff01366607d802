// How far an evaluation is: its two phases, how much of each is done, what is said now, how long it takes yet, and what went wrong.

import { aboutWords, whyLine } from "../evaluation_state/evaluation_words.js";
import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { progressBar } from "./evaluation_parts.js";

const PHASES = ["say", "measure"];

export class EvaluationProgress {
  constructor() {
    this._phases = PHASES.map((phase) => {
      const name = make("span", { className: "strong", textContent: words(`evaluations.page_phase_${phase}`) });
      const count = make("span", { className: "num note" });
      const bar = progressBar();
      return { phase, count, bar, element: make("li", { className: "evaluation-phase" }, name, count, bar.element) };
    });
    this._now = make("p", { className: "note num", dir: "auto" });
    this._left = make("p", { className: "note num" });
    this._left.setAttribute("role", "status");
    this._failure = make("p", { className: "evaluation-failure", role: "alert", dir: "auto" });
    const phases = make("ol", { className: "evaluation-phases" }, ...this._phases.map(({ element }) => element));
    this.element = make(
      "div",
      { className: "card pad stack evaluation-progress", hidden: true },
      phases,
      this._failure,
      this._left,
      this._now,
    );
  }

  /** evaluation: null while nothing is known. */
  show(evaluation) {
    const { state, is_running: isRunning, n_cells: n = 0, n_said: said = 0, n_measured: measured = 0, progress } = evaluation ?? {};
    this.element.hidden = !evaluation || (state === "done" && !progress?.failure);
    if (this.element.hidden) return;
    const counts = { say: said, measure: measured };
    const phase = isRunning ? progress?.phase : "";
    for (const { phase: own, count, bar, element } of this._phases) {
      count.textContent = words("evaluations.page_of", { n: counts[own], of: n });
      bar.show(n ? counts[own] / n : 0);
      element.dataset.state = own === phase ? "now" : counts[own] >= n && n ? "done" : "";
      if (own === phase) element.setAttribute("aria-current", "step");
      else element.removeAttribute("aria-current");
    }
    const left = progress?.seconds_left ?? evaluation.seconds_left;
    const time = isRunning && Number.isFinite(left) ? words("evaluations.page_left", { about: aboutWords(left) }) : "";
    const stands = isRunning
      ? time || words("evaluations.page_under_way")
      : words(`evaluations.page_waits_${state === "stopped" ? "stopped" : "ready"}`);
    if (this._left.textContent !== stands) this._left.textContent = stands; // a status is read out when it changes
    this._now.textContent = isRunning ? nowWords(progress ?? {}, evaluation) : "";
    this._now.hidden = !this._now.textContent;
    this._failure.textContent = whyLine(progress?.failure);
    this._failure.hidden = !this._failure.textContent;
  }
}

// Who says what, by their labels.
function nowWords({ now, is_learning: isLearning }, { plan }) {
  if (!now) return "";
  const label = (list, id) => list?.find((one) => one.id === id)?.label ?? id ?? "";
  const [system, voice] = [label(plan?.systems, now.system), label(plan?.voices, now.voice)];
  if (isLearning) return words("evaluations.page_learning", { system, voice });
  const text = plan?.texts?.find(({ id }) => id === now.text)?.text ?? "";
  return [system, voice, text].filter(Boolean).join(" · ");
}
