// What browsers may not know the name of: engines have English names for languages of hundreds, which come once, where one has such.

import { choice } from "./choice.js";
import { learnNames } from "./languages.js";

let isAsked = false;

async function ask() {
  if (isAsked || !choice.known.has_language_names) return;
  isAsked = true;
  const { names, problem } = await choice.ask("name_languages", {}).catch(() => ({ problem: true }));
  if (problem) {
    isAsked = false; // the next change asks again
    return;
  }
  learnNames(names);
  for (const event of ["studio-languages", "studio-choice"]) document.dispatchEvent(new Event(event));
}

document.addEventListener("studio-choice", ask);
