// What screens of the listener's page are made of.

import { icon } from "../drawings/icons.js";
import { make } from "../kit/frame.js";
import { words } from "../words/words.js";

export const byId = (id) => document.getElementById(id);

// Below this faders do not fit side by side; listen.css has the same.
export const narrowScreen = matchMedia("(max-width: 767px)");
export const phoneScreen = matchMedia("(max-width: 720px)");

/** One thing at a time is on the page. Its heading gets the focus, so that who hears the page hears where they are. */
export function showScreen(title, parts, { isBroad = false, beside = [] } = {}) {
  const heading = make("h1", { textContent: title, tabIndex: -1 });
  const screen = byId("screen");
  screen.classList.toggle("broad", isBroad);
  screen.replaceChildren(isBroad ? make("div", { className: "page-title" }, heading, ...beside) : heading, ...parts);
  heading.focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

/** Said by screen readers, and seen by nobody. */
export function announce(sentence) {
  byId("said").textContent = sentence;
}

/** The text of what is heard, where the test shows it. */
export const saidLines = ({ said }, { language }) =>
  said ? [make("p", { className: "told said", dir: "auto", lang: language ?? "", textContent: said })] : [];

export const told = (textContent) => make("p", { className: "told", dir: "auto", textContent });

// look: further classes. The icon, if any, stands before the words.
export function button(textContent, onClick, { look = "", sign = "" } = {}) {
  const made = make("button", { type: "button", className: `button ${look}`.trim() }, ...(sign ? [icon(sign)] : []), textContent);
  made.addEventListener("click", onClick);
  return made;
}

export const verbs = (...buttons) => make("div", { className: "verbs" }, ...buttons);

export const stepCard = (...children) => make("section", { className: "card pad-big step-card" }, ...children);

/** With fields, which begin where lines do. */
export const formCard = (...children) => make("section", { className: "card pad-big step-card form-card" }, ...children);

/** Of a fact and what to do about it, above the screen; nothing for "". */
export function showLine(kind, fact = "", hint = "") {
  const line = byId("line");
  if (line.dataset.kind === kind && line.textContent === fact + hint) return;
  line.dataset.kind = kind;
  const sign = kind === "done" ? "check" : "warning";
  const parts = [make("span", { className: "fact", textContent: fact }), hint ? ` ${hint}` : ""];
  line.replaceChildren(...(kind ? [icon(sign), make("p", {}, ...parts)] : []));
}

/** A notice in a screen. */
export function careNotice(fact) {
  const paragraph = make("p", {}, make("span", { className: "fact", textContent: fact }));
  const notice = make("div", { className: "notice asked" }, icon("info"), paragraph);
  notice.dataset.kind = "care";
  return notice;
}

/** A link to be copied, which can be selected where a frame forbids copying. */
export const linkLine = (link, look = "") => copyLine(link, words("listen.link"), words("listen.copy"), look);

/** A code to be copied or written down. */
export const codeLine = (code, label) => copyLine(code, label, words("listen.copy_code"));

function copyLine(value, label, copyWords, look = "") {
  const field = make("input", { className: "input", readOnly: true, value });
  field.setAttribute("aria-label", label);
  field.addEventListener("focus", () => field.select());
  const copy = button(copyWords, copied, { look, sign: "copy" });
  async function copied() {
    field.select();
    const isDone = await navigator.clipboard?.writeText(value).then(
      () => true,
      () => document.execCommand("copy"),
    );
    const said = words(isDone ? "listen.copied" : "listen.not_copied");
    copy.lastChild.textContent = said;
    announce(said);
  }
  return make("div", { className: "link-line" }, field, copy);
}

/** How far a sound has played: one plain bar without times, which would tell sounds apart. */
export class PlayedBar {
  constructor() {
    this.element = make("div", { className: "progress", role: "img" }, make("i"));
    this.element.setAttribute("aria-label", words("listen.played"));
  }

  // part: { from, to } that repeats, `to` null where it is still open.
  show(position, part = null) {
    this.element.style.setProperty("--at", `${position * 100}%`);
    this.element.toggleAttribute("data-part", Boolean(part));
    if (!part) return;
    this.element.style.setProperty("--from", `${part.from * 100}%`);
    this.element.style.setProperty("--to", `${(part.to ?? Math.max(position, part.from)) * 100}%`);
  }
}

/** One of a few, as big radio buttons. choices: [[value, words]]. */
export function picks(legend, name, choices, onPick) {
  const group = make("fieldset", {}, make("legend", { textContent: legend }));
  const row = make("div", { className: "picks" });
  for (const [value, textContent] of choices) {
    const input = make("input", { type: "radio", name, value });
    input.addEventListener("change", () => onPick(value));
    row.append(make("label", { className: "button" }, input, textContent));
  }
  group.append(row);
  return group;
}
