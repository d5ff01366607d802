// In one line, where a first visit begins and below the composer: which engine would make voices natural on this computer, with the button
// that gets it; then how far it is, and that it can be used. Whoever closes the line is not told again in this browser.

import { choice } from "../choice/choice.js";
import { fill } from "../kit/notices.js";
import { shownChanges } from "../kit/shown.js";
import { bytes, number, words } from "../words/words.js";
import { getEngine } from "./engine_get.js";
import { naturalOf } from "./natural_state.js";

const CLOSED = "studio-natural-closed";
const lines = new Map(); // element -> where is said what went wrong there
let isClosed = readClosed();

/** element: holds an empty `.notice` and a `progress`. place: of notices.js, where is said what goes wrong. */
export function mountNatural(element, place) {
  lines.set(element, place);
  draw(place, element);
}

document.addEventListener("studio-choice", () => lines.forEach(draw));

function draw(place, element) {
  if (!choice.isSettled) return;
  const found = isClosed ? null : naturalOf(choice.known);
  const progress = element.querySelector("progress");
  progress.hidden = found?.state !== "coming";
  if (found) showProgress(progress, found.engine);
  const said = found ? saidOf(found, place) : {};
  if (!shownChanges(element, [said.fact, said.hint])) return;
  const hadFocus = element.contains(document.activeElement);
  fill(element.querySelector(".notice"), said, close);
  if (hadFocus) (element.querySelector("button") ?? document.querySelector("#engine")).focus();
}

function saidOf({ state, engine }, place) {
  const { title, bytes: size, trouble } = engine;
  const [fact, acts] = [words(`speak.natural_${state}`, { engine: title }), actsOf(state, engine, place)];
  if (state === "failed") return { fact, hint: trouble, acts };
  const hint = state === "away" && !size ? "natural_away_hint_any" : `natural_${state}_hint`;
  return { fact, hint: words(`speak.${hint}`, { engine: title, size: bytes(size) }), acts };
}

function actsOf(state, engine, place) {
  const values = { engine: engine.title };
  if (state === "here") return [{ words: words("speak.use_engine", values), press: () => choice.choose({ engine: engine.id }) }];
  if (state === "coming") return [];
  const verb = words(state === "failed" ? "engines.verb_again" : "speak.get_engine");
  return [{ ...getEngine(engine, place), words: verb, label: words("engines.verb_of", { verb, ...values }) }];
}

function showProgress(progress, { percent, title }) {
  progress.setAttribute("aria-label", words("speak.natural_coming", { engine: title }));
  progress.title = percent === null ? "" : words("speak.engine_fetching_percent", { n: number(percent) });
  if (percent === null) progress.removeAttribute("value");
  else progress.value = percent / 100;
}

function close() {
  isClosed = true;
  try {
    localStorage.setItem(CLOSED, "yes");
  } catch {
    // storage is off or full: closed as long as the page
  }
  lines.forEach(draw);
}

function readClosed() {
  try {
    return localStorage.getItem(CLOSED) === "yes";
  } catch {
    return false;
  }
}
