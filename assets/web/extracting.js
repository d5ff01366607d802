// Step five: a row per engine, each learning the voice by itself. What one of them fails at, the others do not hear of.

import { make } from "./frame.js";

const LOOK_MILLISECONDS = 250;
const MENDED = { clip: "Mend the clip", transcript: "Mend the transcript" }; // steps that may mend a voice, by what is wrong with it
const UNDER_WAY = { waiting: "waiting", loading: "loading the engine", extracting: "extracting" };

const sizeOf = (bytes) => (bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

export class Extraction {
  // ask(name, values): the server's answer, or { problem }. onTick: told when a box was ticked; onMend(parameter): what is to be mended.
  constructor(element, ask, { onTick, onMend }) {
    [this._mend, this._speak, this._another] = ["mend-step", "speak-now", "create-another"].map((id) => element.querySelector(`#${id}`));
    this._mend.addEventListener("click", () => onMend(this._mend.dataset.parameter));
    this._list = element.querySelector("#extract-rows");
    this._status = element.querySelector("#extract-status");
    this._ask = ask;
    this._rows = new Map(); // by engine: { box, state, title }
    this._list.addEventListener("change", onTick);
    this.isRunning = false;
  }

  // engines: of the server's engine_rows. What was ticked stays ticked.
  show(engines) {
    if (this.isRunning) return;
    const before = this._rows;
    this._rows = new Map();
    this._list.replaceChildren(
      ...engines.map((engine) => {
        const id = `extract-${engine.engine}`;
        const usable = engine.fits && engine.state !== "unavailable";
        const was = before.get(engine.engine);
        const box = make("input", {
          type: "checkbox",
          id,
          disabled: !usable,
          checked: usable && (was ? was.wanted : (this._restored?.[engine.engine] ?? engine.wanted)),
        });
        const note = make("span", {
          className: "field-hint",
          id: `${id}-note`,
          textContent: usable ? engine.state_words : engine.fits ? engine.reason : engine.note,
        });
        const state = make("span", { className: "extract-state" });
        box.setAttribute("aria-describedby", note.id);
        const row = { box, state, title: engine.title, wanted: usable ? box.checked : engine.wanted };
        box.addEventListener("change", () => {
          row.wanted = box.checked;
        });
        if (was?.state.dataset.state) this._say(row, was.state.dataset.state, was.state.textContent);
        this._rows.set(engine.engine, row);
        return make("li", {}, make("label", { htmlFor: id }, box, make("strong", { textContent: engine.title })), note, state);
      }),
    );
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
      row.box.checked = row.wanted = wanted[engine];
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
    for (const { state } of this._rows.values()) {
      state.textContent = "";
      delete state.dataset.state;
    }
    for (const button of [this._mend, this._speak, this._another]) button.hidden = true;
  }

  // What to say when all have answered. A voice that no engine can speak with leads to what mends it, and not to Speak.
  async conclude(voice, { done, failed }) {
    const { fact = "", hint = "", parameter = "" } = await this._ask("voice_obstacle", { voice });
    this._another.hidden = false;
    this._speak.hidden = Boolean(fact);
    this._mend.hidden = !MENDED[parameter];
    this._mend.textContent = MENDED[parameter] ?? "";
    this._mend.dataset.parameter = parameter;
    if (fact) return { kind: "problem", fact, hint };
    const learned = `${done.length} of ${done.length + failed.length} engines learned it.`;
    if (!done.length && !failed.length) return { kind: "done", fact: `${voice} is stored.`, hint: "It is learned at its first run." };
    if (!failed.length) return { kind: "done", fact: `${voice} is ready.`, hint: learned };
    const why = `${learned} The rows say why; the voice is stored, and you may mend a step and extract again.`;
    return { kind: done.length ? "note" : "problem", fact: `${voice} is stored.`, hint: why };
  }

  // Resolves when every ticked engine has answered: { done, failed }, lists of engines.
  async run(voice) {
    const engines = this.ticked;
    this.isRunning = true;
    this._waiting = new Set(engines);
    for (const { box } of this._rows.values()) box.disabled = true;
    for (const engine of engines) this._say(this._rows.get(engine), "waiting", UNDER_WAY.waiting);
    const looking = this._look(voice);
    const outcomes = await Promise.all(engines.map((engine) => this._extract(voice, engine)));
    this.isRunning = false;
    await looking;
    return { done: engines.filter((_, index) => outcomes[index]), failed: engines.filter((_, index) => !outcomes[index]) };
  }

  async _extract(voice, engine) {
    const answer = await this._ask("extract_voice", { voice, engine });
    this._waiting.delete(engine);
    const row = this._rows.get(engine);
    if (answer.problem) this._say(row, "failed", `failed: ${answer.problem.fact} ${answer.problem.hint}`);
    else if (answer.bytes) this._say(row, "stored", `stored, ${sizeOf(answer.bytes)} in ${answer.milliseconds} ms`);
    else this._say(row, "stored", `learned in ${answer.milliseconds} ms, in memory only: the disk of the studio took no file`);
    this._status.textContent = `${row.title}: ${row.state.textContent}`;
    return !answer.problem;
  }

  async _look(voice) {
    while (this.isRunning) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
      if (!this._waiting.size) continue;
      const { states = {} } = await this._ask("extraction_states", { voice });
      for (const engine of this._waiting)
        this._say(this._rows.get(engine), states[engine] ?? "waiting", UNDER_WAY[states[engine]] ?? "waiting");
    }
  }

  _say({ state }, name, words) {
    state.dataset.state = name;
    state.textContent = words;
  }
}
