// The button that gets an engine's weights: at once, or where its licence has to be accepted first in Cache & models, at the engine's own row.

import { choice } from "../choice/choice.js";
import { openEngine } from "../choice/engines_here.js";
import { make } from "../kit/frame.js";
import { say } from "../kit/notices.js";
import { bytes, errorWords, isSeenByVisitor, words } from "../words/words.js";

// Errors whose hint says "Get it", or that its terms be accepted there.
const SENDS_FOR_WEIGHTS = ["weights_absent", "weights_lacking", "weights_incomplete", "checkpoint_invalid", "licence_not_accepted"];

/** An act of a notice. engine: of the list in speaking.py. place: where is said what went wrong. isSized: whether the button says how large
 *  the weights are. */
export function getEngine({ id, bytes: size, can_get: canGet }, place, isSized = false) {
  const get = words(size && isSized ? "speak.get_engine_size" : "speak.get_engine", { size: bytes(size) });
  return { words: get, press: () => (canGet ? fetchWeights(id, place) : openEngine(id)) };
}

/** Acts of the notice of a problem that sends somebody for an engine's weights: the button that gets those of this engine, none for a visitor,
 *  who may not. engine: its id. place: as above.
 *  @type {(problem: Problem, engine: string, place: string) => any[]} */
export function gettingActs({ code, values = {} }, engine, place) {
  if (isSeenByVisitor() || !SENDS_FOR_WEIGHTS.includes(values.sentence ?? code)) return [];
  return (choice.known.engines ?? []).filter(({ id }) => id === engine).map((known) => getEngine(known, place, true));
}

/** The same as buttons of their own. before(): called first, as where they stand in a dialog that has to close. */
export function gettingButtons(problem, engine, place, before = () => {}) {
  return gettingActs(problem, engine, place).map(({ words: textContent, press }) => {
    const button = make("button", { type: "button", className: "button small", textContent });
    button.addEventListener("click", () => {
      before();
      press();
    });
    return button;
  });
}

async function fetchWeights(engine, place) {
  const { problem } = await choice.ask("fetch_weights", { engine });
  if (problem) return say(place, { kind: "problem", code: problem.code, ...errorWords(problem) });
  return choice.look();
}
