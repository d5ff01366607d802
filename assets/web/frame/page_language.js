// The language that the document says is that of its words: what reads it aloud, breaks and quotes goes by that. Gradio writes the browser's
// there, also where we have no words of it.

import { language } from "../words/words.js";

/** root: the document's element, whose language stays that of our words. */
export function keepLanguage(root) {
  const hold = () => {
    if (root.lang !== language) root.lang = language;
  };
  new MutationObserver(hold).observe(root, { attributes: true, attributeFilter: ["lang"] });
  hold();
}
