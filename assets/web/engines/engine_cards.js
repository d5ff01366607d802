// The engines: a row each, with one verb, that opens to what the engine is; first those that can speak, then those that may be got, as rows to
// compare. Parts are changed in place, so that focus outlives an update.

import { engineRowId, moreWords } from "../choice/engines_here.js";
import { shape } from "../drawings/states.js";
import { copyText } from "../kit/clipboard.js";
import { definitions } from "../kit/definitions.js";
import { make, onMount } from "../kit/frame.js";
import { ask } from "../kit/library.js";
import { say, sayDone } from "../kit/notices.js";
import { shownChanges } from "../kit/shown.js";
import { words } from "../words/words.js";
import { factsOf } from "./engine_facts.js";
import { engineWords } from "./engine_line.js";
import { stillHolds } from "./engine_note.js";
import { offerLines } from "./engine_offer.js";
import { releaseParts } from "./engine_releases.js";
import { termsLine, termsToAccept } from "./terms.js";

const LINE = "engines-message";

class EngineRow {
  // tell({ engine, verb }): asks for what a button says.
  constructor(id, tell) {
    this._id = id;
    this._tell = tell;
    this._name = make("button", { type: "button", className: "engine-name", onclick: () => this._open(this._more.hidden) });
    this._state = make("span", { className: "engine-state" });
    this._line = make("span");
    this._verb = make("button", { type: "button", className: "button small engine-verb", onclick: () => this._press(this._card.verb[0]) });
    this._bar = make("progress", { className: "engine-progress", max: 1 });
    this._summary = make("p");
    this._facts = make("dl", { className: "pairs" });
    this._command = make("code", { className: "engine-command" });
    this._report = copyButton("copy-report", words("engines.copy_report"), () => copy(this._card.report, words("engines.report_copied")));
    this._about = make("p", { className: "note" }, this._state, " ", this._line);
    this._terms = make("p", { className: "note engine-terms" });
    this._offer = make("dl", { className: "engine-offer" });
    this._traces = make("p", { className: "note engine-traces", hidden: true }, shape("care"), words("engines.leaves_traces"));
    this._releases = make("div", { className: "engine-releases", role: "group" });
    const below = [this._offer, this._releases, this._terms, this._traces, this._bar];
    this._row = make("div", { className: "engine-row" }, make("h3", {}, this._name), this._about, this._verb, ...below);
    this._more = this._folded();
    this.element = make("li", { className: "engine", id: engineRowId(id) }, this._row, this._more);
    this._name.setAttribute("aria-controls", this._more.id);
    this._bar.setAttribute("aria-label", words("engines.download"));
    this._state.setAttribute("role", "status"); // read out when it changes; how busy the engine is would be read out all the time
    this._open(false);
  }

  _folded() {
    const press = () => copy(this._card.command, words("engines.command_copied"));
    this._elsewhere = make("p", { className: "engine-elsewhere", textContent: words("engines.elsewhere") });
    this._elsewhere.append(this._command, copyButton("copy-command", words("engines.copy"), press));
    const parts = [this._summary, this._facts, this._elsewhere, this._report];
    return make("div", { className: "engine-more", id: `engine-more-${this._id}` }, ...parts);
  }

  _open(isOpen) {
    this._more.hidden = !isOpen;
    this._name.setAttribute("aria-expanded", String(isOpen));
  }

  // What forbids uses is agreed to first, and only what was shown.
  async _press(verb) {
    const { terms, restriction, is_accepted: isAccepted, make_room: makeRoom } = this._card;
    const asked = { engine: this._id, verb };
    if (verb === "make-room") return this._tell(makeRoom.asked);
    if (verb === "fetch" && !isAccepted) {
      const question = words(terms.licences.length > 1 ? "engines.accept_several" : "engines.accept", terms);
      if (!(await ask(question, words("engines.accept_yes"), words("engines.accept_no"), termsToAccept(terms), "primary"))) return;
      asked.accepted = restriction;
    }
    this._tell(asked);
  }

  draw(card) {
    this._card = card;
    if (!shownChanges(this.element, card)) return;
    const [state, line] = engineWords(card);
    this.element.dataset.state = card.state;
    if (shownChanges(this._row, card.shape)) {
      this._row.querySelector(":scope > .st")?.remove();
      this._row.prepend(shape(card.shape));
    }
    show(this._name, card.title);
    show(this._state, state);
    this._about.hidden = card.standing === "absent"; // which the list says of all its rows
    show(this._line, line);
    show(this._summary, card.summary);
    show(this._command, card.command);
    this._elsewhere.hidden = !card.command;
    this._offer.replaceChildren(...(card.offer ? offerLines(card) : []));
    this._terms.replaceChildren(...(card.offer ? [] : termsLine(card.terms)));
    this._traces.hidden = !card.elsewhere?.leaves_traces;
    this._facts.replaceChildren(...definitions(factsOf(card)));
    this._report.hidden = !card.report;
    this._drawReleases(card);
    this._drawProgress(card);
    this._drawVerb(card);
  }

  _drawReleases({ releases, title }) {
    this._releases.hidden = !releases;
    if (!releases || !shownChanges(this._releases, [releases, title])) return;
    const focused = this._releases.contains(document.activeElement) && document.activeElement.dataset.release;
    const press = (checkpoint) => this._tell({ engine: this._id, verb: "release", checkpoint });
    this._releases.setAttribute("aria-label", words("engines.release_of", { engine: title }));
    this._releases.replaceChildren(...releaseParts(releases, press));
    if (focused) this._releases.querySelector(`[data-release="${focused}"]`)?.focus();
  }

  _drawProgress({ standing, weights: { done_bytes: done, all_bytes: all } }) {
    this._bar.hidden = standing !== "arriving" && !(all && ["paused", "broken"].includes(standing));
    if (all) this._bar.value = done / all;
    else this._bar.removeAttribute("value"); // under way, with an unknown end
  }

  _drawVerb({ verb, title, make_room: makeRoom }) {
    const hadFocus = document.activeElement === this._verb;
    this._verb.hidden = !verb;
    if (!verb && hadFocus) this._name.focus();
    if (!verb) return;
    const [asked, word] = verb;
    const said = words(`engines.verb_${word}`, { engine: makeRoom?.title });
    show(this._verb, said);
    this._verb.dataset.verb = asked;
    this._verb.setAttribute("aria-label", words("engines.verb_of", { verb: said, engine: title }));
  }
}

// An element that says it already is left alone, so that a live region is silent.
function show(element, said) {
  if (element.textContent !== said) element.textContent = said;
}

function copyButton(verb, textContent, onclick) {
  const button = make("button", { type: "button", className: "button small", textContent, onclick });
  button.dataset.verb = verb;
  return button;
}

// It goes nowhere but to the clipboard.
async function copy(text, done) {
  try {
    await copyText(text);
    say(LINE, { kind: "done", fact: done });
  } catch {
    say(LINE, { kind: "problem", fact: words("engines.not_copied") });
  }
}

// Rows in this order; one that comes from another list keeps the focus.
function arrange(list, elements) {
  elements.forEach((element, at) => {
    if (list.children[at] === element) return;
    const focused = element.contains(document.activeElement) ? document.activeElement : null;
    list.insertBefore(element, list.children[at] ?? null);
    focused?.focus({ preventScroll: true });
  });
}

onMount("engine-cards", ({ element, props, watch, trigger }) => {
  const [here, away, offers] = [".engines-here", ".engines-away", "#more-engines"].map((part) => element.querySelector(part));
  const rows = new Map();
  let pressed = null; // what was asked last, which the notice answers
  const act = (asked) => {
    pressed = asked;
    trigger("act", asked);
  };
  document.addEventListener("studio-act", ({ detail }) => act(detail)); // a button of a notice asks what the rows ask
  const whose = element.querySelector(".engines-whose");
  const title = offers.querySelector("h2");
  const draw = () => {
    const cards = props.value?.cards ?? [];
    show(whose, props.value?.whose ?? "");
    whose.hidden = !whose.textContent;
    show(title, moreWords(cards));
    offers.hidden = !title.textContent;
    for (const card of cards) {
      if (!rows.has(card.id)) rows.set(card.id, new EngineRow(card.id, act));
      rows.get(card.id).draw(card);
      if (card.id === pressed?.engine && !stillHolds(pressed.verb, card.standing)) sayDone(LINE);
    }
    const elements = (isHere) => cards.filter((card) => card.is_here === isHere).map(({ id }) => rows.get(id).element);
    arrange(here, elements(true));
    arrange(away, elements(false));
  };
  watch("value", draw);
  draw();
});
