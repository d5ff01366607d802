// A cell of the matrix: what an engine knows of a voice, in one line. Its parts are changed in place.

import { icon } from "../drawings/icons.js";
import { shape } from "../drawings/states.js";
import { make } from "../kit/frame.js";
import { shownChanges } from "../kit/shown.js";
import { firstSoundWords } from "../sound/heard.js";
import { bytes, words } from "../words/words.js";

const drawn = new Map(); // shapes and the pin, copied from then on: a studio of fifty voices has hundreds

function copyOf(name, draw) {
  if (!drawn.has(name)) drawn.set(name, draw());
  return drawn.get(name).cloneNode(true);
}

// The eight states in words. limit: what an engine cannot use a voice for.
/** @type {(cell: { state: string, limit?: string }) => string} */
export const stateWords = ({ state, limit }) => words(limit ? `cache.limit_${limit}` : `cache.state_${state}`);

// [what stands out, what stands beside it]. What is not learned says nothing.
function saidOf(cell) {
  const { state, warm, memory_bytes: inMemory, disk_bytes: onDisk } = cell;
  if (state === "none") return ["", ""];
  if (state === "memory") return [warm ? firstSoundWords(warm) : stateWords(cell), bytes(inMemory)];
  if (state === "refining") return [stateWords(cell), bytes(inMemory)];
  return [stateWords(cell), state === "disk" ? bytes(onDisk) : ""];
}

export const isTeachable = ({ state, verbs }) => state === "none" && verbs.some(([verb]) => verb === "extract");

export function newCell() {
  const button = make("button", { type: "button", className: "cell", tabIndex: -1 });
  button.setAttribute("aria-haspopup", "dialog");
  button.setAttribute("aria-expanded", "false");
  return button;
}

// about: { voice, title } of the voice and the engine.
export function drawCell(button, cell, about) {
  if (!shownChanges(button, [cell, about])) return;
  const { state, pinned = false } = cell;
  const sign = button.dataset.state === state ? button.firstElementChild : copyOf(state, () => shape(state)); // one that turns goes on turning
  const [word, aside] = saidOf(cell);
  Object.assign(button.dataset, { state, engine: cell.engine, pinned });
  button.setAttribute("aria-label", labelOf(cell, about, word, aside));
  const parts = [sign];
  if (state !== "none") parts.push(make("span", { className: "cell-engine", textContent: about.title }), make("b", { textContent: word }));
  else if (isTeachable(cell)) parts.push(make("span", { className: "teach", textContent: words("cache.teach") }));
  if (pinned) parts.push(copyOf("pin", () => icon("pin", 14)));
  if (aside) parts.push(make("small", { textContent: aside }));
  button.replaceChildren(...parts.flatMap((part) => [part, " "])); // or their words would be one
}

// What is seen is part of the name, so that whoever speaks to the browser can say it.
function labelOf(cell, { voice, title }, word, aside) {
  const said = [`${word} ${aside}`.trim()].filter(Boolean);
  if (word !== stateWords(cell)) said.push(stateWords(cell));
  if (isTeachable(cell)) said.push(words("cache.teach"));
  if (cell.pinned) said.push(words("cache.pinned"));
  return words("cache.cell", { voice, engine: title, said });
}
