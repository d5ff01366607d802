// What goes into the clipboard: any text, and links to what the page shows.

import { hashOf } from "../navigation/address.js";
import { words } from "../words/words.js";
import { make } from "./frame.js";
import { strip } from "./notices.js";

let around = ""; // the address of the page in whose frame this one is, where that hands a hash on

// navigator.clipboard is missing on insecure origins; a selected field can still be copied there.
export async function copyText(text) {
  if (navigator.clipboard?.writeText) {
    try {
      return await navigator.clipboard.writeText(text);
    } catch {
      // refused: try the old way
    }
  }
  const before = document.activeElement;
  const field = make("textarea", { value: text, className: "visually-hidden" });
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  before?.focus();
  if (!copied) throw new Error(words("speak.not_copied"));
}

/** The studio is shown in the frame of a page at that address, to which links lead then. */
export function linkTo(address) {
  around = address;
}

/** Copies the link to a thing of a room, which whoever may see that can open. */
export const copyPlace = (room, thing) =>
  copyLink(`${around || location.origin + location.pathname}${hashOf({ room, thing })}`, words("notices.link_hint"));

/** Copies a link. hint: who can open it. */
export async function copyLink(address, hint) {
  try {
    await copyText(address);
    strip({ text: words("notices.link_copied"), hint });
  } catch {
    strip({ kind: "care", text: words("notices.link_not_copied"), hint: address });
  }
}

/** The item of a menu that does so. */
export const linkItem = (room, thing) => ({
  key: "link",
  icon: "link",
  words: words("notices.copy_link"),
  act: () => copyPlace(room, thing),
});
