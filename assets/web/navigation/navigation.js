// The page's history: the one script that writes addresses, and hears of back and forward. Which room is seen Gradio's tabs know, and which thing
// in it the room: both tell it here. What stands over the page is an entry of its own, so that back takes it away and not the studio.

import { FIRST_ROOM, hashOf, isSamePlace, placeOf } from "./address.js";

/** Of a window in which lists and menus are sheets over the page (parts.css). */
export const PHONE = "(max-width: 720px)";
const MOST_LOOKS = 120; // frames in which a place may become as high as it was
const REST_MILLISECONDS = 150; // after the last scrolling

const shows = new Map(); // room -> shows a thing of it
const things = new Map(); // room -> the thing that it shows until it tells of another
const titles = new Map(); // room -> { thing, title } of what somebody named last
const focused = new Map(); // room -> what had the focus in it last
const covers = []; // { close } of what stands over the page, the topmost last
let place = placeOf(location.hash);
let isOpen = false; // any room can be shown
let scrolled = 0; // pixels, as the last frame had it: a room that is shorter has changed it by the time that its tab is told
let isGoing = false; // to another entry, which the browser does later

history.scrollRestoration = "manual"; // a room is not as high as it was before its contents are there

const tabOf = (room) => document.getElementById(`${room}-section-button`);
const roomSeen = () => document.querySelector('#tabs [role="tab"][aria-selected="true"]')?.id.replace("-section-button", "");
const coversKept = () => history.state?.covers ?? 0; // how many stand over the page at this entry

// The whole address, since a hash alone would be one of the document's base.
function write(how, changes) {
  const address = location.pathname + location.search + (changes.hash ?? location.hash);
  history[how]({ covers: 0, ...changes.state }, "", address);
}

const noteScroll = () => write("replaceState", { state: { ...history.state, scroll: scrolled } });

// To the document: { room, title } of where one is. isKnown: false where the address said something else.
function tell(isKnown = true) {
  const { room, thing } = place;
  const named = titles.get(room);
  const title = thing && named?.thing === thing ? named.title : "";
  document.dispatchEvent(new CustomEvent("studio-place", { detail: { room, title, isKnown } }));
}

// --- where one is

/** The place that the address says. */
export const placeNow = () => place ?? { room: FIRST_ROOM, thing: "" };

/** Opens a room, as a press on its tab does. */
export function openRoom(room) {
  tabOf(room)?.click();
}

/** A room that is to be opened once any can be. */
export function wishRoom(room) {
  place = { room, thing: "" };
  write("replaceState", { hash: hashOf(place) });
}

/** A room that has things of its own hears of each that is to be shown, "" for none. */
export function onThing(room, show) {
  shows.set(room, show);
  if (place?.room === room && place.thing) show(place.thing);
}

/** A room shows a thing now. isReplaced: what was shown before has another address. title: for the document's. */
export function showsThing(room, thing, { isReplaced = false, title = "" } = {}) {
  things.set(room, thing);
  if (title) titles.set(room, { thing, title });
  if (isSamePlace(place, { room, thing })) tell();
  else if (place?.room === room) move({ room, thing }, isReplaced);
}

/** What is called how, of which the address tells already. */
export function namesThing(room, thing, title) {
  titles.set(room, { thing, title });
  if (isSamePlace(place, { room, thing })) tell();
}

/** A tab is chosen, by whomever. */
export function showsRoom(room) {
  if (isOpen && room !== place.room) move({ room, thing: things.get(room) ?? "" });
}

/** Any room can be shown by now: that of the address, or which somebody has chosen meanwhile. Gives which it is. */
export function openFirst() {
  isOpen = true;
  let isKnown = true;
  if (roomSeen() !== FIRST_ROOM) move({ room: roomSeen(), thing: "" }, true);
  else if (location.hash.length > 1) isKnown = show(place);
  else move({ room: FIRST_ROOM, thing: "" }, true);
  if (roomSeen() !== place.room) openRoom(place.room);
  settle();
  tell(isKnown);
  if (history.state?.scroll) giveBack(history.state.scroll, false); // it was loaded again
  return place.room;
}

function move(next, isReplaced = false) {
  place = next;
  const isSpent = coversKept() > covers.length; // the entry of what is gone by now
  const isBare = next.room === FIRST_ROOM && !next.thing && location.hash.length < 2;
  if (isReplaced || isSpent) {
    const state = { covers: Math.min(coversKept(), covers.length), scroll: scrolled };
    write("replaceState", { hash: isBare ? "" : hashOf(next), state });
  } else {
    noteScroll();
    write("pushState", { hash: hashOf(next) });
    scrolled = 0;
    window.scrollTo(0, 0);
  }
  tell();
}

// It is told that there is no such place, and the first room is shown.
function refuse() {
  place = { room: FIRST_ROOM, thing: "" };
  write("replaceState", { hash: hashOf(place) });
  openRoom(FIRST_ROOM);
  return false;
}

function show(next) {
  if (!next || !tabOf(next.room)) return refuse();
  if (next.room !== roomSeen()) openRoom(next.room);
  if (next.thing !== (things.get(next.room) ?? "")) shows.get(next.room)?.(next.thing);
  return true;
}

// --- back and forward

window.addEventListener("popstate", () => {
  const isOwn = isGoing;
  isGoing = false;
  if (isOwn) {
    // The entry below says what was shown before something stood over it, and that may have changed the place.
    if (!isSamePlace(place, placeOf(location.hash))) write("replaceState", { hash: hashOf(place), state: history.state });
    return settle();
  }
  while (covers.length > coversKept()) covers.pop().close();
  const before = place;
  place = placeOf(location.hash);
  if (isOpen && !isSamePlace(before, place)) {
    const { scroll = 0 } = history.state ?? {};
    tell(show(place));
    giveBack(scroll, before.room !== place.room);
  }
  return settle();
});

// Focus and scrolling as they were, once what was there is there again; who scrolls meanwhile has the say.
function giveBack(scroll, isOtherRoom) {
  const before = focused.get(place.room);
  let looks = 0;
  const own = new AbortController();
  for (const name of ["wheel", "touchstart", "keydown"]) window.addEventListener(name, () => own.abort(), { signal: own.signal });
  const look = () => {
    if (own.signal.aborted) return;
    if (isOtherRoom && !looks) focusAgain(before);
    window.scrollTo(0, scroll);
    looks += 1;
    if (Math.abs(window.scrollY - scroll) < 2 || looks > MOST_LOOKS) own.abort();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look); // the room is seen by then
}

// On a phone no field: it would bring the keyboard.
function focusAgain(element) {
  const isSeen = element?.checkVisibility() && !(matchMedia(PHONE).matches && element.matches("input, textarea"));
  (isSeen ? element : tabOf(place.room)).focus({ preventScroll: true });
}

document.addEventListener("focusin", ({ target }) => {
  const room = target.closest(".section")?.id.replace(/-section$/, "");
  if (room) focused.set(room, target);
});

let resting = null;
window.addEventListener(
  "scroll",
  () => {
    scrolled = window.scrollY;
    clearTimeout(resting);
    resting = setTimeout(noteScroll, REST_MILLISECONDS);
  },
  { passive: true },
);

// --- what stands over the page

/** Shows a dialog over the page until it is closed, or until somebody goes back. */
export function openDialog(dialog) {
  dialog.showModal();
  dialog.addEventListener(
    "close",
    cover(() => dialog.close()),
    { once: true },
  );
}

/** Shows a popover; one that is a sheet over the page is taken away by going back. */
export function openPopover(element) {
  element.showPopover();
  element.addEventListener(
    "beforetoggle",
    coverPhone(() => element.hidePopover()),
    { once: true },
  );
}

/** Something is a sheet over the page where that is narrow. close(): takes it away. Gives what is to be called once it is gone. */
export const coverPhone = (close) => (matchMedia(PHONE).matches ? cover(close) : () => {});

function cover(close) {
  const one = { close };
  covers.push(one);
  settle();
  return () => {
    const at = covers.indexOf(one);
    if (at >= 0) covers.splice(at, 1);
    setTimeout(settle); // a menu is gone before the dialog comes that it opens
  };
}

// As many entries of the history as there are things over the page.
function settle() {
  if (isGoing) return;
  const over = coversKept() - covers.length;
  if (over > 0) {
    isGoing = true;
    history.go(-over);
  }
  for (let n = coversKept(); over < 0 && n < covers.length; n += 1) {
    noteScroll();
    write("pushState", { state: { covers: n + 1, scroll: scrolled } });
  }
}
