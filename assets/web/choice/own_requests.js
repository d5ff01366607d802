// Requests to this very studio, by the address that the page has.

import { choice } from "./choice.js";
import { snippetsOf } from "./snippets.js";

export const keyIsNeeded = () => Boolean(choice.known.needs_key);
export const apiBase = () => new URL("v1", document.baseURI).href;
export const snippets = () => snippetsOf(apiBase(), keyIsNeeded());
