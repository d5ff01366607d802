// The list of evaluations: title, systems, how far each is, how long it takes yet.

import { chip } from "../drawings/states.js";
import { evaluationAnswer } from "../evaluation_state/evaluation_calls.js";
import { EvaluationWatch } from "../evaluation_state/evaluation_watch.js";
import { aboutWords, countWords, evaluationStateWords, shareOf, titleOf, whyLine } from "../evaluation_state/evaluation_words.js";
import { linkItem } from "../kit/clipboard.js";
import { make } from "../kit/frame.js";
import { redraw } from "../kit/library.js";
import { menuButton, openMenu } from "../kit/menu.js";
import { language, words } from "../words/words.js";
import { deleteEvaluation } from "./evaluation_acts.js";
import { backButton, iconButton, progressBar } from "./evaluation_parts.js";

const RUNNING_MILLISECONDS = 2000;
const MOST_NAMED = 4; // systems of a row

export class EvaluationsList {
  // open(id), create(): another view. leave(): Compare. refuse(problem). isSeen(): whether the page shows evaluations.
  constructor(element, { open, create, leave, refuse, isSeen }) {
    this._open = open;
    this._refuse = refuse;
    this._evaluations = null;
    this._watch = new EvaluationWatch({ isSeen, look: () => this._look() });
    this._new = iconButton("plus", words("evaluations.page_new"), () => create(), "primary");
    this._count = make("span", { className: "count-of num soft" });
    this._why = make("p", { className: "note evaluations-why", hidden: true });
    this._rows = make("ul", { className: "card evaluation-rows" });
    this._rows.addEventListener("click", ({ target }) => this._press(target.closest("button")));
    const heading = make("h2", { textContent: words("evaluations.page_title") });
    const back = backButton(words("evaluations.page_to_compare"), leave);
    const title = make("div", { className: "page-title" }, back, heading, this._count, make("span", { className: "grow" }), this._new);
    this._empty = make(
      "div",
      { className: "card pad-big stack evaluations-empty", hidden: true },
      make("h3", { className: "section-title", textContent: words("evaluations.page_empty") }),
      make("p", { className: "soft", textContent: words("evaluations.page_empty_about") }),
    );
    element.append(title, this._why, this._rows, this._empty);
    this._rows.hidden = true;
  }

  begin() {
    return this._watch.begin();
  }

  end() {
    this._watch.end();
  }

  async _look() {
    try {
      const { evaluations, may_begin: mayBegin = true, why_not: why = null } = await evaluationAnswer();
      this._show(evaluations, mayBegin, why);
      return evaluations.some(({ is_running: isRunning }) => isRunning) ? RUNNING_MILLISECONDS : 0;
    } catch (error) {
      if (!this._evaluations) this._refuse(error);
      throw error;
    }
  }

  _show(evaluations, mayBegin, why) {
    this._evaluations = evaluations;
    this._count.textContent = evaluations.length ? String(evaluations.length) : "";
    this._new.disabled = !mayBegin;
    this._why.textContent = mayBegin ? "" : whyLine(why) || words("evaluations.page_not_here");
    this._why.hidden = mayBegin;
    this._rows.hidden = !evaluations.length;
    this._empty.hidden = evaluations.length > 0;
    redraw(this._rows, evaluations.map(rowOf), this._new);
  }

  _press(button) {
    const evaluation = this._evaluations?.find(({ id }) => id === button?.dataset.key);
    if (!evaluation) return;
    if (button.dataset.act === "open") this._open(evaluation.id);
    if (button.dataset.act === "menu") openMenu(button, button.title, this._items(evaluation));
  }

  _items(evaluation) {
    return [
      { key: "open", icon: "list", words: words("evaluations.page_open"), act: () => this._open(evaluation.id) },
      linkItem("compare", `evaluations/${evaluation.id}`),
      { key: "delete", icon: "trash", words: words("evaluations.page_delete"), isDangerous: true, act: () => this._delete(evaluation) },
    ];
  }

  async _delete(evaluation) {
    try {
      if (await deleteEvaluation(evaluation)) await this._watch.begin();
    } catch (error) {
      this._refuse(error);
    }
  }
}

function rowOf(evaluation) {
  const { id, state, seconds_left: left, systems, n_voices: voices, n_texts: texts, created, is_running: isRunning } = evaluation;
  const name = titleOf(evaluation);
  const open = make("button", { type: "button", className: "evaluation-open", textContent: name, dir: "auto" });
  const named = systems.slice(0, MOST_NAMED);
  const who =
    systems.length > MOST_NAMED ? words("evaluations.page_and_more", { named, n: systems.length - MOST_NAMED }) : named.join(", ");
  const counts = [words("figures.voices", { n: voices }), words("figures.texts", { n: texts }), dayWords(created)].filter(Boolean);
  const more = menuButton(words("evaluations.page_more", { name }));
  for (const [button, act] of [
    [open, "open"],
    [more, "menu"],
  ])
    Object.assign(button.dataset, { key: id, act });
  const about = make(
    "span",
    { className: "evaluation-about" },
    open,
    make("small", { className: "soft cut", dir: "auto", textContent: who }),
    make("small", { className: "soft cut num", textContent: counts.join(" · ") }),
  );
  const time = isRunning && Number.isFinite(left) ? words("evaluations.page_left", { about: aboutWords(left) }) : "";
  const told = [countWords(evaluation), time].filter(Boolean).join(" · ");
  const far = make(
    "span",
    { className: "evaluation-far" },
    progressBar(shareOf(evaluation)).element,
    make("span", { className: "num note", textContent: told }),
  );
  return make("li", { className: "evaluation-row" }, about, far, chip(...evaluationStateWords(state)), more);
}

const dayWords = (at) => (at ? new Date(1000 * at).toLocaleDateString(language) : "");
