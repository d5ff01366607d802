// What scripts say: sentences of assets/words/ in the reader's language. catalog.js is made by the server, one for each language.

import { catalog, language } from "./catalog.js";
import { apart, phrasing } from "./phrasing.js";

export { language };
export { apart };
export const { words, number, seconds, milliseconds, bytes, errorWords } = phrasing(language, catalog);
