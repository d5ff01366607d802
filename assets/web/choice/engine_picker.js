// Which engine speaks: each with its state and one line of what it is.

import { chip } from "../drawings/states.js";
import { make } from "../kit/frame.js";
import { Picker } from "../kit/picker.js";
import { finder } from "../kit/search.js";
import { bytes, number, words } from "../words/words.js";
import { choice } from "./choice.js";
import { hereOf, moreWords, openMore } from "./engines_here.js";

const STATES = {
  ready: "memory",
  idle: "disk",
  closed: "disk",
  loading: "learning",
  unloading: "learning",
  fetching: "learning",
  absent: "unsupported",
  unavailable: "unsupported",
  failed: "failed",
};
const KILO = 1000;

const FAR_STATES = { idle: ["none", "apart"], loading: ["learning", "connecting"] };
const FAR_HEALTH = { degraded: ["care", "degraded"], down: ["failed", "down"] };

/** [state, words] of an engine's chip. */
export function standingOf({ state, percent, is_slow: isSlow, elsewhere }) {
  const far = elsewhere && (state === "ready" ? FAR_HEALTH[elsewhere.health] : FAR_STATES[state]);
  if (far) return [far[0], words(`speak.engine_${far[1]}`)];
  if (isSlow && state === "ready") return ["care", words("speak.engine_no_gpu")];
  if (state === "fetching" && percent !== null) return [STATES.fetching, words("speak.engine_fetching_percent", { n: percent })];
  return [STATES[state], words(`speak.engine_${state}`)];
}

/** of: whose engine it is: the choice of Speak, or one that looks like it.
 *  @param {{ known: any, engine: string | null, choose: (chosen: { engine: string }) => any }} of */
export function enginePicker(button, of = choice) {
  return new Picker(button, {
    label: words("speak.choose_engine"),
    find: words("speak.find_engine"),
    sections: (typed) => sections(typed, of),
    note: () => whyDefault(of),
    choose: (engine) => of.choose({ engine }),
    end: () => end(of),
  });
}

// Why the engine speaks that is there before anybody chooses, where it was the studio that chose it.
function whyDefault(of) {
  const { engines = [], natural } = of.known;
  const engine = natural?.is_default && engines.find(({ id }) => id === natural.engine);
  return engine ? words("speak.natural_default", { engine: engine.title }) : "";
}

function end(of) {
  const said = moreWords(of.known.engines ?? []);
  return said ? { words: said, icon: "right", act: openMore } : null;
}

// One that is not here is found by its name.
function sections(typed, of) {
  const { engines = [] } = of.known;
  const holds = finder(typed);
  const found = typed ? engines.filter(({ title }) => holds(title)) : hereOf(engines, of.engine);
  return [{ title: words("speak.all_engines", { n: found.length }), items: found.map((engine) => itemOf(engine, of)) }];
}

function itemOf(engine, of) {
  const standing = standingOf(engine);
  const name = make("span", { className: "what grow" }, make("b", { className: "cut", textContent: engine.title }));
  name.append(make("small", { className: "cut", textContent: factsOf(engine) }));
  return { value: engine.id, parts: [name, chip(...standing)], isChosen: engine.id === of.engine };
}

// "24 kHz · 10 languages · 2.3 GB · Non-commercial", "24 kHz · 10 languages · at 10.0.0.5:8091"
function factsOf({ sample_rate: rate, n_languages: n, bytes: size, terms, elsewhere }) {
  const facts = [words("speak.kilohertz", { n: number(rate / KILO) }), words("speak.n_languages", { n })];
  const uses = terms.is_non_commercial ? [words("engines.non_commercial")] : [];
  return [...facts, ...(size && !elsewhere ? [bytes(size)] : []), ...(elsewhere ? placeOf(elsewhere) : []), ...uses].join(" · ");
}

function placeOf({ hosts, leaves_traces: leavesTraces }) {
  const place = hosts.length ? words("speak.at_hosts", { hosts }) : words("speak.elsewhere");
  return leavesTraces ? [place, words("speak.traces")] : [place];
}
