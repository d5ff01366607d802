// Where the page's scripts meet Gradio's components. A gr.HTML says `studioMounts.push({ name, element, ... })` when it appears; whoever
// called `onMount(name, ...)` takes it over. Works in either order, since Gradio adds head scripts and components when it likes.

import { fillIcons } from "../drawings/icons.js";

const takers = new Map();
const joining = new Map(); // name -> what takes Gradio's component, where its script is at work already
const waiting = window.studioMounts ?? [];

function deliver(mounted) {
  const join = joining.get(mounted.name);
  joining.delete(mounted.name);
  if (join) return join(mounted);
  const take = takers.get(mounted.name);
  if (!take) return waiting.push(mounted);
  fillIcons(mounted.element);
  return take({ joined: Promise.resolve(), ...mounted });
}

/** Hands over what is like Gradio's component, before that is there; `join` gets that. joined: of what its script gets, resolved by then. */
export function mountEarly(mounted, join) {
  deliver(mounted);
  joining.set(mounted.name, join);
}

export const onMount = (name, take) => {
  takers.set(name, take);
  for (const mounted of waiting.splice(0)) deliver(mounted);
};
window.studioMounts = { push: deliver };

// <tag> with properties and children. Words go in as text, never as markup.
export const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

// Esc closes a dialog and does nothing else: it stops no speech behind it. A list in it (picker.js) is closed before.
window.addEventListener(
  "keydown",
  (event) => event.key === "Escape" && document.querySelector("dialog[open]:not(:has(.pick))") && event.stopPropagation(),
  true,
);

const SAVED_MILLISECONDS = 60_000; // until a browser has certainly begun to save

/** Has the browser save a blob under a name. */
export function saveFile(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAVED_MILLISECONDS);
}
