// How results call the systems of a test: as somebody named them, or by what tells them apart. Pure.

import { optionWords } from "../choice/option_caption.js";
import { words } from "../words/words.js";

export const SYSTEM_LETTERS = "ABCDEFGHIJKL";

/** How a system is called: as somebody named it, or by voice and engine. */
function systemTitle({ label, source, voice, engine, cold }, known) {
  if (label) return label;
  if (source === "files") return words("tests.own_files");
  const title = known.engines.find(({ id }) => id === engine)?.title ?? engine ?? "";
  return [voice ?? "", title, cold ? words("tests.cold_short") : ""].filter(Boolean).join(", ");
}

/** The same systems, each with a label that no other one has: results are told by it. Of voice, engine and how it is learned it says what is
 *  not the same for all. */
export function labelled(systems, known) {
  const spoken = systems.filter(({ source }) => source !== "files");
  const differing = ["voice", "engine", "cold"].filter((part) => new Set(spoken.map((system) => system[part])).size > 1);
  const shown = differing.length && spoken.length > 1 ? differing : ["voice", "engine", "cold"];
  const blank = { voice: "", engine: "", cold: false };
  const partsOf = (system) => Object.fromEntries(shown.map((part) => [part, system[part]]));
  const titles = systems.map((system) => systemTitle({ ...system, ...blank, ...partsOf(system) }, known) || systemTitle(system, known));
  const told = titles.map((title, at) => {
    const alike = systems.filter((_, other) => titles[other] === title);
    return [title, ...(alike.length > 1 ? optionsApart(systems[at], alike, known) : [])].join(", ");
  });
  const isAlone = (title) => told.filter((other) => other === title).length < 2;
  return systems.map((system, at) => ({ ...system, label: isAlone(told[at]) ? told[at] : `${told[at]} (${SYSTEM_LETTERS[at]})` }));
}

// Such as "Speed 1.3": the options that are not the same in all of alike; its seed only where nothing else tells them apart.
function optionsApart({ engine, options, seed }, alike, known) {
  const own = known.engines.find(({ id }) => id === engine)?.options ?? [];
  const differs = ({ name, default: usual }) => new Set(alike.map((one) => one.options?.[name] ?? usual)).size > 1;
  const differing = own.filter(differs);
  const said = differing.map((option) => optionWords(option, options?.[option.name] ?? option.default)).filter(Boolean);
  const hasSeed = !differing.length && seed !== null && seed !== undefined && new Set(alike.map((one) => one.seed)).size > 1;
  return hasSeed ? [`${words("options.name_seed")} ${seed}`] : said;
}

/** Without the labels that `labelled` gave. */
export function unlabelled(systems, known) {
  const bare = systems.map((system) => ({ ...system, label: "" }));
  const given = labelled(bare, known);
  return systems.map((system, at) => (system.label === given[at].label ? bare[at] : system));
}
