// A card per engine: what it is, how it is, and its buttons. Parts are changed in place, so that focus outlives an update.

import { copyText } from "./clipboard.js";
import { ask, make, onMount } from "./frame.js";
import { definitions, shownChanges } from "./matrix.js";
import { say } from "./notices.js";

const VERBS = ["load", "unload", "fetch", "cancel", "make-room", "copy-report"];

class EngineCard {
  constructor(id, act) {
    this._id = id;
    this._act = act;
    const part = (tag, className, properties = {}) => {
      this[className] = make(tag, { className, ...properties });
      return this[className];
    };
    this._buttons = new Map(
      VERBS.map((verb) => {
        const button = make("button", { type: "button", className: "button", onclick: () => this._press(verb) });
        button.dataset.verb = verb;
        return [verb, button];
      }),
    );
    const title = part("h3", "engine-title", { id: `engine-title-${id}` });
    this.element = make(
      "li",
      { className: "engine-card", id: `engine-card-${id}` },
      make("div", { className: "engine-head" }, title, part("span", "engine-state"), part("span", "engine-busy")),
      part("p", "engine-summary"),
      part("p", "engine-reason"),
      part("p", "engine-elsewhere"),
      part("code", "engine-command"),
      part("dl", "facts-list"),
      part("p", "engine-weights"),
      part("progress", "engine-progress", { max: 1 }),
      part("p", "engine-weights-reason"),
      make("div", { className: "engine-verbs" }, ...this._buttons.values()),
    );
    this.element.setAttribute("aria-labelledby", title.id);
    this["engine-progress"].setAttribute("aria-label", "Download");
    this["engine-state"].setAttribute("role", "status"); // read out when it changes; how busy the engine is would be read out all the time
  }

  // What forbids uses is agreed to first, and only what was shown; a report goes nowhere but to the clipboard.
  async _press(verb) {
    const { terms, restriction, make_room: makeRoom, report } = this._card;
    const asked = { engine: this._id, verb };
    if (verb === "make-room") return this._act(makeRoom.asked);
    if (verb === "copy-report") return copyReport(report);
    if (verb === "fetch" && terms) {
      if (!(await ask(terms, "Accept, and get the weights", "Do not"))) return;
      asked.accepted = restriction;
    }
    this._act(asked);
  }

  draw(card) {
    this._card = card;
    if (!shownChanges(this.element, card)) return;
    this.element.dataset.state = card.state;
    this._say("engine-title", card.title);
    this._say("engine-state", card.words);
    this._say("engine-busy", card.busy);
    this._say("engine-summary", card.summary);
    this._say("engine-reason", card.reason);
    this._say("engine-elsewhere", card.command && "Or, whoever runs this studio, on its machine:");
    this._say("engine-command", card.command);
    this._say("engine-weights", card.weights.words);
    this._say("engine-weights-reason", card.weights.reason);
    this["facts-list"].replaceChildren(...definitions(card.facts));
    this._drawProgress(card.weights);
    this._drawButtons(card);
  }

  _say(className, words) {
    const part = this[className];
    if (part.textContent !== words) part.textContent = words;
    part.hidden = !words;
  }

  _drawProgress({ state, share }) {
    const bar = this["engine-progress"];
    bar.hidden = share === null && state !== "fetching";
    if (share === null)
      bar.removeAttribute("value"); // under way, with an unknown end
    else bar.value = share;
  }

  _drawButtons({ verbs, title, make_room: makeRoom, report }) {
    const offered = new Map(verbs);
    if (makeRoom) offered.set("make-room", makeRoom.words);
    if (report) offered.set("copy-report", "Copy report");
    const focused = document.activeElement;
    for (const [verb, button] of this._buttons) {
      button.hidden = !offered.has(verb);
      if (button.textContent !== (offered.get(verb) ?? "")) button.textContent = offered.get(verb) ?? "";
      button.setAttribute("aria-label", `${button.textContent}: ${title}`);
    }
    if (focused?.hidden && this.element.contains(focused)) [...this._buttons.values()].find((button) => !button.hidden)?.focus();
  }
}

async function copyReport(report) {
  try {
    await copyText(report);
    say("cache-message", {
      kind: "done",
      fact: "The report is copied.",
      hint: "It holds reason, device and versions; send it to whoever runs this studio.",
    });
  } catch (error) {
    say("cache-message", { kind: "problem", fact: error.message, hint: "The log of the studio has the same." });
  }
}

onMount("engine-cards", ({ element, props, watch, trigger }) => {
  const list = element.querySelector(".engine-cards");
  const cards = new Map();
  const act = (asked) => trigger("act", asked);
  document.addEventListener("studio-act", ({ detail }) => act(detail)); // a button of a line asks what the cards ask
  const show = () => {
    for (const card of props.value?.cards ?? []) {
      if (!cards.has(card.id)) {
        cards.set(card.id, new EngineCard(card.id, act));
        list.append(cards.get(card.id).element);
      }
      cards.get(card.id).draw(card);
    }
  };
  watch("value", show);
  show();
});
