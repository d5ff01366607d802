// What a Space's visitor has to know before a voice is made, in words: { fact, hint, values }, as keys of the section "frame".
import { onMount } from "../kit/frame.js";
import { words } from "../words/words.js";

onMount("space-note", ({ element, props }) => {
  const { fact, hint, values } = props.value;
  element.querySelector(".fact").textContent = words(`frame.${fact}`, values);
  element.querySelector(".hint").textContent = words(`frame.${hint}`, values);
});
