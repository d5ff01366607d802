// The link that listeners get: below the page's own address, whatever proxy it is behind.

import { strip } from "../kit/notices.js";
import { words } from "../words/words.js";

/** Absolute. more: of its query, such as {experimenter: 1}. */
export function linkOf(id, more = {}) {
  const address = new URL(`listen/${encodeURIComponent(id)}`, new URL(".", location.href));
  address.search = new URLSearchParams(more);
  return address.href;
}

export async function copyLink(id) {
  try {
    await navigator.clipboard.writeText(linkOf(id));
    strip({ text: words("tests.copied"), hint: words("tests.copied_hint") });
  } catch {
    strip({ kind: "care", text: words("tests.not_copied"), hint: linkOf(id) }); // no clipboard on plain http
  }
}
