// The result line: what goes on until there is sound, then where the time to it went, in parts; all stages in its fold. Cold and warm are
// two such lines on one scale. Nothing is drawn before the first take, nor while somebody waits for the first sound.

import { icon } from "../drawings/icons.js";
import { chip, shape } from "../drawings/states.js";
import { make, onMount } from "../kit/frame.js";
import { mountPairRow } from "../pairs/pair_row.js";
import { player } from "../sound/player.js";
import { later } from "../sound/player_view.js";
import { farOf, isFar, paceOf, partsOf, stagesOf, totalOf } from "../sound/stages.js";
import { milliseconds, number, seconds, words } from "../words/words.js";
import { copyAndSay } from "./copying.js";

export let showResult = (_runs = []) => {};
export let showStage = (_stage) => {};
export let showWaited = (_said) => {};

const SMALL = 18;
const PRESS_MILLISECONDS = 50; // until the next look whether a button is still held: a press that ends on a new button would be none
const KNOWN_CACHE = ["hit", "disk", "miss", "joined"]; // else the voice is the engine's own, or was sent along

// --- sentences

function paceWords({ session }) {
  const { seconds: heard, samples, stopped, receivedMilliseconds } = session;
  if (!samples) return "";
  if (stopped) return words("result.stopped", { about: seconds(heard) });
  if (!receivedMilliseconds) return words("result.so_far", { about: seconds(heard) });
  const pace = paceOf(session);
  const times = number(pace, 0, pace < 10 ? 1 : 0);
  return words("result.made_pace", { about: seconds(heard), times });
}

const learnWords = (run) => words("result.learned", { about: milliseconds(partsOf(run).voice), voice: run.voice });

function aboutOf(run, isLast) {
  const { underruns, gapSeconds } = run.session;
  const gaps = underruns ? [chip("care", words("result.gaps", { n: underruns, about: seconds(gapSeconds) })), " "] : [];
  if (underruns && !isLast) return gaps[0];
  const isLearned = run.isStored && run.facts.cache === "miss" && run.session.complete;
  const said = isLast ? words("result.last_take", { engine: run.engineTitle }) : isLearned ? learnWords(run) : paceWords(run);
  return make("span", { className: "note num about" }, ...gaps, said);
}

// What a part is, said of this run.
function sentenceOf(part, run) {
  const { voice, engineTitle: engine, facts, session, isStored } = run;
  const isKnown = isStored && KNOWN_CACHE.includes(facts.cache);
  if (part === "voice") return words(`result.voice_${isKnown ? facts.cache : "built_in"}`, { voice, engine });
  if (part === "asking" && facts.stages.has("load"))
    return words("result.asking_load", { engine, about: milliseconds(facts.stages.get("load").milliseconds) });
  if (part === "made" && isFar(run)) return words("result.made_around_about");
  if (part === "made" && session.pieces?.length)
    return words("result.made_first", { engine, about: seconds(session.pieces[0].length / session.sampleRate) });
  return words(`result.${part}_about`, { engine });
}

// What a part is called, of this run.
const nameOf = (part, run) => words(part === "made" && isFar(run) ? "result.made_around" : `result.${part}`);

// The engine's own and the network's parts of the time; "" where the answer was opened before there was a first sound.
function beneathOf(run) {
  if (isFar(run)) return words("result.in_the_far_server", { about: milliseconds(farOf(run.facts)) });
  if (run.facts.ttfpMilliseconds === null) return "";
  const { made, way } = partsOf(run);
  return words("result.beneath", { made: milliseconds(made), way: milliseconds(way) });
}

const jsonOf = (run) =>
  JSON.stringify({
    voice: run.voice,
    engine: run.engineTitle,
    start: run.start,
    cache: run.facts.cache,
    requestId: run.facts.requestId,
    stages: stagesOf(run).map(({ key, milliseconds: took }) => ({ name: key, milliseconds: took })),
    ttfpMilliseconds: run.facts.ttfpMilliseconds,
    farTtfpMilliseconds: farOf(run.facts),
    clickToSoundMilliseconds: run.session.firstSoundMilliseconds,
    underruns: run.session.underruns,
    audioSeconds: run.session.seconds,
  });

// --- drawing

// It begins in the window, and ends behind the dock: the page goes as far as it must.
function bringInSight(part) {
  const { top } = part.getBoundingClientRect();
  if (top > 0 && top < window.innerHeight) part.scrollIntoView({ block: "nearest" });
}

// Segments to scale, least 3 px. scale: milliseconds of the whole width.
function barOf(run, scale) {
  const parts = partsOf(run);
  const names = Object.keys(parts);
  const said = names.map((part) => words("result.part", { part: nameOf(part, run), about: milliseconds(parts[part]) }));
  const segments = names.map((part, i) => {
    const segment = make("i", { tabIndex: 0 });
    Object.assign(segment.dataset, { part, said: said[i] });
    segment.setAttribute("role", "img");
    segment.setAttribute("aria-label", said[i]);
    segment.style.flexGrow = String(parts[part]);
    return segment;
  });
  const bar = make("span", { className: "bar" }, ...segments);
  const rest = scale - totalOf(run);
  if (rest > 1) bar.append(Object.assign(make("span", { className: "rest" }), { style: `flex-grow: ${rest}` }));
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", words("result.bar"));
  return bar;
}

function legendOf(run) {
  const parts = partsOf(run);
  const columns = Object.keys(parts).map((part) => {
    const name = make("span", { className: "cut", textContent: nameOf(part, run) });
    const took = make("span", { className: "num", textContent: milliseconds(parts[part]) });
    const column = make("div", {}, make("dt", {}, name, took), make("dd", { textContent: sentenceOf(part, run) }));
    column.dataset.part = part;
    return column;
  });
  const legend = make("dl", { className: "legend" }, ...columns);
  legend.dataset.parts = columns.length;
  return legend;
}

function stagesTable(run) {
  const rows = stagesOf(run).map(({ key, milliseconds: took }) => {
    const name = make("th", { scope: "row", textContent: words(`result.stage_${key}`), title: words(`result.stage_${key}_about`) });
    return make("tr", {}, name, make("td", { className: "r num", textContent: milliseconds(took) }));
  });
  const total = make("tr", {}, make("th", { scope: "row", textContent: words("result.click_to_sound") }));
  total.append(make("td", { className: "r num", textContent: milliseconds(run.session.firstSoundMilliseconds ?? 0) }));
  const table = make("table", { className: "table" }, make("tbody", {}, ...rows, total));
  table.setAttribute("aria-label", words("result.all_stages"));
  const copy = make("button", { type: "button", className: "link-button", textContent: words("result.copy_json") });
  copy.addEventListener("click", () => copyAndSay(words("result.copied"), jsonOf(run)));
  return make("details", { className: "stages" }, make("summary", { textContent: words("result.all_stages") }), table, copy);
}

function toggleOf(isOpen, press) {
  const said = words(isOpen ? "result.hide_time" : "result.show_time");
  const toggle = make(
    "button",
    { type: "button", className: "button quiet square small", title: said },
    icon(isOpen ? "up" : "down", SMALL),
  );
  toggle.setAttribute("aria-label", said);
  toggle.setAttribute("aria-expanded", String(isOpen));
  toggle.addEventListener("click", press);
  return toggle;
}

// Cold is no fault: it has the shape of what was not learned, in a colour that is seen.
function startChip(start) {
  const said = chip({ warm: "memory", disk: "disk" }[start] ?? "stale", words(`result.${start}`));
  if (start !== "cold") return said;
  const ring = shape("none");
  ring.dataset.state = "stale";
  said.firstChild.replaceWith(ring);
  return said;
}

class ResultLines {
  constructor(element) {
    this._stage = element.querySelector("#speak-stage");
    this._lines = element.querySelector(".result-lines");
    this._runs = [];
    this._open = new Set(); // runs whose fold is open
    this._isLast = false; // they are of an earlier press than the last one, which was refused
    this._isSeen = true; // or they are brought in sight as they are drawn
    for (const event of ["change", "received"]) player.addEventListener(event, () => this._runs.length && later(this._draw));
  }

  // runs: one, or a cold and a warm one. None: those that are shown are the last ones, of before this press.
  show(runs) {
    this._isLast = !runs?.length;
    if (runs?.length) this._runs = [...runs].reverse(); // the last one first
    this._isSeen = false;
    later(this._draw);
  }

  tell(stage) {
    if (this._stage.textContent !== stage) this._stage.textContent = stage; // or it is read out again
    if (!stage) delete this._stage.dataset.waited;
    this._lines.hidden = Boolean(stage);
    if (stage) bringInSight(this._stage);
  }

  // said: how long the stage lasts by now; seen, and not read out every second.
  tellWaited(said) {
    this._stage.dataset.waited = said;
  }

  _draw = () => {
    if (this._lines.matches(":active")) {
      setTimeout(this._draw, PRESS_MILLISECONDS);
      return;
    }
    const shown = this._runs.filter(({ session }) => session.firstSoundMilliseconds !== null);
    if (shown.length && player.state !== "waiting") this.tell("");
    const scale = Math.max(...shown.map(totalOf));
    const focused = [...this._lines.querySelectorAll("button, summary, i")].indexOf(document.activeElement);
    const openStages = [...this._lines.querySelectorAll(".stages")].map(({ open }) => open);
    this._lines.replaceChildren(...shown.map((run) => this._lineOf(run, scale)));
    for (const [i, stages] of this._lines.querySelectorAll(".stages").entries()) stages.open = openStages[i] ?? false;
    this._lines.querySelectorAll("button, summary, i")[focused]?.focus({ preventScroll: true }); // whoever was there stays there
    if (!shown.length || this._isSeen) return;
    this._isSeen = shown.every(({ session }) => session.complete); // until then its lines may grow
    bringInSight(this._lines);
  };

  _lineOf(run, scale) {
    const isOpen = this._open.has(run);
    const sound = words("result.to_sound", { about: milliseconds(run.session.firstSoundMilliseconds) });
    const { ttfpMilliseconds: inTheEngine } = run.facts; // null where the answer was opened before
    const far = isFar(run) ? milliseconds(farOf(run.facts)) : "";
    const ours = inTheEngine === null ? "" : milliseconds(inTheEngine);
    const ttfp = ours && words(far ? "result.in_both" : "result.in_the_engine", { about: ours, far });
    const toggle = toggleOf(isOpen, () => this._toggle(run));
    const head = make("div", { className: "ttfp-line" }, startChip(run.start));
    const ourTime = make("b", { className: "num", textContent: sound, title: ttfp });
    const beneath = make("span", { className: "note num", textContent: beneathOf(run) });
    head.append(
      beneath.textContent ? make("span", { className: "times" }, ourTime, " ", beneath) : ourTime,
      barOf(run, scale),
      aboutOf(run, this._isLast),
      toggle,
    );
    const line = make("div", { className: "card ttfp" }, head, ...(isOpen ? [legendOf(run), stagesTable(run)] : []));
    line.dataset.start = run.start;
    return line;
  }

  _toggle(run) {
    if (!this._open.delete(run)) this._open.add(run);
    this._draw();
  }
}

onMount("result", ({ element }) => {
  const lines = new ResultLines(element);
  mountPairRow(element.querySelector("#pair"));
  showResult = (runs) => lines.show(runs);
  showStage = (stage) => lines.tell(stage);
  showWaited = (said) => lines.tellWaited(said);
});
