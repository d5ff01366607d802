// The terms of an engine's weights, as `terms_value` of studio/ui/terms.py has them: the licence with a link to its text, what it forbids, and
// what it wants shown.

import { make } from "./frame.js";
import { words } from "./words.js";

/** A link to the text of a licence; the words alone where nobody said where it is. */
export function licenceLink(said, url) {
  if (!url.startsWith("https:")) return make("span", { textContent: said });
  return make("a", { className: "link", textContent: said, href: url, target: "_blank", rel: "noopener noreferrer" });
}

/** In one line: what is forbidden, the licence, what is to be shown. Empty for weights that anybody may use as they like. */
export function termsLine({ licence, licence_url: url, forbids, is_non_commercial: isNonCommercial, attribution }) {
  if (!forbids && !attribution) return [];
  const badge = make("span", { className: "chip plain", textContent: words("engines.non_commercial") });
  const shown = make("b", { className: "attribution", textContent: attribution });
  return [...(isNonCommercial ? [badge] : []), ...(attribution ? [shown] : []), licenceLink(licence, url)];
}

/** What stands below the question whether somebody accepts them. */
export function termsToAccept({ licence, licence_url: url, meaning, attribution }) {
  const read = url ? [make("p", {}, licenceLink(words("engines.read_licence", { licence }), url))] : [];
  const said = [meaning, attribution && words("engines.shows_attribution", { attribution })].filter(Boolean);
  return [...said.map((textContent) => make("p", { textContent })), ...read];
}
