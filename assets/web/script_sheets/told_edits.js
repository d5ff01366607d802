// What was done to a script, told in the strip with the way back, for as long as nothing else was done since.

import { endStrip, strip } from "../kit/notices.js";
import { words } from "../words/words.js";

const KEY = "script-edit";

/** done: the promise of a verb of the state, null where it was refused. Resolves to whether it was done. */
export async function tellDone(state, done, text, hint = "") {
  if ((await done) === null) return false;
  const { revision } = state.script;
  const isLast = () => state.script?.revision === revision;
  strip({ text, hint, key: KEY, act: { words: words("notices.undo"), sign: "replay", press: () => isLast() && state.undo() } });
  const look = () => {
    if (isLast()) return;
    state.removeEventListener("changed", look);
    endStrip(KEY);
  };
  state.addEventListener("changed", look);
  return true;
}
