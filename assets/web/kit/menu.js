// The menu that a button opens: a list of what can be done, below it on wide windows, a sheet from below on phones. One on the page.

import { icon } from "../drawings/icons.js";
import { openPopover } from "../navigation/navigation.js";
import { make } from "./frame.js";
import { sameButton } from "./library.js";

const GAP = 4; // pixels between button and menu
const STEPS = { ArrowDown: 1, ArrowUp: -1 };
let menu = null;
let opener = null;

/** The button of a row that opens its menu. title: whose it is, for a screen reader too. */
export function menuButton(title) {
  const more = make("button", { type: "button", className: "button quiet square small", title }, icon("more"));
  more.setAttribute("aria-label", title);
  more.setAttribute("aria-haspopup", "menu");
  more.setAttribute("aria-expanded", "false");
  return more;
}

// items: [{ words, act(), icon, note, isDangerous, isDisabled, key }], { heading } for words above some, null for a line between two. act() is called once the menu is closed.
// label: what it is about, for a screen reader. Pressed once more, the button closes it.
export function openMenu(button, label, items) {
  const wasOpen = menu?.matches(":popover-open") && opener === button;
  menu ??= created();
  if (wasOpen) return menu.hidePopover();
  opener = button;
  menu.setAttribute("aria-label", label);
  menu.replaceChildren(...items.map(itemOf));
  button.setAttribute("aria-expanded", "true");
  openPopover(menu);
  place(button);
  menu.querySelector("button:not(:disabled)")?.focus();
  return menu;
}

// Whether it stands open for that button, or for any.
export const isMenuOpen = (button) => Boolean(menu?.matches(":popover-open")) && (!button || opener === button);

// A row went that the menu belongs to.
export const closeMenu = () => menu?.matches(":popover-open") && menu.hidePopover();

// The button that it belongs to, whose row may be drawn again.
const opened = () => (opener?.isConnected ? opener : sameButton(document, opener?.dataset ?? {}));

// The focus, where it is still in the menu (a hidden one has it until the next frame) or with nobody, since the row was drawn again.
function giveBack() {
  const { activeElement } = document;
  if (menu.contains(activeElement) || activeElement === document.body) opened()?.focus();
}

function created() {
  const element = make("div", { className: "menu", popover: "auto", role: "menu" });
  element.addEventListener("keydown", follow);
  element.addEventListener("toggle", ({ newState }) => {
    if (newState === "open") return;
    opener?.setAttribute("aria-expanded", "false");
    giveBack();
  });
  (document.querySelector(".gradio-container main") ?? document.body).append(element); // in a landmark
  return element;
}

function itemOf(item) {
  if (!item) return make("hr", { className: "rule" });
  if (item.heading) return make("div", { className: "menu-group", textContent: item.heading });
  const button = make("button", { type: "button", className: "menu-item", role: "menuitem", disabled: Boolean(item.isDisabled) });
  button.classList.toggle("danger", Boolean(item.isDangerous));
  if (item.key) button.dataset.act = item.key;
  if (item.icon) button.append(icon(item.icon, 14));
  button.append(make("span", { textContent: item.words }));
  if (item.note) button.append(make("small", { textContent: item.note }));
  button.addEventListener("click", () => {
    menu.hidePopover();
    giveBack(); // a dialog that opens now gives the focus back to the same button
    item.act();
  });
  return button;
}

function follow(event) {
  const items = [...menu.querySelectorAll("button:not(:disabled)")];
  const at = items.indexOf(document.activeElement);
  if (event.key === "Escape") event.stopPropagation(); // closes the menu, stops no speech
  if (event.key === "Tab") menu.hidePopover();
  const to = event.key === "Home" ? 0 : event.key === "End" ? -1 : event.key in STEPS ? (at + STEPS[event.key]) % items.length : null;
  if (to === null) return;
  event.preventDefault();
  items.at(to)?.focus();
}

// Below the button, its right edges together; above it where there is no room. Phones have it as a sheet (parts.css).
function place(button) {
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const below = at.bottom + GAP + height <= window.innerHeight;
  menu.style.left = `${Math.max(GAP, at.right - width)}px`;
  menu.style.top = `${below ? at.bottom + GAP : Math.max(GAP, at.top - GAP - height)}px`;
}
