// The terms of an engine's weights, as `terms_value` of studio/ui/engines/engine_state.py has them: the licences with links to their texts, what they forbid,
// and what they want shown.

import { make } from "../kit/frame.js";
import { words } from "../words/words.js";

/** Links to the texts of all licences, with what stands between them. */
export function licenceLinks(licences) {
  return licences.flatMap(({ named, url }, i) => [...(i ? [words("figures.comma")] : []), linkTo(named, url)]);
}

// The words alone where nobody said where the text is.
function linkTo(said, url) {
  if (!url.startsWith("https:")) return make("span", { textContent: said });
  return make("a", { className: "link", textContent: said, href: url, target: "_blank", rel: "noopener noreferrer" });
}

/** That nothing may be earned with it, where that is what is forbidden: one badge, or none. */
export const nonCommercialBadge = ({ is_non_commercial: isNonCommercial }) =>
  isNonCommercial ? [make("span", { className: "chip plain", textContent: words("engines.non_commercial") })] : [];

/** In one line: what is forbidden, what is to be shown, the licences. Empty for weights that anybody may use as they like. */
export function termsLine({ licences, forbids, is_non_commercial, attribution }) {
  if (!forbids && !attribution) return [];
  const shown = make("b", { className: "attribution", textContent: attribution });
  const links = make("span", {}, ...licenceLinks(licences));
  return [...nonCommercialBadge({ is_non_commercial }), ...(attribution ? [shown] : []), links];
}

/** What stands below the question whether somebody accepts them. */
export function termsToAccept({ licences, meaning, attribution }) {
  const shown = attribution && words("engines.shows_attribution", { attribution });
  const said = [meaning, ...licences.map(({ limit }) => limit), shown].filter(Boolean);
  const read = licences.filter(({ url }) => url).map(({ title, url }) => linkTo(words("engines.read_licence", { licence: title }), url));
  return [...said.map((textContent) => make("p", { textContent })), ...read.map((link) => make("p", {}, link))];
}
