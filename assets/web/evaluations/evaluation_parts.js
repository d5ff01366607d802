// Small parts that all views of evaluations have.

import { icon } from "../drawings/icons.js";
import { make } from "../kit/frame.js";

/** A button with a sign and a word. kind: of parts.css, "" for an outlined one. */
export function iconButton(sign, said, press, kind = "") {
  const button = make("button", { type: "button", className: `button ${kind}`.trim() }, icon(sign), said);
  button.addEventListener("click", press);
  return button;
}

/** The way back, a sign whose words are its label. */
export function backButton(said, press) {
  const button = make("button", { type: "button", className: "button quiet square", title: said }, icon("left"));
  button.setAttribute("aria-label", said);
  button.addEventListener("click", press);
  return button;
}

/** A section with a title. */
export function section(title, ...parts) {
  const heading = make("h3", { className: "section-title", textContent: title });
  return make("section", { className: "stack" }, heading, ...parts);
}

/** {element, show(share)}: how far something is, 0 to 1, for eyes alone: words stand beside it. */
export function progressBar(share = 0) {
  const fill = make("i");
  const element = make("span", { className: "progress" }, fill);
  element.setAttribute("aria-hidden", "true");
  const show = (now) => {
    fill.style.width = `${100 * now}%`;
  };
  show(share);
  return { element, show };
}
