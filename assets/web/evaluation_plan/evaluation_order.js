// A draft of an evaluation, and what the studio is asked for by it. Pure.
// draft: {title, systems: [{engine, options}], voices: [names], kind: "builtin", "lines" or "list", builtin: {languages, n}, lines, language, list:
// {text, name}, n_seeds, learn, measures: [families] or null for all}.

import { optionWords } from "../choice/option_caption.js";

export const MOST_SYSTEMS = 16; // as studio/evaluations/plan/plan.py has them
export const MOST_SEEDS = 20;
export const MOST_SENTENCES = 50; // of each language of the built-in set
const MOST_LABEL_CHARACTERS = 120;
const OF_SYSTEM = ["speed", "instructions"]; // options that are fields of their own
const NOT_OF_SYSTEM = ["seed", "language"]; // the plan has seeds, and each text its language
const BUILT_IN = /^[a-z]{2,3}-\d{2}$/;
const LETTERS = "ABCDEFGHIJKLMNOP";

/** What is chosen at first. engine: of Compare's first lane, or the studio's. */
export const freshDraft = ({ systems, voices, language }) => ({
  title: "",
  systems,
  voices,
  kind: "builtin",
  builtin: { languages: [language], n: 10 },
  lines: "",
  language: "",
  list: null,
  n_seeds: 1,
  learn: "best",
  measures: null,
});

/** The same systems once each, without what is no part of one. */
export function systemsOf(lanes) {
  const known = new Map();
  for (const { engine, options } of lanes) {
    if (!engine) continue;
    const own = Object.fromEntries(Object.entries(options).filter(([name]) => !NOT_OF_SYSTEM.includes(name)));
    known.set(JSON.stringify([engine, Object.entries(own).sort()]), { engine, options: own });
  }
  return [...known.values()].slice(0, MOST_SYSTEMS);
}

/** How each system is called: its engine and what differs from its defaults; a letter behind those that would be called alike. engines: as
 *  GET v1/models has them. */
export function systemLabels(systems, engines) {
  const told = systems.map(({ engine, options }) => {
    const known = engines.find(({ id }) => id === engine);
    const said = (known?.options ?? []).filter(({ name }) => name in options).map((option) => optionWords(option, options[option.name]));
    return [known?.title ?? engine, ...said.filter(Boolean)].join(" · ").slice(0, MOST_LABEL_CHARACTERS - 4);
  });
  return told.map((label, at) => (told.filter((other) => other === label).length > 1 ? `${label} (${LETTERS[at]})` : label));
}

/** The lines that somebody wrote, none of them empty. */
export const linesOfText = (text) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** What keeps a draft from being asked for: "systems", "voices", "languages", "lines", "list" or "measures"; "" for nothing. */
export function draftLack(draft) {
  if (!draft.systems.length) return "systems";
  if (!draft.voices.length) return "voices";
  if (draft.kind === "builtin" && !draft.builtin.languages.length) return "languages";
  if (draft.kind === "lines" && !linesOfText(draft.lines).length) return "lines";
  if (draft.kind === "list" && !draft.list) return "list";
  return draft.measures && !draft.measures.length ? "measures" : "";
}

/** The body of POST v1/studio/evaluations. engines: as GET v1/models has them. */
export function evaluationOrder(draft, engines) {
  const { title, voices, n_seeds: n, learn, measures } = draft;
  const labels = systemLabels(draft.systems, engines);
  const systems = draft.systems.map((system, at) => systemOrder(system, labels[at]));
  const order = { systems, voices, texts: textsOrder(draft), seeds: Array.from({ length: n }, (_, seed) => seed), learn };
  return { ...order, ...(title.trim() && { title: title.trim() }), ...(measures && { measures }) };
}

function systemOrder({ engine, options }, label) {
  const own = Object.entries(options).filter(([name, value]) => OF_SYSTEM.includes(name) && value !== null && value !== "");
  const others = Object.entries(options).filter(([name]) => !OF_SYSTEM.includes(name));
  return { engine, label, ...Object.fromEntries(own), ...(others.length && { options: Object.fromEntries(others) }) };
}

function textsOrder({ kind, builtin, lines, language, list }) {
  if (kind === "builtin") return { builtin };
  const spoken = language ? { language } : {};
  if (kind === "lines") return { lines: linesOfText(lines), ...spoken };
  return { list: list.text, filename: list.name, ...spoken };
}

/** The draft that would ask for the same: of a plan that was run. Texts that the page does not have have to be chosen again. */
export function draftOfPlan({ systems, voices, texts, n_texts: n = texts.length, languages, seeds, learn, measures, title = "" }, fresh) {
  const own = systems.filter(({ engine }) => engine);
  const options = ({ options: said = {}, speed, instructions }) => ({
    ...said,
    ...(speed && speed !== 1 && { speed }),
    ...(instructions && { instructions }),
  });
  return {
    ...fresh,
    title,
    systems: own.map((system) => ({ engine: system.engine, options: options(system) })),
    voices: voices.map(({ name, label }) => name ?? label),
    n_seeds: seeds.length,
    learn,
    measures: measures ?? null,
    ...textsOfPlan(texts, n, languages),
  };
}

// The built-in set is known by its ids, such as en-01.
function textsOfPlan(texts, n, languages) {
  if (texts.every(({ id }) => BUILT_IN.test(id))) return { kind: "builtin", builtin: { languages, n: Math.ceil(n / languages.length) } };
  if (texts.length < n) return { kind: "list", list: null };
  const spoken = languages.length === 1 ? languages[0] : "";
  return { kind: "lines", lines: texts.map(({ text }) => text).join("\n"), language: spoken };
}
