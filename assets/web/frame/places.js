// Where one is, as others tell it: the document's title, the address bar of the page in whose frame this one stands, and a word where the address
// named nothing that there is.

import { linkTo } from "../kit/clipboard.js";
import { strip } from "../kit/notices.js";
import { openHashOf } from "../navigation/address.js";
import { placeNow } from "../navigation/navigation.js";
import { words } from "../words/words.js";

let around = ""; // the address of a Space's page, which hands its hash on when it is loaded

document.addEventListener("studio-place", ({ detail: { room, title, isKnown } }) => {
  document.title = [title, words(`frame.room_${room}`), words("frame.title")].filter(Boolean).join(" · ");
  tellAround();
  if (!isKnown) strip({ kind: "care", text: words("frame.no_place"), hint: words("frame.no_place_hint") });
});

/** page: of a Space, "" where the studio is none. Where this page is in a frame, links lead there. */
export function belongTo(page) {
  if (window.parent === window || !page || page === around) return;
  around = page;
  linkTo(page);
  tellAround();
}

function tellAround() {
  if (around) window.parent.postMessage({ hash: openHashOf(placeNow()) }, new URL(around).origin);
}
