// The draft: what was entered and neither spoken nor created yet. Words and choices stay in this tab's session storage, so that a reload loses
// none; sound and the reason of a consent never do. It is shown again to whom it belongs, and forgotten where somebody else comes.

import { speakOptions } from "./options.js";

const LOOK_MILLISECONDS = 20;
const KEPT = "studio-draft"; // WITH_DRAFT in studio/ui/page.py reads it, too
let owner = ""; // of this page's drafts, once the first lists have told it

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT)) ?? {};
  } catch {
    return {};
  }
}

function write(draft) {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(draft));
  } catch {
    return; // storage is off or full: the draft lasts as long as the page
  }
}

let tell;
export const drafts = {
  known: new Promise((resolve) => {
    tell = resolve;
  }), // resolved once it is known whose drafts these are
  of: (part) => (owner && read()[part]) || {},
  keep: (part, values) => owner && write({ ...read(), [part]: values }),
  forget: (part) => drafts.keep(part, undefined),
};

// --- the Speak tab's part

const textField = () => document.querySelector("#text textarea");
// Once Gradio has put the text in which somebody who comes anew finds, or somebody was faster.
export const textAtHand = new Promise((resolve) => {
  const look = () => (textField()?.value || isTyped ? resolve() : setTimeout(look, LOOK_MILLISECONDS));
  setTimeout(look);
});
const lock = () => document.querySelector("#seed-lock");
let sample = null; // what the text field holds for whoever comes anew
let isTyped = false; // before anything could be restored

function keep() {
  const { voice, gone, engine } = speakOptions.choice;
  const text = textField()?.value ?? "";
  const isLocked = lock()?.getAttribute("aria-pressed") !== "false";
  drafts.keep("speak", {
    voice: voice ?? gone,
    engine,
    text,
    language: speakOptions.language.value,
    options: speakOptions.read(),
    isLocked,
  });
  showForget(text);
}

function setText(text) {
  const field = textField();
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true })); // Gradio and the counter hear of it
}

function restore({ engine, text, language = "", options = {}, isLocked = true }) {
  sample = isTyped ? null : textField().value;
  if (text !== undefined && !isTyped) setText(text);
  if (engine === speakOptions.choice.engine) speakOptions.write(options, language);
  if (!isLocked && lock()?.getAttribute("aria-pressed") === "true") lock().click();
  showForget(textField().value);
}

function showForget(text) {
  const button = document.querySelector("#text-forget");
  if (button) button.hidden = sample === null || text === sample;
}

// After the fields of the engine are drawn, of which the same news tells.
document.addEventListener("studio-choice", () =>
  setTimeout(async () => {
    await textAtHand;
    const { owner: told } = speakOptions.choice;
    if (!told) return;
    if (owner) return keep();
    owner = told;
    if (read().owner !== owner) write({ owner });
    restore(drafts.of("speak"));
    tell();
  }),
);
for (const name of ["input", "change", "click"]) {
  document.addEventListener(name, ({ target }) => {
    if (!target.closest?.("#speak-section")) return;
    isTyped ||= name === "input" && target === textField();
    if (owner && target.id !== "text-forget") setTimeout(keep);
  });
}
document.addEventListener("click", ({ target }) => {
  if (target.id !== "text-forget") return;
  drafts.forget("speak");
  setText(sample);
  textField().focus();
});
