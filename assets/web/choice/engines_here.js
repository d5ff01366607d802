// Engines that can speak now, and the one line in place of all others: it leads to Cache & models, where those are compared and got. Whoever
// lists engines has `is_here` of each from the studio.

import { make } from "../kit/frame.js";
import { leadTo } from "../navigation/leading.js";
import { words } from "../words/words.js";

const ROOM = "cache";
const OFFERS = "#more-engines-title";
const [START, CENTRE] = [{ block: "start" }, { block: "center" }];

/** Those that nobody has to get first, and the chosen one. chosen: its id. */
export const hereOf = (engines, chosen = "") => engines.filter(({ id, is_here: isHere }) => isHere || (id && id === chosen));

const awayOf = (engines) => engines.filter(({ is_here: isHere }) => !isHere);

/** "7 more engines"; "" where all are here. */
export function moreWords(engines) {
  const n = awayOf(engines).length;
  return n ? words("engines.more", { n }) : "";
}

/** The line, in an element of its own, which is hidden where all engines are here. */
export function showMore(place, engines) {
  const textContent = moreWords(engines);
  const title = awayOf(engines)
    .map((engine) => engine.title)
    .join(words("figures.comma"));
  const button = place.firstElementChild ?? place.appendChild(make("button", { type: "button", className: "link-button", onclick: leave }));
  place.hidden = !textContent;
  if (button.textContent !== textContent || button.title !== title) Object.assign(button, { textContent, title });
}

// A dialog that the line stands in is closed before the room behind it is another.
function leave({ target }) {
  const dialog = target.closest("dialog");
  if (!dialog) return openMore();
  dialog.addEventListener("close", openMore, { once: true });
  return dialog.close();
}

/** Opens the list of engines that are not here. */
export const openMore = () => leadTo(ROOM, [OFFERS], START);

/** The id of an engine's row in Cache & models. */
export const engineRowId = (engine) => `engine-card-${engine}`;

/** Opens that row, at the button that gets or loads the engine where there is one. */
export function openEngine(engine) {
  const row = `#${CSS.escape(engineRowId(engine))}`;
  leadTo(ROOM, [`${row} .engine-verb`, `${row} .engine-name`], CENTRE);
}
