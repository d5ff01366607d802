// The card of a cell: how a voice stands with an engine, in figures, and what can be done about it.

import { showState } from "../drawings/states.js";
import { printOf } from "../drawings/voiceprint.js";
import { definitions } from "../kit/definitions.js";
import { make } from "../kit/frame.js";
import { ask } from "../kit/library.js";
import { shownChanges } from "../kit/shown.js";
import { openPopover } from "../navigation/navigation.js";
import { firstSoundWords, serverShareWords } from "../sound/heard.js";
import { language, words } from "../words/words.js";
import { stateWords } from "./cell.js";

const EDGE = 8; // pixels between the card and the window's edge
const PRINT_PIXELS = 28;
/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const SPANS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];
const spans = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });

// Such as "2 min. ago". at: seconds since 1970.
function since(at) {
  const passed = Math.max(0, Date.now() / 1000 - at);
  const [unit, length] = SPANS.find(([, length]) => passed >= length) ?? SPANS.at(-1);
  return spans.format(-Math.floor(passed / length), unit);
}

function sizeWords({ memory_bytes: inMemory, disk_bytes: onDisk }) {
  if (inMemory && onDisk) return words("cache.size_both", { memory: inMemory, disk: onDisk });
  if (inMemory) return words("cache.size_memory", { size: inMemory });
  return onDisk ? words("cache.size_disk", { size: onDisk }) : "";
}

const firstSoundFacts = (known) => [firstSoundWords(known), serverShareWords(known)].filter(Boolean).join(words("figures.comma"));

function factsOf(cell) {
  const { warm, cold, n_hits: n, last_at: at, key = "" } = cell;
  const facts = [
    ["warm", warm ? firstSoundFacts(warm) : ""],
    ["cold", cold ? firstSoundFacts(cold) : ""],
    ["found", n === undefined ? "" : words("cache.times", { n })],
    ["last", at === undefined ? "" : since(at)],
    ["size", sizeWords(cell)],
    ["key", key],
  ];
  return facts.filter(([, said]) => said).map(([name, said]) => [words(`cache.fact_${name}`), said, "", name]);
}

export class CellCard {
  // tell({ voice, engine, verb }): asks for what a button says.
  constructor(element, tell) {
    this.at = null;
    this._element = element;
    this._opener = null;
    this._tell = tell;
    this._verbs = this._part("verbs");
    this._verbs.addEventListener("click", ({ target }) => this._press(target.closest("button")));
    element.addEventListener("keydown", (event) => event.key === "Escape" && event.stopPropagation()); // closes the card, stops no speech
    element.addEventListener("toggle", ({ newState }) => {
      this._opener?.setAttribute("aria-expanded", String(newState === "open"));
      if (newState === "closed") this.at = null;
    });
  }

  _part(name) {
    return this._element.querySelector(`.cell-card-${name}`);
  }

  // at: { id, voice, print, engine, title }: the row and the column.
  open(button, at, cell) {
    this._opener = button;
    this.at = at;
    this.draw(cell);
    openPopover(this._element);
    this._place(button);
    (this._verbs.querySelector("button") ?? this._element).focus();
  }

  // Below the cell, above it where there is no room.
  _place(button) {
    const { left, bottom, top } = button.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height, style } = this._element;
    const below = bottom + height + EDGE < window.innerHeight;
    style.left = `${Math.max(EDGE, Math.min(left, window.innerWidth - width - EDGE))}px`;
    style.top = `${below ? bottom + EDGE / 2 : Math.max(EDGE, top - height - EDGE / 2)}px`;
  }

  _press(button) {
    const { verb } = button?.dataset ?? {};
    if (!verb) return;
    const { voice, engine, pinned } = this.at;
    this.close();
    this._ask({ voice, engine, verb }, pinned);
  }

  // What is kept is meant to stay: whoever drops it all the same is asked.
  async _ask(asked, pinned) {
    if (!pinned || !["forget", "delete-file"].includes(asked.verb)) return this._tell(asked);
    const question = words("cache.drop_pinned", { voice: asked.voice });
    if (await ask(question, words(verbKey(asked.verb)), words("cache.keep"))) this._tell({ ...asked, sure: true });
  }

  draw(cell) {
    this.at.pinned = cell.pinned;
    const { voice, title, print } = this.at;
    if (!shownChanges(this._element, [cell, voice, title])) return;
    this._part("print").replaceChildren(printOf(print, PRINT_PIXELS));
    this._part("title").textContent = words("cache.card", { voice, engine: title });
    showState(this._element.querySelector(".chip"), cell.state, stateWords({ state: cell.state }));
    this._part("reason").textContent = cell.reason ?? "";
    this._element.querySelector("dl").replaceChildren(...definitions(factsOf(cell)));
    const focused = this._verbs.contains(document.activeElement) && document.activeElement.dataset.verb;
    this._verbs.replaceChildren(...cell.verbs.map(verbButton));
    if (focused) (this._verbs.querySelector(`[data-verb="${focused}"]`) ?? this._verbs.querySelector("button"))?.focus();
  }

  close() {
    this._element.hidePopover();
  }
}

const verbKey = (verb) => `cache.verb_${verb.replace("-", "_")}`;

// verb: [what is asked, in which words]. The first two are what people come for.
function verbButton([verb, said], index) {
  const button = make("button", {
    type: "button",
    className: index < 2 ? "button small" : "button quiet small",
    textContent: words(verbKey(said)),
  });
  button.dataset.verb = verb;
  return button;
}
