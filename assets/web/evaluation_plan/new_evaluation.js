// A new evaluation: what is compared, in whose voices, by which texts. How many sounds that makes and how long it takes is told before.

import { choice } from "../choice/choice.js";
import { icon } from "../drawings/icons.js";
import { evaluationAnswer, evaluationBody } from "../evaluation_state/evaluation_calls.js";
import { aboutWords, whyLine } from "../evaluation_state/evaluation_words.js";
import { drafts } from "../kit/draft.js";
import { make } from "../kit/frame.js";
import { askServer } from "../transport/speech_transport.js";
import { language as reader, words } from "../words/words.js";
import { draftLack, draftOfPlan, evaluationOrder, freshDraft, systemsOf } from "./evaluation_order.js";
import { PlanMeasures } from "./plan_measures.js";
import { PlanSystems } from "./plan_systems.js";
import { PlanTexts } from "./plan_texts.js";
import { PlanVoices } from "./plan_voices.js";
import { voicesToChoose } from "./voices_found.js";

const PART = "evaluation"; // of the drafts of this tab
const REST_MILLISECONDS = 400;
const MOST_REFUSALS = 5; // that are told one by one
const AWAY = ["unavailable", "failed"]; // states of engines that cannot speak

export class NewEvaluation {
  // lanes(): of Compare. begun(evaluation): it runs. toList(), refuse(problem).
  constructor(element, { lanes, begun, toList, refuse }) {
    this._lanes = lanes;
    this._begun = begun;
    this._refuse = refuse;
    this._draft = null;
    this._known = null; // what there is to choose from
    this._turn = 0;
    this._timer = null;
    this._systems = new PlanSystems((systems, how) => this._set({ systems }, how));
    this._voices = new PlanVoices((voices) => this._set({ voices }, { isDrawn: true }));
    this._texts = new PlanTexts({ change: (values, how) => this._set(values, how), refuse });
    this._measures = new PlanMeasures((values) => this._set(values));
    this._title = make("input", { className: "input", dir: "auto", maxLength: 200, placeholder: words("evaluations.page_untitled") });
    this._title.addEventListener("input", () => this._set({ title: this._title.value }, { isDrawn: true, isSame: true }));
    this._draw(element, toList);
  }

  _draw(element, toList) {
    const back = make("button", { type: "button", className: "button quiet square", title: words("evaluations.page_back") }, icon("left"));
    back.setAttribute("aria-label", words("evaluations.page_back"));
    back.addEventListener("click", toList);
    this._heading = make("h2", { textContent: words("evaluations.page_new"), tabIndex: -1 });
    const part = (key, ...parts) =>
      make(
        "section",
        { className: "stack" },
        make("h3", { className: "section-title", textContent: words(`evaluations.page_${key}`) }),
        ...parts,
      );
    this._main = make(
      "div",
      { className: "stack plan-main" },
      part("systems", this._systems.element),
      part("voices", this._voices.element),
      part("texts", this._texts.element),
      part("measures", this._measures.element),
    );
    element.append(
      make("div", { className: "page-title" }, back, this._heading),
      make("div", { className: "two" }, this._main, this._sidePart()),
    );
  }

  _sidePart() {
    const name = make("span", { className: "name", textContent: words("evaluations.page_name") });
    this._sounds = make("p", { className: "plan-sounds num" });
    this._time = make("p", { className: "note" });
    this._refusals = make("ul", { className: "plan-refusals note" });
    this._go = make("button", { type: "button", className: "button primary" }, words("evaluations.page_begin"));
    this._go.addEventListener("click", () => this._begin());
    this._lack = make("p", { className: "note", role: "status" });
    const told = make("div", { className: "plan-told" }, this._sounds, this._time);
    told.setAttribute("aria-live", "polite");
    return make(
      "aside",
      { className: "card pad stack plan-side" },
      make("label", { className: "field" }, name, this._title),
      told,
      this._refusals,
      this._go,
      this._lack,
    );
  }

  /** plan: of an evaluation whose choices are taken over; null for what was begun here, or is open in Compare. */
  async begin(plan = null) {
    this._heading.focus({ preventScroll: true });
    await Promise.all([this._learn(), choice.settled, drafts.known]);
    if (!this._known) return;
    const fresh = this._fresh();
    this._draft = plan ? draftOfPlan(plan, fresh) : { ...fresh, ...drafts.of(PART) };
    this._title.value = this._draft.title;
    this._show();
  }

  // What there is to choose from.
  async _learn() {
    try {
      const [about, models] = await Promise.all([evaluationAnswer(), askServer("v1/models").then((answer) => answer.json())]);
      const engines = models.data.filter(({ state }) => !AWAY.includes(state));
      this._known = { ...about, engines, away: models.data.filter(({ state }) => AWAY.includes(state)) };
    } catch (error) {
      this._refuse(error);
    }
  }

  _fresh() {
    const { engines, languages } = this._known;
    const here = new Set(engines.map(({ id }) => id));
    const open = this._lanes(); // none where Compare has just been loaded
    const lanes = open.length ? open : [{ engine: choice.engine, voice: choice.voice, options: {} }];
    const systems = systemsOf(lanes).filter(({ engine }) => here.has(engine));
    const first = engines.find(({ default: isDefault }) => isDefault) ?? engines[0];
    const voices = [...new Set(lanes.map(({ voice }) => voice).filter(Boolean))];
    return freshDraft({
      systems: systems.length || !first ? systems : [{ engine: first.id, options: {} }],
      voices,
      language: languages.includes(reader) ? reader : (languages[0] ?? "en"),
    });
  }

  // isDrawn: what was changed shows it already. isSame: as many sounds as before.
  _set(values, { isDrawn = false, isSame = false } = {}) {
    this._draft = { ...this._draft, ...values };
    const { list: _, ...kept } = this._draft; // a file may be large, and is at hand
    drafts.keep(PART, { ...kept, ...(kept.kind === "list" && { kind: "builtin" }) });
    if (!isDrawn) this._show();
    else if (!isSame) this._expectSoon();
  }

  get _engines() {
    const used = new Set(this._draft.systems.map(({ engine }) => engine));
    return this._known.engines.filter(({ id }) => used.has(id));
  }

  _show() {
    const { engines, away, families, languages } = this._known;
    const used = this._engines;
    this._systems.show(this._draft.systems, engines, away);
    const stored = (choice.known.voices ?? []).filter(({ is_stored: isStored }) => isStored);
    const voices = voicesToChoose(stored, used);
    const names = new Set(voices.map(({ name }) => name));
    const chosen = this._draft.voices.filter((name) => names.has(name)); // a built-in voice goes with its engine
    if (chosen.length < this._draft.voices.length) this._draft = { ...this._draft, voices: chosen };
    this._voices.show(voices, chosen);
    this._texts.show(this._draft, languages, new Set(used.flatMap((engine) => engine.languages)));
    this._measures.show(this._draft, families);
    this._expectSoon();
  }

  // --- what it comes to

  _expectSoon() {
    clearTimeout(this._timer);
    this._turn += 1;
    const lack = draftLack(this._draft);
    const { may_begin: mayBegin = true, why_not: why } = this._known;
    this._go.disabled = Boolean(lack) || !mayBegin;
    this._lack.textContent = mayBegin ? (lack ? words(`evaluations.page_lack_${lack}`) : "") : whyLine(why);
    if (lack) return this._tell(null);
    this._sounds.dataset.state = "asking";
    this._timer = setTimeout(() => this._expect(this._turn), REST_MILLISECONDS);
    return undefined;
  }

  async _expect(turn) {
    try {
      const told = await evaluationAnswer("/expect", {}, evaluationBody(evaluationOrder(this._draft, this._known.engines)));
      if (turn === this._turn) this._tell(told);
    } catch (error) {
      if (turn !== this._turn) return;
      this._tell(null);
      this._lack.textContent = [error.message, error.hint].filter(Boolean).join(" ");
      this._go.disabled = error.code !== "studio_away";
    }
  }

  _tell(told) {
    this._sounds.dataset.state = told ? "known" : "";
    this._sounds.textContent = told ? words("evaluations.page_n_sounds", { n: told.n_cells }) : "";
    const counts = told && [
      words("figures.systems", { n: this._draft.systems.length }),
      words("figures.voices", { n: told.n_voices }),
      words("figures.texts", { n: told.n_texts }),
    ];
    const time = told && (Number.isFinite(told.seconds) ? aboutWords(told.seconds) : words("evaluations.page_time_unknown"));
    this._time.replaceChildren(...(told ? [counts.join(" × "), make("br"), words("evaluations.page_takes", { time })] : []));
    const refusals = told?.refusals ?? [];
    const lines = refusals.slice(0, MOST_REFUSALS).map((one) => make("li", { dir: "auto", textContent: refusalWords(one) }));
    const more = refusals.length - lines.length;
    if (more > 0) lines.push(make("li", { textContent: words("evaluations.page_more_refused", { n: more }) }));
    this._refusals.replaceChildren(...lines);
    this._refusals.hidden = !lines.length;
  }

  async _begin() {
    this._go.disabled = true;
    try {
      const order = { ...evaluationOrder(this._draft, this._known.engines), begin: true };
      const evaluation = await evaluationAnswer("", {}, evaluationBody(order));
      drafts.forget(PART);
      this._begun(evaluation);
    } catch (error) {
      this._refuse(error);
    } finally {
      this._go.disabled = false;
    }
  }
}

function refusalWords({ system, voice = "", language = "", why }) {
  const whose = [system, voice || language].filter(Boolean);
  return `${words("evaluations.page_refused_of", { whose })} ${whyLine(why)}`.trim();
}
