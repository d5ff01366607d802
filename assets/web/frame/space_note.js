// What there is to know before a voice is made, in words: { kind, icon, fact, hint, values }, fact and hint as keys of the section "frame";
// null where nothing is to be known.
import { icon } from "../drawings/icons.js";
import { onMount } from "../kit/frame.js";
import { words } from "../words/words.js";

onMount("space-note", ({ element, props, watch }) => {
  const notice = element.querySelector(".notice");
  const draw = () => {
    const { kind = "", icon: name, fact, hint, values } = props.value || {};
    notice.dataset.kind = kind;
    notice.querySelector("svg")?.remove();
    if (name) notice.prepend(icon(name));
    notice.querySelector(".fact").textContent = fact ? words(`frame.${fact}`, values) : "";
    notice.querySelector(".hint").textContent = hint ? words(`frame.${hint}`, values) : "";
  };
  watch("value", draw);
  draw();
});
