// What the chip in the head says of all engines. Pure.

import { words } from "../words/words.js";

const LOADABLE = ["idle", "unloading"];

/** [state, words]. The first of these that is so: the studio is gone, an engine loads, its weights arrive, some are loaded, some could be. */
export function standing(engines, isAway) {
  const loading = engines.find(({ state }) => state === "loading");
  const arriving = engines.find(({ fetching }) => fetching);
  const ready = engines.filter(({ state }) => state === "ready");
  const n = ready.filter(({ elsewhere }) => !elsewhere).length;
  const far = ready.filter(({ elsewhere }) => elsewhere && elsewhere.health !== "down");
  if (isAway) return ["care", words("frame.offline")];
  if (loading) return ["learning", words(loading.elsewhere ? "frame.connecting" : "frame.loading", { engine: loading.title })];
  if (arriving) return ["learning", gettingOf(arriving)];
  if (n) return ["memory", words("frame.loaded", { n })];
  if (far.length) return ["memory", words("frame.connected", { n: far.length })];
  const isLoadable = engines.some(({ state }) => LOADABLE.includes(state));
  return isLoadable ? ["disk", words("frame.none_loaded")] : ["none", words("frame.no_engine")];
}

function gettingOf({ title: engine, percent }) {
  return percent === null ? words("frame.getting_unknown", { engine }) : words("frame.getting", { engine, percent });
}
