// The tabs. By keyboard: arrows, Home and End choose one, and Tab goes on from the chosen one into what it shows. Gradio does neither.
// Where their line is too long for the window, the chosen one is in sight, and an edge fades where the line goes on.

import { openFirst, showsRoom } from "../navigation/navigation.js";

const LIST = '#tabs [role="tablist"]';

// Only the chosen tab is a stop of the Tab key, and what it shows has its name.
function follow(list) {
  const show = () => {
    for (const tab of list.querySelectorAll('[role="tab"]')) {
      const isChosen = tab.getAttribute("aria-selected") === "true";
      tab.tabIndex = isChosen ? 0 : -1;
      if (isChosen) showsRoom(tab.id.replace(/-section-button$/, ""));
      document.getElementById(tab.getAttribute("aria-controls"))?.setAttribute("aria-labelledby", tab.id);
    }
  };
  const showAll = () => {
    show();
    bringIntoSight(list);
  };
  new MutationObserver(showAll).observe(list, { subtree: true, childList: true, attributeFilter: ["aria-selected"] });
  new ResizeObserver(() => bringIntoSight(list)).observe(list);
  new MutationObserver(show).observe(list.closest("#tabs"), { childList: true }); // what a tab shows comes when it is first chosen
  list.addEventListener("scroll", () => fade(list), { passive: true });
  showAll();
}

// By the list's own scrolling: scrollIntoView would move the page, too.
function bringIntoSight(list) {
  const tab = list.querySelector('[aria-selected="true"]');
  if (tab) list.scrollLeft += middleOf(tab) - middleOf(list);
  fade(list);
}

function middleOf(part) {
  const { left, width } = part.getBoundingClientRect();
  return left + width / 2;
}

function fade(list) {
  const rest = list.scrollWidth - list.clientWidth - list.scrollLeft;
  list.dataset.more = [list.scrollLeft > 1 && "before", rest > 1 && "after"].filter(Boolean).join(" ");
}

/** Where somebody who comes has begun; null until any room can be opened. */
export let firstRoom = null;
export function openFirstRoom() {
  firstRoom = openFirst();
}

document.addEventListener("keydown", (event) => {
  const tab = event.target.closest?.(`${LIST} [role="tab"]`);
  if (!tab || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const tabs = [...tab.closest(LIST).querySelectorAll('[role="tab"]')];
  const at = tabs.indexOf(tab);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const next = tabs.at(to % tabs.length);
  next.focus();
  next.click();
});

const arriving = new MutationObserver(() => {
  const list = document.querySelector(LIST);
  if (!list) return;
  arriving.disconnect();
  follow(list);
});
arriving.observe(document, { subtree: true, childList: true });
