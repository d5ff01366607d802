// Below the text: how long it is, and on request the segments in which it will be spoken.

import { textAtHand } from "./draft.js";
import { make, onMount } from "./frame.js";
import { speakOptions } from "./options.js";

export let countText;

const REST_MILLISECONDS = 250; // after the last key; a preview for every letter would help nobody

onMount("segments", ({ element, props, watch, trigger }) => {
  const [count, toggle, list] = ["#text-count", "#segments-toggle", "#segments-list"].map((part) => element.querySelector(part));
  const text = () => document.querySelector("#text textarea")?.value ?? "";
  let rest = null;

  function showCount() {
    const most = speakOptions?.choice.most_text_characters;
    const n = [...text()].length;
    count.textContent = `${n.toLocaleString()} ${n === 1 ? "character" : "characters"}${most ? ` of ${most.toLocaleString()}` : ""}`;
    count.dataset.over = String(Boolean(most) && n > most);
  }

  function ask() {
    const { choice, language } = speakOptions ?? {};
    if (!list.hidden) trigger("preview", { text: text(), engine: choice?.engine ?? null, language: language?.value ?? "" });
  }

  function changed() {
    showCount();
    clearTimeout(rest);
    rest = setTimeout(ask, REST_MILLISECONDS);
  }

  function chosen() {
    toggle.disabled = !speakOptions?.choice.engine;
    changed();
  }

  function show() {
    const { segments = [], note = "", warnings = [] } = props.value ?? {};
    list.querySelector("p").textContent = note;
    list.querySelector(".segments-warnings").replaceChildren(...warnings.map((textContent) => make("p", { textContent })));
    const about = (seconds) => make("span", { className: "figure", textContent: `${seconds.toFixed(1)} s` });
    const rows = segments.map((segment) => make("li", {}, make("span", { textContent: segment.text }), about(segment.seconds)));
    list.querySelector("ol").replaceChildren(...rows);
  }

  toggle.addEventListener("click", () => {
    list.hidden = !list.hidden;
    toggle.setAttribute("aria-expanded", String(!list.hidden));
    toggle.textContent = list.hidden ? "Preview segments" : "Hide segments";
    ask();
  });
  document.addEventListener("input", (event) => event.target.closest?.("#text") && changed());
  document.addEventListener("change", (event) => event.target.closest?.("#text-language") && changed());
  document.addEventListener("studio-choice", chosen);
  watch("value", show);
  countText = changed;
  textAtHand.then(changed);
  chosen();
});
