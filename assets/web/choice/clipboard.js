// What goes into the clipboard: any text, and requests to this very studio, by the address that the page has.

import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { choice } from "./choice.js";
import { snippetsOf } from "./snippets.js";

export const keyIsNeeded = () => Boolean(choice.known.needs_key);
export const apiBase = () => new URL("v1", document.baseURI).href;
export const snippets = () => snippetsOf(apiBase(), keyIsNeeded());

// navigator.clipboard is missing on insecure origins; a selected field can still be copied there.
export async function copyText(text) {
  if (navigator.clipboard?.writeText) {
    try {
      return await navigator.clipboard.writeText(text);
    } catch {
      // refused: try the old way
    }
  }
  const field = make("textarea", { value: text, className: "visually-hidden" });
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (!copied) throw new Error(words("speak.not_copied"));
}
