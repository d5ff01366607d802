// What is measured, how often each text is said, and how long engines may learn a voice before.

import { knownWords, whyLine } from "../evaluation_state/evaluation_words.js";
import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { MOST_SEEDS } from "./evaluation_order.js";

export class PlanMeasures {
  // change(values): of the draft.
  constructor(change) {
    this._change = change;
    this._list = make("div", { className: "plan-families" });
    this._list.setAttribute("role", "group");
    this._list.setAttribute("aria-label", words("evaluations.page_measures"));
    this._list.addEventListener("change", () => this._choose());
    this._seeds = make("input", { type: "number", className: "input num", min: "1", max: String(MOST_SEEDS), step: "1" });
    this._seeds.addEventListener("change", () => {
      const n = Math.max(1, Math.min(MOST_SEEDS, Math.round(this._seeds.valueAsNumber) || 1));
      this._seeds.value = String(n);
      this._change({ n_seeds: n });
    });
    this._learn = make("input", { type: "checkbox" });
    this._learn.addEventListener("change", () => this._change({ learn: this._learn.checked ? "best" : "now" }));
    const learn = make("label", { className: "check" }, this._learn, make("span", { textContent: words("evaluations.page_learn") }));
    const seeds = make(
      "label",
      { className: "field plan-number" },
      make("span", { className: "name", textContent: words("evaluations.page_seeds") }),
      this._seeds,
      make("span", { className: "note", textContent: words("evaluations.page_seeds_about") }),
    );
    const learnAbout = make("span", { className: "note plan-under", textContent: words("evaluations.page_learn_about") });
    const more = make("div", { className: "stack plan-more" }, seeds, make("div", {}, learn, learnAbout));
    this.element = make("div", { className: "card pad plan-measures" }, this._list, more);
  }

  /** families: [{name, is_here, why}]. */
  show({ measures, n_seeds: n, learn }, families) {
    this._families = families;
    const chosen = new Set(measures ?? families.filter(({ is_here: isHere }) => isHere).map(({ name }) => name));
    if (this._list.children.length !== families.length) this._list.replaceChildren(...families.map(lineOfFamily));
    for (const box of this._list.querySelectorAll("input")) box.checked = chosen.has(box.value) && !box.disabled;
    if (this._seeds.value !== String(n)) this._seeds.value = String(n);
    this._learn.checked = learn === "best";
  }

  // All that can be had is told as null, so that the same plan elsewhere takes what is there.
  _choose() {
    const boxes = [...this._list.querySelectorAll("input")].filter(({ disabled }) => !disabled);
    const chosen = boxes.filter(({ checked }) => checked).map(({ value }) => value);
    this._change({ measures: chosen.length === boxes.length ? null : chosen });
  }
}

function lineOfFamily({ name, is_here: isHere, why }) {
  const box = make("input", { type: "checkbox", value: name, disabled: !isHere });
  const said = make("span", { textContent: knownWords(`family_${name}`, name) });
  const note = isHere ? knownWords(`page_family_about_${name}`, "") : whyLine(why) || words("evaluations.page_not_installed");
  const about = make("span", { className: "note plan-under", dir: "auto", textContent: note });
  return make("div", { className: "plan-family" }, make("label", { className: "check" }, box, said), about);
}
