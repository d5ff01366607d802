// How an engine with its settings is called: as options are, and with its own speaker where it has one.

import { optionWords } from "../choice/option_caption.js";
import { words } from "../words/words.js";

/** system: {title, preset, settings, seed} as the studio tells it. */
export function systemWords({ title, preset, settings }) {
  const changed = Object.entries(settings).map(([name, value]) => optionWords({ name }, value));
  return [title, preset, ...changed].filter(Boolean).join(" · ");
}

/** The same with its variation, which is a take's and not a system's. */
export function takeWords(system) {
  const { seed } = system;
  return [systemWords(system), seed === null ? "" : words("takes.variation", { seed: String(seed) })].filter(Boolean).join(" · ");
}

/** standings: as the studio tells them. What they say of the first, honestly. */
export function verdictWords({ verdict, systems }) {
  return words(`pairs.${verdict}`, verdict === "first" ? { name: systemWords(systems[0].system) } : {});
}
