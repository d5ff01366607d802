// How an engine with its settings is called: as options are, and with its own speaker where it has one.

import { optionWords } from "../choice/option_caption.js";
import { words } from "../words/words.js";

/** system: {title, preset, settings, seed} as the studio tells it. */
export function systemWords({ title, preset, settings }) {
  const changed = Object.entries(settings).map(([name, value]) => optionWords({ name }, value));
  return [title, preset, ...changed].filter(Boolean).join(" · ");
}

/** The two of a pair by slot; with their variations, which are of takes and not of systems, where these differ. */
export function sidesWords({ a, b }) {
  const differ = a.seed !== b.seed;
  const said = (side) => (differ && side.seed !== null ? [words("takes.variation", { seed: String(side.seed) })] : []);
  return { a: [systemWords(a), ...said(a)].join(" · "), b: [systemWords(b), ...said(b)].join(" · ") };
}

/** Whether it is one engine with one setting, said twice. */
export const isOneSystem = ({ a, b }) => JSON.stringify({ ...a, seed: 0 }) === JSON.stringify({ ...b, seed: 0 });

/** standings: as the studio tells them. What they say of the first, honestly. */
export function verdictWords({ verdict, systems }) {
  return words(`pairs.${verdict}`, verdict === "first" ? { name: systemWords(systems[0].system) } : {});
}
