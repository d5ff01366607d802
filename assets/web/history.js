// Kept speech: filter, hear, make again with the same seed, star, delete. Texts and names are set as text.

import { ask, make, onMount } from "./frame.js";
import { cell, redraw, signButton } from "./library.js";
import { listen } from "./listening.js";
import { player } from "./player.js";
import { milliseconds } from "./player_view.js";
import { finder } from "./search.js";

export let historyView;

const ENDED = { cancelled: "stopped", failed: "broken off", capped: "cut", no_room: "cut: no room", looped: "ran away" };
const LINE = "history-message";
const when = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "short" });

class History {
  constructor({ element, props, trigger, watch }) {
    Object.assign(this, { _element: element, _props: props, _trigger: trigger });
    this._body = this._part("history-table").querySelector("tbody");
    for (const id of ["history-find", "history-starred"]) this._part(id).addEventListener("input", () => this._show());
    this._part("history-clear").addEventListener("click", () => this._clear());
    this._body.addEventListener("click", ({ target }) => this._press(target.closest("button")));
    watch("value", () => this._show());
    this._show();
  }

  _part(id) {
    return this._element.querySelector(`#${id}`);
  }

  _show() {
    const value = this._props.value;
    if (!value) return;
    for (const id of ["history-find", "history-starred"]) this._part(id).disabled = false;
    const words = this._part("history-find").value.trim();
    const starred = this._part("history-starred").checked;
    const holds = finder(words);
    const found = value.entries.filter(({ text, voice, engine, ...entry }) => (!starred || entry.starred) && holds(text, voice, engine));
    this._part("history-used").textContent = value.used;
    this._part("history-table").hidden = !found.length;
    this._part("history-clear").disabled = !value.entries.length;
    this._part("history-empty").hidden = Boolean(found.length);
    this._part("history-empty").textContent = emptyWords(value, words, starred);
    redraw(this._body, found.map(rowOf));
  }

  _press(button) {
    const { key, act } = button?.dataset ?? {};
    const entry = this._props.value.entries.find(({ id }) => id === key);
    if (!entry) return;
    if (act === "hear") listen(`studio/history/${entry.id}`, `${entry.voice}, ${entry.engine}, from the history`, LINE);
    if (act === "star") this._trigger("act", { act, entry: entry.id, starred: !entry.starred });
    if (act === "delete") this._trigger("act", { act, entry: entry.id });
    if (act !== "again") return;
    player.unlock(); // inside the click: the sound may begin later
    this._trigger("again", { entry: entry.id });
  }

  async _clear() {
    const { entries } = this._props.value;
    const stars = entries.filter(({ starred }) => starred).length;
    const words = `Delete all ${entries.length} entries${stars ? `, ${stars} with a star too` : ""}? This cannot be undone.`;
    if (await ask(words, "Delete them")) this._trigger("act", { act: "clear" });
  }
}

function emptyWords({ entries, keeps_any: keepsAny }, words, starred) {
  if (!keepsAny) return "This studio keeps no history: STUDIO_MAX_HISTORY is 0.";
  if (!entries.length) return "Nothing spoken yet. What you speak on this page is kept here, to be heard again.";
  if (words) return `Nothing matches “${words}” in ${entries.length} entries.`;
  return starred ? `None of ${entries.length} entries has a star.` : "";
}

function rowOf(entry) {
  const key = entry.id;
  const about = entry.text.length > 40 ? `${entry.text.slice(0, 40)}…` : entry.text;
  const star = signButton(entry.starred ? "★" : "☆", `Star: ${about}`, { key, act: "star" });
  star.setAttribute("aria-pressed", String(entry.starred));
  const ended = ENDED[entry.ended] ? [make("span", { className: "about", textContent: ENDED[entry.ended], title: entry.warning })] : [];
  const firstSound = entry.ttfp_ms === null ? "–" : milliseconds(entry.ttfp_ms);
  return make(
    "tr",
    {},
    cell("", signButton("▶", `Play: ${about}`, { key, act: "hear" })),
    cell("Text", make("span", { className: "text", textContent: entry.text, title: entry.text })),
    cell("Voice", make("span", { className: "name", textContent: entry.voice })),
    cell("Engine", entry.engine),
    cell("Seed", entry.options.seed === undefined ? "–" : String(entry.options.seed)),
    cell("TTFP", make("span", { className: "whole", textContent: firstSound })),
    cell("Cache", entry.cache || "–"),
    cell("Audio", make("span", { className: "whole", textContent: `${entry.seconds.toFixed(1)} s` }), ...ended),
    cell("When", make("span", { className: "whole", textContent: when.format(entry.at * 1000) })),
    cell(
      "",
      signButton("↻", `Speak again with the same seed: ${about}`, { key, act: "again" }),
      star,
      signButton("✕", `Delete: ${about}`, { key, act: "delete" }),
    ),
  );
}

onMount("history", (tools) => {
  historyView = new History(tools);
});
