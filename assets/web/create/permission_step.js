// Step four of creating a voice: why it may be used, whose it is, and what it is called.

import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { NameCheck } from "./voice_name.js";

export class PermissionStep {
  // reasons: those that the studio takes. ask(name, values): calls a handler of the studio. made(): the voice that may have the name.
  // onChange: told whenever an answer is another; onEnter: somebody is done with the name.
  constructor(find, { reasons, ask, made, onChange, onEnter }) {
    this._find = find;
    find("consent").append(...reasons.map((reason) => reasonBox(reason, onChange)));
    this.name = new NameCheck({ field: find("voice-name"), line: find("voice-name-clash"), ask, but: made, onChange });
    for (const id of ["voice-name", "consent-who"]) find(id).addEventListener("input", onChange);
    find("voice-name").addEventListener("keydown", (event) => event.key === "Enter" && onEnter());
  }

  get entered() {
    return {
      name: this._find("voice-name").value.trim(),
      who: this._find("consent-who").value.trim(),
      reason: this._find("consent").querySelector(":checked")?.value ?? null,
    };
  }

  // Why one cannot go on: { code, values } of its sentence, or what the name's check says; null where nothing is missing.
  get obstacle() {
    const { reason, who, name } = this.entered;
    if (!reason) return { code: "consent_missing", values: {} };
    if (!who) return { code: "consent_without_person", values: {} };
    if (!name) return { code: "name_missing", values: {} };
    return this.name.problem;
  }

  // Another voice comes.
  clear() {
    for (const id of ["voice-name", "consent-who"]) this._find(id).value = "";
    for (const radio of this._find("consent").querySelectorAll("input")) radio.checked = false;
    this.name.look();
  }
}

// A box with a radio button: what is chosen, and what whoever chooses it states word by word.
function reasonBox(reason, onChange) {
  const [id, statement] = [`reason-${reason}`, `states-${reason}`];
  const radio = make("input", { type: "radio", name: "consent-reason", value: reason });
  radio.setAttribute("aria-labelledby", id);
  radio.setAttribute("aria-describedby", statement);
  radio.addEventListener("change", onChange);
  return make(
    "label",
    { className: "kind" },
    make("b", { id }, radio, words(`create.reason_${reason}`)),
    make("span", { id: statement, textContent: words(`create.states_${reason}`) }),
  );
}
