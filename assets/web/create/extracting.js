// Step five: a row per engine, each learning the voice by itself. What one of them fails at, the others do not hear of.

import { showMore } from "../choice/engines_here.js";
import { chip, showState } from "../drawings/states.js";
import { make } from "../kit/frame.js";
import { milliseconds, words } from "../words/words.js";
import { saidOf } from "./create_notice.js";

const LOOK_MILLISECONDS = 250;
const LEARNING_LOOK_MILLISECONDS = 2_000; // while what was learned gets more alike
const UNDER_WAY = { waiting: "none", loading: "learning", extracting: "learning" }; // the chip's state, by what the studio says
const USABLE = ["as_it_is", "better_shorter"];

export class Extraction {
  // ask(name, values): the server's answer, or { problem }. onTick: told when a box was ticked.
  constructor(element, ask, onTick) {
    this._list = element.querySelector("#extract-rows");
    this._more = element.querySelector("#extract-more");
    this._status = element.querySelector("#extract-status");
    this._ask = ask;
    this._rows = new Map(); // by engine: { box, note, state, title, wanted, kept }
    this._followed = null; // the voice that gets more alike
    this._list.addEventListener("change", onTick);
    this.isRunning = false;
  }

  // engines: of the server's engine_rows; of those that are not here the rows alone of which something is said. What was ticked stays ticked,
  // and how it went stays said.
  show(engines) {
    if (this.isRunning) return;
    const before = this._rows;
    const shown = engines.filter(({ engine, is_here: isHere }) => isHere || before.get(engine)?.state.dataset.state);
    showMore(this._more, engines);
    this._rows = new Map(shown.map((engine) => [engine.engine, this._row(engine, before.get(engine.engine))]));
    const focused = this._list.contains(document.activeElement) ? document.activeElement.id : "";
    this._list.replaceChildren(...[...this._rows.values()].map(({ line }) => line));
    if (focused) document.getElementById(focused)?.focus(); // whoever works by keyboard goes on at the same box
  }

  // Which engines shall learn it, as far as somebody could say: { engine: whether }.
  get wanted() {
    return Object.fromEntries([...this._rows].map(([engine, { wanted }]) => [engine, wanted]));
  }

  // The same of a draft. Engines that have come meanwhile are ticked anew.
  restore(wanted) {
    this._restored = wanted;
    for (const [engine, row] of this._rows) {
      if (row.box.disabled || wanted?.[engine] === undefined) continue;
      row.box.checked = wanted[engine];
      row.wanted = wanted[engine];
    }
  }

  // Whether the engines have come; before that nobody can have ticked one.
  get isKnown() {
    return this._rows.size > 0;
  }

  get ticked() {
    return [...this._rows].filter(([, { box }]) => box.checked).map(([engine]) => engine);
  }

  // Forgets how it went: another voice comes.
  clear() {
    this._followed = null;
    for (const row of this._rows.values()) {
      row.kept = "";
      this._say(row, "", "", row.usual);
    }
  }

  // Resolves when every ticked engine has answered: { done, failed }, lists of engines; problems: of those that failed, each with its engine.
  async run(voice) {
    const engines = this.ticked;
    this.isRunning = true;
    this._waiting = new Set(engines);
    for (const { box } of this._rows.values()) box.disabled = true;
    for (const engine of engines) this._sayUnderWay(engine, "waiting");
    const looking = this._look(voice);
    const problems = await Promise.all(engines.map((engine) => this._extract(voice, engine)));
    this.isRunning = false;
    await looking;
    this._follow(voice);
    const failed = engines.filter((_, index) => problems[index]);
    return { done: engines.filter((_, index) => !problems[index]), failed, problems: problems.filter(Boolean) };
  }

  _row({ engine, title, is_here: isHere, fit, values, state, wanted }, was) {
    const id = `extract-${engine}`;
    const usable = isHere && USABLE.includes(fit);
    const usual = fit === "as_it_is" ? words(`create.engine_${state}`) : words(`create.fit_${fit}`, values);
    const checked = usable && (was ? was.wanted : (this._restored?.[engine] ?? wanted));
    const box = make("input", { type: "checkbox", id, disabled: !usable, checked });
    const note = make("span", { className: "note", id: `${id}-note`, textContent: usual });
    box.setAttribute("aria-describedby", note.id);
    const label = make("label", { className: "check", htmlFor: id }, box, make("strong", { textContent: title }));
    const shown = chip("", "");
    shown.classList.add("extract-state");
    const row = { box, note, state: shown, title, usual, wanted: usable ? checked : wanted, kept: was?.kept ?? "" };
    box.addEventListener("change", () => {
      row.wanted = box.checked;
    });
    row.line = make("li", { className: "engine-row" }, label, note, shown);
    this._say(row, was?.state.dataset.state ?? "", was?.state.textContent ?? "", was?.state.dataset.state ? was.note.textContent : usual);
    return row;
  }

  // Resolves to the problem with its engine, undefined where there is none.
  async _extract(voice, engine) {
    const { problem, bytes, milliseconds: took } = await this._ask("extract_voice", { voice, engine });
    this._waiting.delete(engine);
    const row = this._rows.get(engine);
    if (problem) {
      const { fact, hint } = saidOf(problem);
      this._say(row, "failed", words("create.row_failed"), `${fact} ${hint}`.trim());
    } else {
      row.kept = bytes ? words("create.row_size", { size: bytes }) : words("create.row_memory_only");
      this._say(row, "memory", words("create.row_ready", { time: milliseconds(took) }), row.kept);
    }
    this._status.textContent = words("create.row_said", { engine: row.title, state: `${row.state.textContent}. ${row.note.textContent}` });
    return problem && { ...problem, engine };
  }

  async _look(voice) {
    while (this.isRunning) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
      if (!this._waiting.size) continue;
      const { states = {} } = await this._ask("extraction_states", { voice });
      for (const engine of this._waiting) this._sayUnderWay(engine, states[engine] ?? "waiting");
    }
  }

  // Says how alike the voice is by now, until no engine gets it more alike. Whoever cannot see it asks nothing.
  async _follow(voice) {
    this._followed = voice;
    for (let goesOn = true; goesOn; ) {
      const { learning = {} } = document.hidden ? {} : await this._ask("extraction_states", { voice });
      if (this._followed !== voice || this.isRunning) return;
      for (const [engine, one] of Object.entries(learning)) this._sayLearning(this._rows.get(engine), one);
      goesOn = document.hidden || Object.values(learning).some(({ goes_on: one }) => one);
      if (goesOn) await new Promise((resolve) => setTimeout(resolve, LEARNING_LOOK_MILLISECONDS));
    }
  }

  _sayLearning(row, { said, goes_on: goesOn }) {
    if (!row?.kept || !said) return;
    this._say(row, goesOn ? "refining" : "memory", row.state.textContent, [row.kept, said].join(". "));
  }

  _sayUnderWay(engine, name) {
    const row = this._rows.get(engine);
    this._say(row, UNDER_WAY[name] ?? "none", words(`create.row_${name in UNDER_WAY ? name : "waiting"}`), row.usual);
  }

  _say({ state, note }, name, word, about) {
    state.hidden = !name;
    showState(state, name, word);
    note.textContent = about;
  }
}
