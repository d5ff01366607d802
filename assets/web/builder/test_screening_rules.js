// Who counts: the rules of screening, which are part of the plan. A limit is in per cent; an empty field asks nothing.

import { make } from "../kit/frame.js";
import { words } from "../words/words.js";

const SWITCHES = ["hears_whole", "headphones", "duplicates"];
const LIMITS = ["most_early", "most_gold_missed", "most_traps_missed", "least_agreement", "most_alike", "min_answered"];
const LEAST = { least_agreement: -100 };

/** What a field holds, for the plan: a share, null for nothing asked; 0 where that asks nothing. */
export function limitOf(name, text) {
  const value = Number.parseFloat(text.replace(",", "."));
  if (Number.isNaN(value)) return name === "min_answered" ? 0 : null;
  return Math.min(100, Math.max(LEAST[name] ?? 0, Math.round(value))) / 100;
}

/** And the other way; a third is 33. */
export function limitText(name, share) {
  return share === null || share === undefined || (name === "min_answered" && share === 0) ? "" : String(Math.round(100 * share));
}

export class TestScreeningRules {
  // part(id): an element of the tab. change(values) of the plan.
  constructor({ part, change }) {
    this._part = part;
    this._change = change;
    this._rules = {};
    part("builder-screening-rules").replaceChildren(...SWITCHES.map((name) => this._switchOf(name)));
    part("builder-screening-limits").replaceChildren(...LIMITS.map((name) => this._limitOf(name)));
  }

  // usual: of new tests, which a plan gets that says nothing.
  show({ screening, headphones }, usual) {
    this._rules = screening ?? usual;
    for (const box of this._part("builder-screening-rules").querySelectorAll("input")) {
      box.checked = this._rules[box.name];
      if (box.name === "headphones") box.closest("label").hidden = !headphones; // without a check nobody passes it
    }
    for (const field of this._part("builder-screening-limits").querySelectorAll("input"))
      if (field !== document.activeElement) field.value = limitText(field.name, this._rules[field.name]);
  }

  _set(values) {
    this._change({ screening: { ...this._rules, ...values } });
  }

  _switchOf(name) {
    const box = make("input", { type: "checkbox", name });
    box.addEventListener("change", () => this._set({ [name]: box.checked }));
    return make("label", { className: "check" }, box, make("span", { textContent: words(`tests.screen_${name}`) }));
  }

  _limitOf(name) {
    const shape = { type: "number", className: "input num", name, min: LEAST[name] ?? 0, max: 100, step: 1 };
    const field = make("input", { dir: "auto", ...shape, placeholder: words("tests.screen_off") });
    field.addEventListener("change", () => {
      const limit = limitOf(name, field.value);
      field.value = limitText(name, limit);
      this._set({ [name]: limit });
    });
    return make("label", { className: "count" }, make("span", { className: "grow", textContent: words(`tests.screen_${name}`) }), field);
  }
}
