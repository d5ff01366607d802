// Step five of creating a voice: it is made, the engines that are ticked learn it, and one may speak with it.

import { printOf } from "../drawings/voiceprint.js";
import { gettingActs } from "../engines/engine_get.js";
import { words } from "../words/words.js";
import { complain, tell } from "./create_notice.js";
import { Extraction } from "./extracting.js";
import { mendingOf } from "./obstacles.js";

const PRINT_PIXELS = 56;
const MENDED = ["clip", "transcript"]; // steps that may mend a voice, by what is wrong with it

export class LearnStep {
  // ask(name, values): calls a handler of the studio. onMend(parameter): somebody wants to mend that of the voice. onLeaveOut: or to have
  // it without its words.
  // onSpeak(voice), onAnother: what the buttons ask; onTick: another engine is ticked. onLearned(voice): the engines have answered.
  constructor(element, { ask, onMend, onLeaveOut, onSpeak, onAnother, onTick, onLearned }) {
    this._ask = ask;
    this._onMend = onMend;
    this._onLeaveOut = onLeaveOut;
    this._onTick = onTick;
    this._onLearned = onLearned;
    this._find = (id) => element.querySelector(`#${id}`);
    this.rows = new Extraction(element, ask, () => onTick());
    this.made = null; // { voice, generation, print } of this visit
    this._find("mend-step").addEventListener("click", ({ target }) => onMend(target.dataset.parameter));
    this._find("speak-now").addEventListener("click", () => onSpeak(this.made.voice));
    this._find("create-another").addEventListener("click", onAnother);
  }

  showEngines(engines) {
    this.rows.show(engines);
    this.show();
  }

  // fields: all that the voice is made of. The same fields again extract only; others replace what this visit made.
  // Gives { voice } or { problem }; the engines learn it meanwhile, which `learn` waits for.
  async create(fields, replace) {
    const same = this.made && JSON.stringify(fields) === this._madeOf;
    const made = same ? this.made : await this._ask("create_voice", { ...fields, made: this.made?.generation ?? null, replace });
    if (made.problem) return made;
    this.made = made;
    this._showMade();
    return made;
  }

  // of: the fields as the studio knows them now.
  async learn(of) {
    const { voice } = this.made;
    this._madeOf = JSON.stringify(of);
    tell({ fact: words("create.stored", { voice }), hint: this.rows.ticked.length ? words("create.is_learning") : "" });
    const running = this.rows.run(voice);
    this.show();
    const outcome = await running;
    await this._onLearned(voice);
    await this._conclude(voice, outcome);
  }

  // Another voice comes.
  clear() {
    this.made = null;
    this._madeOf = null;
    this.rows.clear();
    for (const id of ["mend-step", "speak-now", "create-another"]) this._find(id).hidden = true;
    this._showMade();
    this.show();
  }

  show() {
    const button = this._find("create-button");
    const isRunning = this.rows.isRunning;
    button.disabled = !this.rows.isKnown;
    button.classList.toggle("primary", !this.made);
    button.textContent = words(isRunning ? "create.learning_now" : this.made ? "create.learn_again" : "create.create");
  }

  _showMade() {
    const { print, voice } = this.made ?? {};
    this._find("made-print").replaceChildren(...(print ? [printOf(print, PRINT_PIXELS)] : []));
    this._find("title-extract").textContent = voice ?? words("create.who_learns");
  }

  // What to say when all have answered. A voice that no engine can speak with leads to what mends it, and not to Speak.
  async _conclude(voice, { done, failed, problems }) {
    const { obstacle = null } = await this._ask("clip_incompatibility", { voice });
    const mended = MENDED.includes(obstacle?.parameter) ? obstacle.parameter : "";
    this._find("create-another").hidden = false;
    this._find("speak-now").hidden = Boolean(obstacle);
    this._find("speak-now").textContent = words("create.speak_with", { voice });
    this._find("mend-step").hidden = !mended;
    this._find("mend-step").textContent = mended && words(`create.mend_${mended}`);
    this._find("mend-step").dataset.parameter = mended;
    const [mend, leaveOut] = this._mendingActs(problems);
    if (obstacle) return complain({ fact: words("create.no_engine", { voice }), hint: obstacle.reason }, leaveOut);
    const [n, stored] = [done.length + failed.length, words("create.stored", { voice })];
    const learned = words("create.learned_count", { done: done.length, n });
    if (!n) return tell({ kind: "done", fact: stored, hint: words("create.learned_later") });
    if (!failed.length) return tell({ kind: "done", fact: words("create.learned_all", { voice }), hint: learned });
    const hint = `${learned} ${words(mend.length ? "create.learned_some" : "create.rows_say")}`;
    tell({ kind: done.length ? "care" : "problem", fact: stored, hint, acts: [...mend, ...leaveOut] });
  }

  // [the buttons that lead to what may be mended, those that do without it]
  _mendingActs(problems) {
    const mending = mendingOf(problems);
    if (!mending) return [[], problems.flatMap((problem) => gettingActs(problem, problem.engine, "create-message"))];
    const { parameter, isLeftOut } = mending;
    const mend = { words: words(`create.mend_${parameter}`), press: () => this._onMend(parameter) };
    const leave = { words: words("create.leave_words_out"), press: () => this._onLeaveOut() };
    return [[mend], isLeftOut ? [leave] : []];
  }
}
