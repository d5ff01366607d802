// One evaluation: how far it is, what was found, its sounds, and what can be made of it.

import { icon } from "../drawings/icons.js";
import { chip, showState } from "../drawings/states.js";
import { evaluationAnswer, evaluationPath } from "../evaluation_state/evaluation_calls.js";
import { EvaluationWatch } from "../evaluation_state/evaluation_watch.js";
import { evaluationStateWords, titleOf } from "../evaluation_state/evaluation_words.js";
import { linkItem } from "../kit/clipboard.js";
import { make } from "../kit/frame.js";
import { openMenu } from "../kit/menu.js";
import { language, words } from "../words/words.js";
import { deleteEvaluation, saveExport } from "./evaluation_acts.js";
import { backButton, iconButton } from "./evaluation_parts.js";
import { EvaluationProgress } from "./evaluation_progress.js";
import { EvaluationResults } from "./evaluation_results.js";
import { openSince } from "./evaluation_since.js";
import { openEvaluationTest } from "./evaluation_test.js";
import { hushEvaluation } from "./sound_hearing.js";

const RUNNING_MILLISECONDS = 1000;
const FOUND_MILLISECONDS = 15_000; // between two looks at what was found by now
const FILES = ["zip", "csv", "json", "markdown"];

export class EvaluationPage {
  // named(evaluation): its title is known. isSeen(): whether the page shows evaluations. create(plan), toList(), refuse(problem).
  constructor(element, { create, toList, refuse, named, isSeen }) {
    this._create = create;
    this._toList = toList;
    this._refuse = refuse;
    this._named = named;
    this._id = "";
    this._evaluation = null; // what is known of it
    this._turn = 0; // answers about what is no longer seen are thrown away
    this._isToldOf = false;
    this._found = ""; // as what the results were asked last
    this._foundAt = 0;
    this._watch = new EvaluationWatch({ isSeen, look: () => this._look() });
    this._title = make("h2", { dir: "auto", tabIndex: -1, className: "evaluation-title" });
    this._state = chip("none", "");
    this._run = iconButton("play", words("evaluations.page_go_on"), () => this._act("POST"), "primary");
    this._stop = iconButton("stop", words("evaluations.page_stop"), () => this._act("DELETE"));
    this._report = make("a", { className: "button", target: "_blank", rel: "noopener" }, icon("list"), words("evaluations.page_report"));
    this._files = iconButton("download", words("evaluations.page_files"), () => this._openFiles());
    this._more = iconButton("more", "", () => this._openMore());
    this._more.className = "button quiet square";
    for (const button of [this._files, this._more]) button.setAttribute("aria-haspopup", "menu");
    for (const button of [this._files, this._more]) button.setAttribute("aria-expanded", "false");
    const back = backButton(words("evaluations.page_back"), toList);
    const acts = make("span", { className: "evaluation-acts" }, this._run, this._stop, this._report, this._files, this._more);
    const head = make("div", { className: "page-title" }, back, this._title, this._state, make("span", { className: "grow" }), acts);
    this._progress = new EvaluationProgress();
    this._results = new EvaluationResults({ refuse, test: () => this._makeTest() });
    this._about = make("p", { className: "note num", dir: "auto" });
    element.append(head, this._about, this._progress.element, this._results.element);
    this._show();
  }

  /** evaluation: what is known of it already, null for nothing. */
  async open(id, evaluation = null) {
    this._turn += 1;
    this._id = id;
    this._evaluation = evaluation;
    this._isToldOf = false;
    this._found = "";
    this._foundAt = 0;
    this._results.clear();
    this._show();
    this._title.focus({ preventScroll: true });
    return this._watch.begin();
  }

  /** Nobody sees it any more. */
  end() {
    this._turn += 1;
    this._watch.end();
  }

  // Milliseconds until the next look.
  async _look() {
    const [turn, id] = [this._turn, this._id];
    try {
      const evaluation = await evaluationAnswer(`/${id}`);
      if (turn !== this._turn) return 0;
      this._take(evaluation);
      await this._findAsNeeded(turn);
      return evaluation.is_running && turn === this._turn ? RUNNING_MILLISECONDS : 0;
    } catch (error) {
      if (turn === this._turn) this._lost(error);
      throw error;
    }
  }

  _lost(error) {
    if (error.code === "studio_away" && this._evaluation) return undefined; // the strip says so
    this._refuse(error);
    return undefined;
  }

  _take(evaluation) {
    const isNamed = this._evaluation && titleOf(this._evaluation) === titleOf(evaluation);
    this._evaluation = evaluation;
    this._show();
    if (!isNamed || !this._isToldOf) this._named(evaluation);
    this._isToldOf = true;
  }

  // What was found is asked once more where it may be otherwise: at the end, and now and then before.
  async _findAsNeeded(turn) {
    const { id, n_measured: measured, n_said: said, state, is_running: isRunning } = this._evaluation;
    const stands = JSON.stringify([measured, said, state]);
    const isDue = !isRunning || performance.now() - this._foundAt > FOUND_MILLISECONDS;
    if (!said || stands === this._found || !isDue) return;
    const results = await evaluationAnswer(`/${id}/results`, { lang: language });
    if (turn !== this._turn) return;
    this._found = stands;
    this._foundAt = performance.now();
    this._results.show(this._evaluation, results);
  }

  _show() {
    const evaluation = this._evaluation;
    const { state = "ready", is_running: isRunning = false } = evaluation ?? {};
    const hadFocus = [this._run, this._stop].includes(/** @type {HTMLButtonElement} */ (document.activeElement));
    this._title.textContent = evaluation ? titleOf(evaluation) : "";
    this._state.hidden = !evaluation;
    showState(this._state, ...evaluationStateWords(isRunning ? "running" : state));
    this._run.hidden = !evaluation || isRunning || state === "done";
    this._run.disabled = this._stop.disabled = false;
    this._stop.hidden = !isRunning;
    if (hadFocus) this._focusAct(); // the run has ended while its button had the focus
    const hasSounds = Boolean(evaluation?.n_said);
    for (const part of [this._report, this._files]) part.hidden = !hasSounds;
    this._more.hidden = !evaluation;
    if (!evaluation) {
      this._about.textContent = "";
      return this._progress.show(null);
    }
    const name = titleOf(evaluation);
    this._more.title = words("evaluations.page_more", { name });
    this._more.setAttribute("aria-label", this._more.title);
    this._report.href = new URL(evaluationPath(`/${evaluation.id}/report`, { lang: language }), document.baseURI).href;
    this._about.textContent = aboutWords(evaluation);
    return this._progress.show(evaluation);
  }

  async _act(method) {
    const [turn, id] = [this._turn, this._id];
    this._run.disabled = this._stop.disabled = true;
    try {
      await evaluationAnswer(`/${id}/run`, {}, { method });
    } catch (error) {
      if (turn === this._turn) this._refuse(error);
    }
    if (turn !== this._turn) return;
    this._run.disabled = this._stop.disabled = false;
    await this._watch.begin();
    if (turn === this._turn) this._focusAct();
  }

  // The button of the two that can be pressed now, or the title where there is none.
  _focusAct() {
    const button = [this._stop, this._run].find((one) => !one.hidden);
    (button ?? this._title).focus({ preventScroll: true });
  }

  // --- what is made of it

  _openFiles() {
    const items = FILES.map((format) => ({
      key: format,
      icon: "download",
      words: words(`evaluations.page_file_${format}`),
      note: words(`evaluations.page_file_about_${format}`),
      act: () => this._try(() => saveExport(this._evaluation, format)),
    }));
    openMenu(this._files, words("evaluations.page_files"), items);
  }

  _openMore() {
    const evaluation = this._evaluation;
    const hasFound = Boolean(evaluation.n_measured);
    openMenu(this._more, this._more.title, [
      { key: "test", icon: "headphones", words: words("evaluations.page_test"), isDisabled: !hasFound, act: () => this._makeTest() },
      { key: "since", icon: "clock", words: words("evaluations.page_since"), isDisabled: !hasFound, act: () => this._since() },
      { key: "again", icon: "copy", words: words("evaluations.page_again"), isDisabled: !evaluation.plan, act: () => this._again() },
      linkItem("compare", `evaluations/${evaluation.id}`),
      null,
      { key: "delete", icon: "trash", words: words("evaluations.page_delete"), isDangerous: true, act: () => this._delete() },
    ]);
  }

  _again() {
    const { plan, title, languages } = this._evaluation;
    this._create({ ...plan, title, languages });
  }

  _makeTest() {
    return this._try(() => openEvaluationTest(this._evaluation));
  }

  _since() {
    return this._try(() => openSince(this._evaluation, this._results.figures));
  }

  async _delete() {
    await this._try(async () => {
      if (!(await deleteEvaluation(this._evaluation))) return;
      hushEvaluation(this._id);
      this._toList();
    });
  }

  async _try(act) {
    const turn = this._turn;
    try {
      await act();
    } catch (error) {
      if (turn === this._turn) this._refuse(error);
    }
  }
}

// "2 systems × 5 voices × 50 texts, 3 times each · 12.3 MB"
function aboutWords({ systems, n_voices: voices, n_texts: texts, plan, created }) {
  const counts = [
    words("figures.systems", { n: systems.length }),
    words("figures.voices", { n: voices }),
    words("figures.texts", { n: texts }),
  ];
  const n = plan?.seeds?.length ?? 1;
  const day = created ? new Date(1000 * created).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" }) : "";
  return [counts.join(" × ") + (n > 1 ? ` × ${words("evaluations.page_n_seeds", { n })}` : ""), day].filter(Boolean).join(" · ");
}
