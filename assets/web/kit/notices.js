// What the page says to a person: below what was pressed, kept until the next press there or its cross, or in the strip on the dock.

import { icon } from "../drawings/icons.js";
import { errorWords, words } from "../words/words.js";
import { saidWhenBack } from "./back_again.js";
import { make, onMount } from "./frame.js";
import { StripQueue } from "./strip_queue.js";

const ICONS = { problem: "warning", care: "warning", done: "check", note: "info" };
const MOST_ACTS = 2;
const PLACES = ["create-message", "speak-message", "cache-message", "engines-message", "voices-message", "history-message"];
const PAUSE_MILLISECONDS = 250; // between two looks whether somebody is still at the strip

const NEAREST = { block: "nearest" }; // within the scroll padding, which is head and dock

let latest = null; // the notice that was said last
let isFollowed = false; // nobody has pressed or scrolled since
const places = new Map(); // the `.notice` of each place
const told = new Map(); // what was said last at each

/** Says what happened at a place of the page, and scrolls it into sight; without a fact it takes back what is said there.
 *  kind: problem, care, done or note. code, values: of the sentence that is said in place of fact and hint, where there is one. acts: at most
 *  two of {words, asked}, which ask what the section's own buttons ask, or {words, press}, which call a function. */
export function say(place, said = {}) {
  const notice = places.get(place);
  if (!notice) return;
  fill(notice, said, () => say(place));
  told.set(place, said);
  latest = notice.dataset.kind ? notice : null;
  isFollowed = true;
  latest?.scrollIntoView(NEAREST);
}

/** Empties a place that tells of work, which is done. A problem stays: it is another work's, and nobody may have read it. */
export function sayDone(place) {
  if (places.get(place)?.dataset.kind !== "problem") say(place);
}

/** The code of what a place says, "" where that has none. */
export const codeSaid = (place) => places.get(place)?.dataset.code ?? "";

/** Makes a `.notice` (notice.html) a place that `say` knows. */
export function addPlace(name, notice) {
  places.set(name, notice);
}

for (const name of PLACES) {
  onMount(name, ({ element, props, watch }) => {
    addPlace(name, element.querySelector(".notice"));
    watch("value", () => say(name, props.value ? heard(props.value) : {}));
  });
}

// A message of studio/ui/gradio/messages.py: where its button does what the hint says, that is not said beside it.
const heard = ({ act, ...said }) => (act ? { ...said, hint: "", acts: [act] } : said);

// The studio answers again: what said that it does not is not so any more.
document.addEventListener("studio-back", () => {
  for (const [name, notice] of places) {
    const now = notice.dataset.kind && saidWhenBack(told.get(name) ?? {});
    if (now) say(name, now);
  }
});

const unfollow = () => {
  isFollowed = false;
};
for (const event of ["wheel", "touchmove", "pointerdown", "keydown"])
  document.addEventListener(event, unfollow, { capture: true, passive: true });

// A press takes back what the one before was answered with: before whoever hears it says something new.
document.addEventListener(
  "click",
  ({ target }) => {
    if (!target.closest("button")) return;
    const section = target.closest(".section");
    for (const [name, notice] of places) {
      if (notice.dataset.kind && section?.contains(notice) && !notice.contains(target)) say(name);
    }
  },
  true,
);

// Problems interrupt whoever listens, the rest waits its turn. Both elements are there before and after, or nothing would be read out.
export function fill(notice, { kind = "note", fact = "", hint = "", code = "", values = {}, acts = [] }, onClose) {
  const said = code ? errorWords({ code, values, fact, hint }) : { fact, hint };
  const isUrgent = kind === "problem" || kind === "care";
  const [alert, status] = notice.querySelectorAll("p");
  for (const line of [alert, status]) line.replaceChildren();
  for (const gone of notice.querySelectorAll(":scope > :is(.icon, button)")) gone.remove();
  notice.dataset.kind = said.fact ? kind : "";
  notice.dataset.code = said.fact ? code : "";
  if (!said.fact) return;
  const line = isUrgent ? alert : status;
  line.append(make("span", { className: "fact", textContent: said.fact }));
  if (said.hint) line.append(" ", make("span", { className: "hint", textContent: said.hint }));
  notice.prepend(icon(ICONS[kind]));
  notice.append(...acts.slice(0, MOST_ACTS).map(actButton));
  if (onClose) notice.append(closeButton(onClose));
}

function actButton({ words: said, label = "", sign, asked, press }) {
  const button = make("button", { type: "button", className: "button small" }, ...(sign ? [icon(sign)] : []), said);
  if (label) button.setAttribute("aria-label", label);
  button.addEventListener("click", press ?? (() => document.dispatchEvent(new CustomEvent("studio-act", { detail: asked }))));
  return button;
}

function closeButton(onClose) {
  const button = make(
    "button",
    { type: "button", className: "button quiet square small close", title: words("notices.close") },
    icon("close"),
  );
  button.setAttribute("aria-label", words("notices.close"));
  button.addEventListener("click", onClose);
  return button;
}

// --- the strip

const queue = new StripQueue();
let lines = null; // { notice, connection }: of what happened, and of how the page is
let seen = null; // what is in the strip
let timer = null;
let before = null; // what had the focus before the strip took it

/** The strip has come. element: holds the `.notice` of what happened and that of how the page is (#connection). */
export function mountStrip(element) {
  const [notice, connection] = element.querySelectorAll(".notice");
  lines = { notice, connection };
  // As the strip comes it makes the dock higher, whose edge dock.js measures before the next frame.
  new ResizeObserver(() => isInWindow(latest) && requestAnimationFrame(() => latest?.scrollIntoView(NEAREST))).observe(element);
  // What comes late above a notice would push it out of sight.
  new ResizeObserver(() => isFollowed && isShown(latest) && latest.scrollIntoView(NEAREST)).observe(document.documentElement);
  look();
}

/** Says in the dock's strip what is done and can be undone, or how the page is. kind, hint, act: as `say` has them; text: the fact.
 *  seconds: 6 where nothing is said, Infinity until `endStrip(key)`. key: one of the same key takes this one's place.
 *  @param {{ kind?: string, text: string, hint?: string, act?: object, seconds?: number, key?: string, isState?: boolean }} said */
export function strip({ kind = "done", text, hint = "", act = null, seconds, key = text, isState = false }) {
  queue.add({ kind, fact: text, hint, act, seconds, key, isState, isLimited: Boolean(act) }, now());
  look();
}

export function endStrip(key) {
  queue.remove(key);
  look();
}

/** Offers to bring back what was deleted, for as long as that can be done; the button takes the focus.
 *  deletion: {undo, name, undo_seconds} as a handler of the studio answers. onUndo: hears `undo`, whose deletion it was. said: {text, hint,
 *  label}, label of the button, where it was no voice of that name. */
export function offerUndo(deletion, onUndo, said = undoWords(deletion)) {
  const { undo, undo_seconds: seconds } = deletion;
  const { text, hint, label } = said;
  const key = `undo ${undo}`;
  strip({ text, hint, act: { words: words("notices.undo"), sign: "replay", label, press: () => onUndo(undo) }, seconds, key });
  if (seen?.key === key) takeFocus();
}

const undoWords = ({ name, undo_seconds: seconds }) => ({
  text: words("notices.deleted", { name }),
  hint: words("notices.undo_within", { seconds }),
  label: words("notices.undo_label", { name }),
});

const now = () => performance.now() / 1000;

const isShown = (element) => Boolean(element?.getBoundingClientRect().height);

function isInWindow(element) {
  const { top, bottom, height } = element?.getBoundingClientRect() ?? {};
  return height > 0 && bottom > 0 && top < window.innerHeight;
}

function look() {
  clearTimeout(timer);
  if (!lines) return;
  const isHeld = lines.notice.matches(":hover, :focus-within");
  const next = queue.at(now(), isHeld);
  if (next !== seen) show(next);
  const seconds = isHeld ? PAUSE_MILLISECONDS / 1000 : queue.waits(now());
  if (next && seconds < Number.POSITIVE_INFINITY) timer = setTimeout(look, Math.max(PAUSE_MILLISECONDS, seconds * 1000));
}

function show(next) {
  const hadFocus = lines.notice.contains(document.activeElement);
  seen = next;
  for (const line of Object.values(lines)) fill(line, {});
  if (next)
    fill(next.isState ? lines.connection : lines.notice, { ...next, acts: actsOf(next) }, next.isState ? null : () => endStrip(next.key));
  if (hadFocus) placeBefore()?.focus();
}

// What had the focus before the strip; where that was deleted, the tab of what it stood in.
function placeBefore() {
  const isLost = !before?.isConnected || before === document.body;
  return isLost ? document.querySelector('#tabs [role="tab"][aria-selected="true"]') : before;
}

function actsOf({ act, key, isState }) {
  if (!act || isState) return act ? [act] : [];
  const press = () => {
    endStrip(key);
    act.press();
  };
  return [{ ...act, press }];
}

function takeFocus() {
  before = document.activeElement;
  lines.notice.querySelector("button").focus();
}
