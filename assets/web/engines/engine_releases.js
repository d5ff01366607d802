// The sizes in which the makers of an engine released it, each with what it is for: a button each, of which the chosen one is pressed.

import { make } from "../kit/frame.js";
import { words } from "../words/words.js";

/** The parts of the group. releases: as studio/ui/engines/engine_cards.py sends them. press(repository): another one is wanted. */
export function releaseParts({ releases, fixed_by: setting }, press) {
  const buttons = releases.map(({ repository, size, suits, weights_bytes: bytes, is_chosen: isChosen }) => {
    const textContent = words("engines.release_use", { size, suits: words(`engines.release_${suits}`), bytes });
    const button = make("button", {
      type: "button",
      className: "button small",
      textContent,
      title: repository,
      disabled: Boolean(setting),
    });
    button.setAttribute("aria-pressed", String(isChosen));
    button.dataset.release = repository;
    if (!isChosen) button.addEventListener("click", () => press(repository));
    return button;
  });
  return setting ? [...buttons, make("span", { className: "note", textContent: words("engines.release_fixed", { setting }) })] : buttons;
}
