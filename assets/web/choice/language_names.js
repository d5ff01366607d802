// What a browser knows no name of: the studio knows some hundred, which come once, when one of them is first to be shown.

import { choice } from "./choice.js";
import { learnNames } from "./languages.js";

let isWanted = false;
let isAsked = false;
let isKnown = false;

/** Whether there may be names to come for what has none. */
export const areNamesToCome = () => isWanted && !isKnown;

/** Names are missing. Once they are there, "studio-languages" and "studio-choice" on the document say so. */
export function askNames() {
  isWanted = true;
  ask();
}

async function ask() {
  if (!isWanted || isAsked || !choice.isSettled) return;
  isAsked = true;
  const { names, english, problem } = await choice.ask("name_languages", {}).catch(() => ({ problem: true }));
  if (problem) {
    isAsked = false; // the next change asks again
    return;
  }
  learnNames(names, english);
  isKnown = true;
  for (const event of ["studio-languages", "studio-choice"]) document.dispatchEvent(new Event(event));
}

document.addEventListener("studio-choice", ask);
