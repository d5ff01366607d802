// How sounds of evaluations are heard: one at a time through the page's player. Going over to another system's sound of the same text keeps the
// place, as a share of its length.

import { evaluationPath } from "../evaluation_state/evaluation_calls.js";
import { listen } from "../sound/listening.js";
import { player } from "../sound/player.js";

const PLACE = "evaluations-message";

const groupOf = (id, { voice, text, seed }) => `evaluation ${JSON.stringify([id, voice, text, seed])} `;

/** By which the player knows a sound. id: of the evaluation. */
export const cellKey = (id, cell) => `${groupOf(id, cell)}${cell.system}`;

/** Inside of a click. told: {voice, text, system}, in words. */
export function hearCell(id, cell, { voice, text, system }) {
  const key = cellKey(id, cell);
  const share = shareNow(groupOf(id, cell));
  const goOn = () => player.session?.key === key && player.seek(share * player.session.seconds);
  if (share) player.addEventListener("received", goOn, { once: true });
  const about = { voice, text, engineTitle: system };
  const heard = listen(evaluationPath(`/${id}/sounds/${cell.sound}`), { label: `${system}, ${voice}`, key, about }, PLACE);
  return heard.finally(() => player.removeEventListener("received", goOn));
}

// Where the sound of the same group is that sounds; 0 for none.
function shareNow(group) {
  const { session, state } = player;
  if (state !== "playing" || !session?.key?.startsWith?.(group)) return 0;
  return player.heardSeconds / session.seconds;
}

/** Nothing of this evaluation sounds any more. */
export const hushEvaluation = (id) => player.session?.key?.startsWith?.(`evaluation [${JSON.stringify(id)},`) && player.stop();
