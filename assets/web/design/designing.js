// Describe a voice: the way of Create voice that needs no recording. An engine that designs is told who is to speak; one that blends is given
// shares of its built-in voices. Three candidates are heard, and one is kept.

import { choice } from "../choice/choice.js";
import { showMore } from "../choice/engines_here.js";
import { languageName } from "../choice/language.js";
import { WordChips } from "../choice/word_chips.js";
import { exampleOf } from "../choice/word_list.js";
import { complain, tell } from "../create/create_notice.js";
import { make, onMount } from "../kit/frame.js";
import { called } from "../transport/server_call.js";
import { number, language as reader, words } from "../words/words.js";
import { drawSeeds, formulaOf, sharesOf, surprises, textIn, voicesOf } from "./blend.js";
import { Candidate } from "./candidate.js";
import { Keeping } from "./keeping.js";
import { Mixer } from "./mixer.js";

const WAYS = ["record", "describe"];
const line = { tell, complain };

class Designing {
  constructor({ element, trigger, server }) {
    this._find = (id) => element.querySelector(`#${id}`);
    this._section = element.closest(".section");
    this._trigger = trigger;
    this._ask = (name, asked) => called(server, name, asked, "E-NET-1");
    this._known = { engines: [], could: [], texts: {}, limits: {} };
    this._mixer = new Mixer(this._find("design-mix-rows"), this._find("design-mix-add"), () => this._showMix());
    this._keeping = new Keeping(this._find("design-keep"), { ask: this._ask, onKept: (made) => this._kept(made) });
    for (const way of WAYS) this._find(`create-way-${way}`).addEventListener("click", () => this.open(way));
    this._find("design-engine").addEventListener("change", () => this._showEngine());
    this._find("design-language").addEventListener("change", () => this._showLanguage());
    this._find("design-draw").addEventListener("click", () => this._draw());
    this._find("design-words").addEventListener("input", () => this._showDraw());
    this._find("design-text").addEventListener("input", () => this._textChanged());
    document.addEventListener("studio-choice", () => this._enginesChanged());
  }

  /** way: "record" or "describe". */
  open(way) {
    this._section.dataset.way = way;
    for (const other of WAYS) this._find(`create-way-${other}`).setAttribute("aria-pressed", String(other === way));
    this._find("design").hidden = way !== "describe";
    if (way === "describe") this._look();
  }

  get _engine() {
    return this._known.engines.find(({ id }) => id === this._find("design-engine").value) ?? null;
  }

  get _isOpen() {
    return !this._find("design").hidden;
  }

  // Engines are others, or stand otherwise.
  _enginesChanged() {
    const now = JSON.stringify(choice.known.engines?.map(({ id, state }) => [id, state]));
    if (now === this._seen) return;
    this._seen = now;
    if (this._isOpen) this._look();
  }

  async _look() {
    const known = await this._ask("design_engines", {});
    if (known.problem) return complain(known.problem);
    const isSame = JSON.stringify(known) === JSON.stringify(this._known);
    this._known = known;
    if (!isSame) this._show();
  }

  _show() {
    const { engines, could, limits } = this._known;
    const select = this._find("design-engine");
    const before = select.value;
    select.replaceChildren(...engines.map(({ id, title }) => make("option", { value: id, textContent: title })));
    if (engines.some(({ id }) => id === before)) select.value = before;
    this._find("design-engine-field").hidden = engines.length < 2;
    this._find("design-fields").hidden = !engines.length;
    this._find("design-nobody").hidden = engines.length > 0;
    this._find("design-nobody").textContent = words(could.length ? "design.none_here" : "design.nobody");
    showMore(this._find("design-more"), could);
    this._find("design-text").maxLength = limits.script_characters;
    this._keeping.limit(limits.name_bytes);
    if (engines.length) this._showEngine();
  }

  _showEngine() {
    const { title, instructions } = this._engine;
    const { instructions: known } = this._shown ?? {};
    this._find("design-about").textContent = words(instructions ? "design.about_description" : "design.about_blend", { engine: title });
    this._find("design-description").hidden = !instructions;
    this._find("design-mix").hidden = Boolean(instructions);
    this._find("design-draw").textContent = words(instructions ? "design.three" : "design.surprise");
    if (instructions && instructions !== known) this._showWords(instructions);
    this._shown = { instructions };
    this._showLanguages();
    this._showCandidates([]);
  }

  // How a voice is described to the engine.
  _showWords({ most_characters: most, suggestions }) {
    const field = this._find("design-words");
    field.maxLength = most;
    field.placeholder = exampleOf(suggestions) || words("design.example");
    this._find("design-chips").replaceChildren(...(suggestions.length ? [new WordChips(field, suggestions).element] : []));
  }

  // Of an engine that blends those of its voices; else those of which there is a text to say, and that the engine hears for itself.
  _showLanguages() {
    const { instructions, presets, languages } = this._engine;
    const select = this._find("design-language");
    const before = select.value;
    const codes = instructions
      ? ["", ...Object.keys(this._known.texts).filter((code) => languages.includes(code))]
      : [...new Set(presets.map(({ language }) => language))].filter((code) => languages.includes(code));
    const named = (value) => (value ? languageName(value) : words("design.any_language"));
    select.replaceChildren(...codes.map((value) => make("option", { value, textContent: named(value) })));
    const own = codes.find((code) => code.split("-")[0] === reader);
    select.value = codes.includes(before) && before ? before : (own ?? codes[0] ?? "");
    this._find("design-language-field").hidden = codes.length < 2;
    this._showLanguage();
  }

  // The text of the language stands there until somebody writes another.
  _showLanguage() {
    const field = this._find("design-text");
    const { value: language } = this._find("design-language");
    const isOurs = !field.value || Object.values(this._known.texts).includes(field.value);
    if (isOurs) field.value = textIn(this._known.texts, language || reader) || textIn(this._known.texts, "en");
    field.lang = language;
    if (!this._engine.instructions) this._mixer.show(this._engine.presets, language);
    this._textChanged();
  }

  _textChanged() {
    this._showDraw();
    this._showMix();
  }

  get _entered() {
    const [language, text] = ["design-language", "design-text"].map((id) => this._find(id).value.trim());
    return { engine: this._engine.id, language, text };
  }

  _showDraw() {
    if (!this._engine) return;
    const { instructions } = this._engine;
    const field = this._find("design-words");
    const isDescribed = !instructions || field.value.trim();
    this._find("design-draw").disabled = !isDescribed || !this._find("design-text").value.trim();
    if (!instructions) return;
    const [n, most] = [field.value.length, instructions.most_characters];
    this._find("design-count").textContent = words("design.characters", { n, most });
  }

  // --- candidates

  // What the sliders say: the first candidate, and another one with each move.
  _showMix() {
    const engine = this._engine;
    if (!engine || engine.instructions) return undefined;
    const { parts } = this._mixer;
    const asked = { blend: formulaOf(parts), seed: null };
    if (this._ownOf === engine) return this._own.become({ ...this._entered, ...asked }, blendWords(parts));
    this._ownOf = engine;
    this._own = this._candidateOf(asked, words("design.own_blend"), blendWords(parts), []);
    return this._find("design-own").replaceChildren(this._own.element);
  }

  _draw() {
    const { instructions, presets, most_seed: most } = this._engine;
    if (instructions) {
      const description = this._find("design-words").value.trim();
      const seeds = drawSeeds(most);
      return this._showCandidates(seeds.map((seed, at) => this._described(description, seed, at + 1)));
    }
    const blends = surprises(voicesOf(presets, this._find("design-language").value));
    return this._showCandidates(blends.map((parts, at) => this._blended(parts, at + 1)));
  }

  _described(description, seed, n) {
    const told = words("design.seed", { seed: number(seed) });
    return this._candidateOf({ description, seed }, words("design.candidate", { n }), told, []);
  }

  _blended(parts, n) {
    const label = words("design.candidate", { n });
    const adjust = make("button", { type: "button", className: "button small quiet", textContent: words("design.adjust") });
    adjust.setAttribute("aria-label", words("design.adjust_this", { candidate: label }));
    adjust.addEventListener("click", () => this._mixer.take(parts));
    return this._candidateOf({ blend: formulaOf(parts), seed: null }, label, blendWords(parts), [adjust]);
  }

  _candidateOf(asked, label, told, acts) {
    const { title, sample_rate: rate } = this._engine;
    const about = { title, rate };
    const onKeep = (candidate) => this._keep(candidate);
    return new Candidate({ ...this._entered, ...asked }, { about, label, told, line, onKeep, acts });
  }

  _showCandidates(candidates) {
    this._find("design-candidates").replaceChildren(...candidates.map(({ element }) => element));
    this._find("design-candidates").hidden = !candidates.length;
    this._find("design-said").textContent = candidates.length ? words("design.drawn", { n: candidates.length }) : "";
  }

  _keep(candidate) {
    const { title: engine } = this._engine;
    this._keeping.open(candidate, words(candidate.asked.blend ? "design.kept_blend" : "design.kept_description", { engine }));
  }

  _kept({ voice }) {
    this._trigger("created", { voice });
    const speak = { words: words("create.speak_with", { voice }), press: () => this._trigger("speak", { voice }) };
    tell({ kind: "done", fact: words("design.done", { voice }), hint: words("design.done_hint"), acts: [speak] });
  }
}

// Such as "af_bella 60 % · af_sky 40 %".
function blendWords(parts) {
  const shares = sharesOf(parts);
  return parts.map(({ name }, at) => words("design.part", { voice: name, n: shares[at] })).join(" · ");
}

onMount("designing", (tools) => new Designing(tools));
