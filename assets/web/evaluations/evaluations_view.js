// The evaluations, in Compare's place: one of three views is seen, the list, a new one, or one with what was found.

import "../words/evaluations_catalog.js";
import { NewEvaluation } from "../evaluation_plan/new_evaluation.js";
import { titleOf } from "../evaluation_state/evaluation_words.js";
import { make, onMount } from "../kit/frame.js";
import { say } from "../kit/notices.js";
import { placeNow, showsThing } from "../navigation/navigation.js";
import { words } from "../words/words.js";
import { EvaluationPage } from "./evaluation_page.js";
import { EvaluationsList } from "./evaluations_list.js";

const ROOM = "compare";
const BEGINS = "evaluations"; // of every address
const PLACE = "evaluations-message";
const NEW = "new";

class EvaluationsView {
  // lanes(): of Compare. leave(): Compare is seen again. hear(show): show is called with what is to be seen, null for nothing.
  constructor({ element, lanes, leave, hear }) {
    this._element = element;
    const views = ["list", "new", "one"].map((name) => [name, make("div", { className: `evaluations-${name} stack`, hidden: true })]);
    this._views = Object.fromEntries(views);
    element.append(...Object.values(this._views));
    const acts = {
      open: (id) => this.open(id),
      create: (plan) => this.create(plan),
      toList: () => this.list(),
      refuse: (problem) => refuse(problem),
      isSeen: () => placeNow().room === ROOM && !element.hidden,
    };
    this._list = new EvaluationsList(this._views.list, { ...acts, leave });
    this._new = new NewEvaluation(this._views.new, { ...acts, lanes, begun: (evaluation) => this.open(evaluation.id, evaluation) });
    this._one = new EvaluationPage(this._views.one, { ...acts, named: (evaluation) => this._address(evaluation.id, titleOf(evaluation)) });
    hear((thing) => this._show(thing));
  }

  list() {
    say(PLACE);
    this._see("list");
    this._address("", words("evaluations.page_title"));
    return this._list.begin();
  }

  /** plan: of an evaluation, whose choices are taken over. */
  create(plan = null) {
    say(PLACE);
    this._see("new");
    this._address(NEW, words("evaluations.page_new"));
    return this._new.begin(plan);
  }

  /** evaluation: what is known of it already. */
  open(id, evaluation = null) {
    say(PLACE);
    this._see("one");
    this._address(id, evaluation ? titleOf(evaluation) : "");
    return this._one.open(id, evaluation);
  }

  // By an address; null: Compare is seen.
  _show(thing) {
    if (thing === null) return this._see("");
    if (!thing) return this.list();
    return thing === NEW ? this.create() : this.open(thing);
  }

  _see(view) {
    for (const [name, element] of Object.entries(this._views)) element.hidden = name !== view;
    if (view !== "list") this._list.end();
    if (view !== "one") this._one.end();
  }

  _address(thing, title) {
    if (!this._element.hidden) showsThing(ROOM, [BEGINS, thing].filter(Boolean).join("/"), { title });
  }
}

function refuse({ code, values, message, fact = message, hint }) {
  say(PLACE, { kind: "problem", code, values, fact, hint });
}

onMount("evaluations", (tools) => new EvaluationsView(tools));
