// Where one is, as others tell it: the document's title, the Hub's address bar where the page stands in its frame, and a word where the address
// named nothing that there is.

import { openHashOf } from "../kit/address.js";
import { linkTo } from "../kit/clipboard.js";
import { placeNow } from "../kit/navigation.js";
import { strip } from "../kit/notices.js";
import { HUB } from "../transport/gradio_queue.js";
import { words } from "../words/words.js";

const isOnHub = window.parent !== window && location.hostname.endsWith(".hf.space");

document.addEventListener("studio-place", ({ detail: { room, title, isKnown } }) => {
  document.title = [title, words(`frame.room_${room}`), words("frame.title")].filter(Boolean).join(" · ");
  if (isOnHub) window.parent.postMessage({ hash: openHashOf(placeNow()) }, HUB); // which hands it back when its page is loaded again
  if (!isKnown) strip({ kind: "care", text: words("frame.no_place"), hint: words("frame.no_place_hint") });
});

/** space: of the Hub, such as "somebody/voices"; "" where the studio is none. */
export const belongTo = (space) => isOnHub && space && linkTo(`${HUB}/spaces/${space}`);
