// The document says the language of its words, whatever Gradio takes for the reader's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { keepLanguage } from "../../assets/web/frame/page_language.js";

test("words in English are never said to be Arabic", () => {
  let changed;
  globalThis.MutationObserver = class {
    constructor(heard) {
      changed = heard;
    }
    observe() {}
  };
  const root = { lang: "ar" };
  keepLanguage(root);
  assert.equal(root.lang, "en");
  root.lang = "ar"; // as Gradio does once it knows the browser's language
  changed();
  assert.equal(root.lang, "en");
});
