// Why a voice may be cloned: the reasons as radio buttons, and below them what is kept with the voice.

import { make } from "./frame.js";

// reasons: { value: { label, statement } }. onChoice: hears of each choice.
export function showReasons(list, statement, reasons, onChoice) {
  for (const [value, reason] of Object.entries(reasons)) {
    const radio = make("input", { type: "radio", name: "consent-reason", value });
    radio.addEventListener("change", () => {
      statement.textContent = `“${reason.statement}” This is kept with the voice, with the time and the clip's hash.`;
      onChoice();
    });
    list.append(make("label", {}, radio, make("span", { textContent: reason.label })));
  }
}
