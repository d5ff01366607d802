// Which engines a voice has chips of. Pure.

import { hereOf } from "../choice/engines_here.js";

// What an engine may know of a voice, in the order of the chips. What else there is says nothing of it.
const KNOWN = ["memory", "refining", "disk", "learning", "stale", "failed", "unsupported"];

/** Of how engines stand to a voice what its chips say: of those here, in the chips' order. */
export const knownOf = (engines) =>
  hereOf(engines)
    .filter(({ state }) => KNOWN.includes(state))
    .sort((one, other) => KNOWN.indexOf(one.state) - KNOWN.indexOf(other.state));
