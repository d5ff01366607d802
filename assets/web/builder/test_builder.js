// The builder: a draft of a listening test, kept at the studio as it is made.

import { choice } from "../choice/choice.js";
import { hereOf, showMore } from "../choice/engines_here.js";
import { languageName } from "../choice/language.js";
import { make } from "../kit/frame.js";
import { clipSound } from "../sound/clip_sound.js";
import { words } from "../words/words.js";
import { TestKeeper } from "./test_keeper.js";
import { labelled, unlabelled } from "./test_labels.js";
import {
  anchorsOf,
  isPaired,
  keyOfMethod,
  LIKE,
  METHODS_ASKED,
  MORE_METHODS,
  questionsOf,
  referencesOf,
  takesScales,
  usualAnchors,
  usualAttention,
  usualRepeats,
} from "./test_methods.js";
import { besides, firstEngine } from "./test_pair.js";
import { TestPeople } from "./test_people.js";
import { TestReference } from "./test_reference.js";
import { isScale, TestScales } from "./test_scales.js";
import { TestScreeningRules } from "./test_screening_rules.js";
import { TestSide } from "./test_side.js";
import { selectOption, TestSystems } from "./test_systems.js";

const NAMES = "abcdefghijklmnopqrstuvwxyz";
const ENDING = /\.[^.]+$/;

export class TestBuilder {
  // part(id): an element of the tab. refuse(problem) says it. leave(): back to the list. kept(test): the studio has it. frozen(test): it is open now.
  constructor({ part, ask, refuse, leave, kept, frozen }) {
    this._part = part;
    this._ask = ask;
    this._refuse = refuse;
    this._told = kept;
    this._frozen = frozen;
    this._known = null;
    this._plan = null;
    this._test = null;
    this._keeper = new TestKeeper({
      ask,
      plan: () => this._planToKeep(),
      kept: (test) => this._kept(test),
      refused: (problem) => this._notKept(problem),
    });
    this._systems = new TestSystems(part("builder-systems"), {
      change: (systems) => this._change({ systems }),
      takeFiles: (...given) => this._takeFiles(...given),
      texts: () => this._plan?.texts ?? [],
      has: (system, text) => this._has(system, text),
    });
    const more = { change: (values) => this._change(values), takeFiles: (...given) => this._takeFiles(...given) };
    this._reference = new TestReference({ part, has: (system, text) => this._has(system, text), ...more });
    this._people = new TestPeople(part("builder-people"), more.change);
    this._screening = new TestScreeningRules({ part, ...more });
    this._scales = new TestScales({ part, ...more });
    this._side = new TestSide({ part, ...more, act: (act) => this._act(act), mend: (mend) => this._mend(mend) });
    this._wire(leave);
  }

  /** A new draft with what is known of its plan. Gives the problem that stood in the way, if one did. */
  async begin(plan) {
    await this.settled();
    const problem = await this._learn();
    if (problem) return problem;
    const method = plan.method ?? "ab";
    const systems = plan.systems?.length ? plan.systems.map((system) => ({ ...this._blank(), ...system })) : this._usualSystems();
    this._start({ ...this._known.plan, name: "", method, ...usualOf(method), ...plan, systems }, null);
    this._part("builder-saved").textContent = words("tests.draft");
    if (Object.keys(plan).length) this._change({});
    return null;
  }

  /** A draft of the studio. */
  async open(test) {
    await this.settled();
    const problem = await this._learn();
    if (problem) return problem;
    const name = test.plan.name === words("tests.unnamed") ? "" : test.plan.name;
    this._start({ ...test.plan, name, systems: unlabelled(test.plan.systems, this._known) }, test);
    this._sayKept(false);
    return null;
  }

  /** The studio has what was changed, where it takes that. */
  async settled() {
    if (this._plan) await this._keeper.settled();
  }

  /** How far its sounds are by now. */
  async look() {
    if (!this._keeper.id || this._keeper.isUnderWay || !(this._test?.progress.is_running || this._test?.is_hearing)) return;
    const { problem, test } = await this._ask("show_test", { id: this._keeper.id });
    if (!problem && test.id === this._keeper.id) this._showTest(test);
  }

  async _learn() {
    const { problem, ...known } = await this._ask("draft_choices", {});
    if (problem) return problem;
    this._known = known;
    return null;
  }

  _start(plan, test) {
    this._plan = plan;
    this._test = test;
    this._keeper.begin(test?.id ?? "");
    this._isRepeatedByHand = plan.repeats !== usualRepeats(plan) && plan.repeats !== 1;
    const { gold, traps } = usualAttention(plan);
    this._isAttendedByHand = plan.gold !== gold || plan.traps !== traps;
    this._part("builder-name").value = plan.name;
    this._part("builder-name").maxLength = this._known.limits.name_characters;
    this._part("builder-texts").value = plan.texts.join("\n");
    const preset = this._part("builder-preset");
    const languages = Object.keys(this._known.texts).map((code) => selectOption(code, languageName(code)));
    preset.replaceChildren(selectOption("", words("tests.presets")), ...languages);
    this._people.begin();
    this._show();
    this._side.begin();
    if (test) this._showTest(test);
  }

  // --- what is changed

  _wire(leave) {
    const on = (id, event, hear) => this._part(id).addEventListener(event, hear);
    on("builder-back", "click", async () => {
      await this.settled();
      leave();
    });
    on("builder-name", "input", ({ target }) => this._change({ name: target.value }));
    on("builder-kinds", "click", ({ target }) => this._choose(target.closest("button")?.dataset.method));
    on("builder-further-kinds", "click", ({ target }) => this._choose(target.closest("button")?.dataset.method));
    on("builder-many", "click", ({ target }) => this._choose(target.closest("button")?.dataset.method));
    on("builder-add", "click", () => this._add({}));
    on("builder-add-files", "click", () => this._add({ source: "files", voice: null, engine: null }));
    on("builder-texts", "input", ({ target }) => this._change({ texts: textsOf(target.value) }));
    on("builder-preset", "change", ({ target }) => this._fill(target));
  }

  _change(values) {
    const plan = { ...this._plan, ...values };
    if (values.repeats !== undefined) this._isRepeatedByHand = true;
    if (!this._isRepeatedByHand) plan.repeats = usualRepeats(plan);
    if (values.gold !== undefined || values.traps !== undefined) this._isAttendedByHand = true;
    if (!this._isAttendedByHand) Object.assign(plan, usualAttention(plan));
    const named = plan.reference?.system;
    if (named && !plan.systems.some(({ id }) => id === named)) plan.reference = { ...plan.reference, system: plan.systems[0]?.id ?? null };
    this._plan = plan;
    this._show();
    if (this._problems().length) return this._part("builder-saved").replaceChildren(words("tests.not_saved"));
    this._sayKept(true);
    return this._keeper.keepSoon();
  }

  _planToKeep() {
    const { name, systems } = this._plan;
    return { ...this._plan, name: name.trim() || words("tests.unnamed"), systems: labelled(systems, this._known) };
  }

  _choose(method) {
    if (!method || method === this._plan.method) return;
    const fits = this._plan.anchors.filter((anchor) => anchorsOf(method).includes(anchor));
    const usual = usualOf(method);
    const scales = takesScales(method) ? this._plan.scales : [];
    // A margin is in points of the method.
    this._change({ method, ...usual, scales, anchors: fits.length ? fits : usual.anchors, margin: null });
  }

  _add(values) {
    const taken = new Set(this._plan.systems.map(({ id }) => id));
    const id = [...NAMES].find((letter) => !taken.has(letter)) ?? `s${Date.now() % 1e6}`;
    this._change({ systems: [...this._plan.systems, { ...this._blank(), ...this._usualSystem(), id, ...values }] });
  }

  _fill(select) {
    const texts = this._known.texts[select.value];
    if (!texts) return;
    this._part("builder-texts").value = texts.join("\n");
    this._change({ texts, language: select.value });
    select.value = "";
  }

  _blank() {
    return { label: "", source: "speech", voice: null, engine: null, seed: null, options: {}, cold: false };
  }

  _usualSystem(engine = choice.engine ?? this._known.engine) {
    const known = firstEngine(hereOf(this._known.engines), [engine, this._known.engine]);
    const last = this._plan?.systems.findLast(({ voice }) => voice)?.voice;
    const voice = [last, choice.voice].find((name) => known?.voices.includes(name)) ?? known?.voices[0] ?? null;
    return { voice, engine: known?.id ?? null };
  }

  _usualSystems() {
    this._plan = null;
    const first = this._usualSystem();
    return [first, besides(first, hereOf(this._known.engines))].map((system, at) => ({ ...this._blank(), ...system, id: NAMES[at] }));
  }

  // --- files

  _has(system, text) {
    return (this._test?.uploads ?? []).some(([name, number]) => name === system && number === text);
  }

  // One after the other, for the texts from `first` on. Without texts each file is one, and called like it.
  async _takeFiles(system, files, first) {
    if (!files.length) return this._refuse({ fact: words("tests.no_sounds"), hint: words("tests.sound_kinds"), code: "", values: {} });
    if (!this._plan.texts.length) {
      this._part("builder-texts").value = files.map(({ name }) => name.replace(ENDING, "")).join("\n");
      this._change({ texts: textsOf(this._part("builder-texts").value) });
    }
    const most = this._known.limits.sent_bytes;
    const large = files.find(({ size }) => size > most);
    if (large) return this._refuse({ code: "audio_too_large", values: { size_bytes: large.size, most_bytes: most } });
    const id = await this._keeper.known();
    if (!id) return undefined;
    for (const [at, file] of files.slice(0, this._plan.texts.length - first).entries()) {
      const sent = await clipSound.sent(file);
      const { problem, test } = await this._ask("take_test_sound", { id, system, text: first + at, sent });
      if (problem) return this._refuse({ ...problem, hint: [file.name, problem.hint].filter(Boolean).join(": ") });
      this._showTest(test);
    }
    return undefined;
  }

  // --- what is asked of the studio

  _kept(test) {
    this._told(test);
    this._showTest(test);
    this._sayKept(false);
  }

  _notKept(problem) {
    this._part("builder-saved").textContent = words("tests.not_saved");
    this._refuse(problem);
  }

  async _act(act) {
    const id = await this._keeper.known();
    if (!id) return;
    this._side.isAsked = true;
    const { problem, test } = await this._ask("act_on_test", { id, act });
    this._side.isAsked = false;
    if (problem) this._refuse(problem);
    if (problem && this._test) this._side.showTest(this._test);
    if (test?.state === "open") return this._frozen(test);
    if (test) this._showTest(test);
  }

  // patch: fields of the plan as the studio has them; names of systems stay as somebody gave them here.
  async _mend({ patch, remakes }) {
    const labels = new Map(this._plan.systems.map(({ id, label }) => [id, label]));
    const values = { ...patch };
    if (patch.systems) values.systems = patch.systems.map((system) => ({ ...system, label: labels.get(system.id) ?? "" }));
    if (patch.texts) this._part("builder-texts").value = patch.texts.join("\n");
    if (Object.keys(values).length) this._change(values);
    if (remakes) await this._act("render");
  }

  // --- what is shown

  _sayKept(isUnderWay) {
    this._part("builder-saved").textContent = words(isUnderWay ? "tests.saving" : "tests.saved");
  }

  _showTest(test) {
    this._test = test;
    this._systems.showMade(test.made);
    this._reference.showMade();
    this._side.showTest(test);
  }

  _show() {
    const { method, systems, texts, repeats } = this._plan;
    const card = method === LIKE ? "mushra" : method;
    const kinds = this._part("builder-kinds");
    const further = this._part("builder-further-kinds");
    if (!kinds.children.length) kinds.replaceChildren(...METHODS_ASKED.map(cardOf));
    if (!further.children.length) further.replaceChildren(...MORE_METHODS.map(cardOf));
    if (MORE_METHODS.includes(method)) this._part("builder-more-kinds").open = true;
    for (const one of [...kinds.children, ...further.children]) one.setAttribute("aria-pressed", String(one.dataset.method === card));
    for (const one of this._part("builder-many").children) one.setAttribute("aria-pressed", String(one.dataset.method === method));
    for (const id of ["builder-many", "builder-many-about"]) this._part(id).hidden = card !== "mushra";
    this._part("builder-many-about").textContent = words(method === LIKE ? "tests.many_without_about" : "tests.many_with_about");
    this._part("builder-between").textContent = words(`tests.${betweenOf(method, systems.length)}`);
    this._systems.show(systems, this._known, this._test?.made ?? {});
    showMore(this._part("builder-others"), this._known.engines);
    const questions = questionsOf(this._plan);
    const note = method.startsWith("mushra") ? "tests.texts_pages" : "tests.texts_questions";
    this._part("builder-texts-note").textContent = words(note, { n: texts.length, repeats, questions });
    const called = new Map(labelled(systems, this._known).map(({ id, label }) => [id, label]));
    this._reference.show(this._plan, { ...this._known, title: ({ id }) => called.get(id) });
    this._people.show(this._plan);
    this._scales.show(this._plan, this._known.limits);
    this._side.show(this._plan, this._known);
    this._screening.show(this._plan, this._known.plan.screening);
    this._showProblems();
  }

  // What the studio would refuse: {at, key, values}.
  _problems() {
    const { texts, systems, anchors, reference, scales } = this._plan;
    const { texts: most, text_characters: mostCharacters, signals: mostSignals, points: mostPoints } = this._known.limits;
    const long = texts.find(({ length }) => length > mostCharacters);
    const signals = systems.length + anchors.length + (reference ? 1 : 0);
    return [
      texts.length > most && { at: "texts", key: "problem_texts", values: { n: texts.length, most } },
      long && { at: "texts", key: "problem_long_text", values: { n: long.length, most: mostCharacters, text: long.slice(0, 40) } },
      !scales.every((scale) => isScale(scale, mostPoints)) && { at: "scales", key: "problem_scales", values: { most: mostPoints } },
      signals > mostSignals && { at: "systems", key: "problem_signals", values: { n: signals, most: mostSignals } },
    ].filter(Boolean);
  }

  _showProblems() {
    const problems = this._problems();
    for (const at of ["texts", "systems", "scales"]) {
      const found = problems.find((one) => one.at === at);
      this._part(`builder-${at}-problem`).textContent = found ? words(`tests.${found.key}`, found.values) : "";
    }
    this._part("builder-texts").setAttribute("aria-invalid", String(problems.some(({ at }) => at === "texts")));
  }
}

const betweenOf = (method, n) => (isPaired(method) && n < 3 ? "between_two" : n === 1 ? "between_one" : "between_many");

// What a method begins with.
function usualOf(method) {
  const [source] = referencesOf(method);
  return { reference: source ? { source, system: null, voice: null } : null, anchors: usualAnchors(method) };
}

function cardOf(method) {
  const question = make("b", { textContent: words(`tests.ask_${keyOfMethod(method)}`) });
  const about = make("span", { textContent: words(`tests.about_${keyOfMethod(method)}`) });
  const card = make("button", { type: "button", className: "test-kind" }, question, about);
  card.dataset.method = method;
  return card;
}

const textsOf = (value) =>
  value
    .split("\n")
    .map((line) => line.split(/\s+/).filter(Boolean).join(" "))
    .filter(Boolean);
