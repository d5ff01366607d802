// The link that listeners get: below the page's own address, whatever proxy it is behind.

import { copyLink } from "../kit/clipboard.js";
import { words } from "../words/words.js";

/** Absolute. token: a test's `link`. more: of its query, such as {experimenter: 1}. */
export function linkOf(token, more = {}) {
  const address = new URL(`listen/${encodeURIComponent(token)}`, new URL(".", location.href));
  address.search = String(new URLSearchParams(more));
  return address.href;
}

export const copyListenersLink = (token) => copyLink(linkOf(token), words("tests.copied_hint"));
