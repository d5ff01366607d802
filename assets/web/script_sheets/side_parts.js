// Parts that stand in several places beside the editor: folds, round buttons, small buttons with a sign.

import { icon } from "../drawings/icons.js";
import { make } from "../kit/frame.js";

const ICON_PIXELS = 16;

/** A round button for PlayButton. */
export function playFace(label) {
  const button = make("button", { type: "button", className: "play small", title: label }, icon("play", ICON_PIXELS));
  button.setAttribute("aria-label", label);
  return button;
}

/** A small square button. data: for `redraw`, which keeps the focus by it. */
export function signButton(sign, label, press, data = {}) {
  const button = make("button", { type: "button", className: "button quiet square small", title: label }, icon(sign, ICON_PIXELS));
  button.setAttribute("aria-label", label);
  Object.assign(button.dataset, data);
  if (press) button.addEventListener("click", press);
  return button;
}

/** {element, body, title}: what folds. */
export function foldOf(id, title, isOpen = true) {
  const said = make("span", { textContent: title });
  const note = make("span", { className: "note num" });
  const body = make("div", { className: "side-body" });
  const element = make("details", { id, className: "fold side-fold", open: isOpen }, make("summary", {}, said, note), body);
  return { element, body, note };
}
