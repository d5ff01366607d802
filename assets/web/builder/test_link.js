// The link that listeners get: below the page's own address, whatever proxy it is behind.

import { copyLink } from "../kit/clipboard.js";
import { words } from "../words/words.js";

/** Absolute. more: of its query, such as {experimenter: 1}. */
export function linkOf(id, more = {}) {
  const address = new URL(`listen/${encodeURIComponent(id)}`, new URL(".", location.href));
  address.search = String(new URLSearchParams(more));
  return address.href;
}

export const copyListenersLink = (id) => copyLink(linkOf(id), words("tests.copied_hint"));
