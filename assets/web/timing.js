// The timing card: a bar for each stage between the press of the button and the first audible sample, each beginning where the one before
// it ended. Two cards, cold and warm, stand side by side on one scale.

import { definitions } from "./definitions.js";
import { make, onMount } from "./frame.js";
import { player } from "./player.js";
import { later, milliseconds } from "./player_view.js";
import { copyAndSay } from "./speaking.js";

export let showTiming;

const PROMPT_WORDS = {
  hit: "hit, in memory",
  disk: "hit, on disk",
  miss: "miss, extracted",
  joined: "miss, extracted with another request",
  bypass: "not cached",
};

// [name, milliseconds, what it means]; only stages that happened, in their order. Their sum is click to sound.
function stagesOf({ facts, session, sentAt, openedAt }) {
  const of = (name) => facts.stages.get(name)?.milliseconds ?? 0;
  const opening = openedAt - session.startedAt;
  const sound = session.firstSoundMilliseconds;
  const stages = [
    ["Press to request", sentAt - session.startedAt, "In this browser: the fields are read, the request is made."],
    ["Request read", of("resolve") - of("load") - of("decode"), "At the server: text, voice and engine are known."],
    ["Model load", of("load"), "The engine was opened for this request."],
    [`Speaker prompt: ${PROMPT_WORDS[facts.cache] ?? "none"}`, of("prompt"), "What the engine has learned of the voice is at hand."],
    ["Queue", of("queue"), "Waiting for the engine's turn."],
    ["First audio at the engine", of("first_chunk"), "The engine computes its first chunk."],
    ["First byte here", opening - (sentAt - session.startedAt) - of("first_audio"), "The way to the server and back."],
    ["First sound here", sound === null ? null : sound - opening, "Decoded, scheduled, and past any silence at the beginning."],
  ];
  return stages
    .filter(([name, value]) => value !== null && (value > 0 || !name.startsWith("Model")))
    .map(([name, value, why]) => [name, Math.max(0, value), why]);
}

const totalOf = (run) => stagesOf(run).reduce((sum, [, value]) => sum + value, 0);
const words = (value) => (value === null || value === undefined ? "…" : milliseconds(value));

function rowsOf(run, scale) {
  let begun = 0;
  return stagesOf(run).map(([name, value, why]) => {
    const bar = make("span", { className: "bar" });
    bar.style.left = `${(100 * begun) / scale}%`;
    bar.style.width = `${Math.max(0.5, (100 * value) / scale)}%`;
    begun += value;
    const track = make("td", { className: "track" }, bar);
    track.setAttribute("aria-hidden", "true");
    const label = make("th", { scope: "row", textContent: name, title: why });
    return make("tr", {}, label, track, make("td", { className: "figure", textContent: words(value) }));
  });
}

function totalsOf({ facts, session }) {
  const { receivedMilliseconds, samples, stopped, seconds } = session;
  const rtf = receivedMilliseconds && samples && !stopped ? (receivedMilliseconds / 1000 / seconds).toFixed(2) : "–";
  return definitions([
    ["Server TTFP", words(facts.ttfpMilliseconds)],
    ["Click to sound", words(session.firstSoundMilliseconds)],
    ["RTF", rtf],
    ["Underruns", String(session.underruns)],
    ["Audio", `${seconds.toFixed(1)} s`],
  ]);
}

const jsonOf = (run) =>
  JSON.stringify({
    voice: run.voice,
    engine: run.engine,
    start: run.start,
    cache: run.facts.cache,
    requestId: run.facts.requestId,
    stages: stagesOf(run).map(([name, milliseconds]) => ({ name, milliseconds })),
    ttfpMilliseconds: run.facts.ttfpMilliseconds,
    clickToSoundMilliseconds: run.session.firstSoundMilliseconds,
    underruns: run.session.underruns,
    audioSeconds: run.session.seconds,
  });

function cardOf(run, scale) {
  const chip = make("span", { className: "chip", textContent: run.start });
  const title = make("figcaption", {}, make("span", { textContent: `${run.voice}, ${run.engine}` }), chip);
  const table = make("table", {}, make("tbody", {}, ...rowsOf(run, scale)));
  table.setAttribute("aria-label", `Stages of the ${run.start} run`);
  const copy = make("button", { type: "button", className: "link-button", textContent: "Copy as JSON" });
  copy.addEventListener("click", () => copyAndSay("Timing", jsonOf(run)));
  const card = make("figure", { className: "timing-card" }, title, table, make("dl", {}, ...totalsOf(run)), copy);
  card.dataset.start = run.start;
  return card;
}

onMount("timing", ({ element }) => {
  const [cards, empty] = [".timing-cards", ".empty"].map((part) => element.querySelector(part));
  let runs = [];

  function show() {
    empty.hidden = Boolean(runs.length);
    const scale = Math.max(1, ...runs.map(totalOf));
    const focused = [...cards.querySelectorAll("button")].indexOf(document.activeElement);
    cards.replaceChildren(...runs.map((run) => cardOf(run, scale)));
    cards.querySelectorAll("button")[focused]?.focus({ preventScroll: true }); // whoever was there stays there
  }

  for (const event of ["change", "received"]) player.addEventListener(event, () => runs.length && later(show));
  // runs: one, or a cold and a warm one to compare. A run: { voice, engine, start, facts, session, sentAt, openedAt }
  showTiming = (shown) => {
    runs = shown;
    later(show);
  };
});
