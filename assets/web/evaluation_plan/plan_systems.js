// What is compared: each line an engine with its options, or the same engine with others.

import { letterSign } from "../builder/test_systems.js";
import { hereOf, showMore } from "../choice/engines_here.js";
import { OptionField } from "../choice/option_field.js";
import { arranged } from "../choice/option_order.js";
import { icon } from "../drawings/icons.js";
import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { MOST_SYSTEMS, systemLabels } from "./evaluation_order.js";

const NOT_HERE = ["seed", "language"]; // options that the plan, or a text, has

export class PlanSystems {
  // change(systems): somebody chose otherwise.
  constructor(change) {
    this._change = change;
    this._unfolded = new Set(); // numbers of lines
    this._list = make("ol", { className: "card plan-systems" });
    this._add = make("button", { type: "button", className: "button quiet small" }, icon("plus"), words("evaluations.page_add_system"));
    this._add.addEventListener("click", () => this._another());
    this._more = make("p", { className: "more-line", hidden: true });
    this.element = make(
      "div",
      { className: "stack" },
      this._list,
      make("div", { className: "beside wraps plan-add" }, this._add, this._more),
    );
  }

  /** engines: as GET v1/models has them, those that speak here. away: others. */
  show(systems, engines, away) {
    this._systems = systems;
    this._engines = engines;
    const { part, key } = document.activeElement?.closest?.(".plan-system") ? document.activeElement.dataset : {};
    const labels = systemLabels(systems, engines);
    this._list.replaceChildren(...systems.map((system, at) => this._lineOf(system, at, labels[at])));
    this._list.hidden = !systems.length;
    this._add.disabled = systems.length >= MOST_SYSTEMS || !engines.length;
    showMore(this._more, [...engines.map((engine) => ({ ...engine, is_here: true })), ...away]);
    if (part) (this._list.querySelector(`[data-part="${part}"][data-key="${key}"]`) ?? this._add).focus();
  }

  _set(at, values) {
    this._change(this._systems.map((system, other) => (other === at ? { ...system, ...values } : system)));
  }

  // An engine that is in none of them yet, or the last one again, which then gets other options.
  _another() {
    const used = new Set(this._systems.map(({ engine }) => engine));
    const next = this._engines.find(({ id }) => !used.has(id)) ?? this._engines.find(({ id }) => id === this._systems.at(-1)?.engine);
    const { id } = next ?? this._engines[0];
    this._change([...this._systems, { engine: id, options: {} }]);
    this._list.querySelector(`[data-part="engine"][data-key="${this._systems.length - 1}"]`)?.focus();
  }

  _lineOf(system, at, label) {
    const engines = hereOf(
      this._engines.map((engine) => ({ ...engine, is_here: true })),
      system.engine,
    );
    const choices = engines.map(({ id, title }) => make("option", { value: id, textContent: title }));
    const select = make("select", { className: "select small" }, ...choices);
    select.setAttribute("aria-label", words("evaluations.page_engine_of", { letter: letterOfSystem(at) }));
    select.value = system.engine;
    select.addEventListener("change", () => this._set(at, { engine: select.value, options: {} }));
    const known = this._engines.find(({ id }) => id === system.engine);
    const own = (known?.options ?? []).filter(({ name }) => !NOT_HERE.includes(name));
    const said = label === known?.title ? "" : label.replace(`${known?.title} · `, "");
    const note = make("span", { className: "note grow cut", dir: "auto", textContent: said, title: said });
    const options = this._square("options", at, "sliders", words("evaluations.page_options_of", { letter: letterOfSystem(at) }));
    options.setAttribute("aria-expanded", String(this._unfolded.has(at)));
    options.disabled = !own.length;
    options.addEventListener("click", () => this._fold(at));
    const remove = this._square("remove", at, "close", words("evaluations.page_remove_system", { letter: letterOfSystem(at) }));
    remove.addEventListener("click", () => this._remove(at));
    Object.assign(select.dataset, { part: "engine", key: at });
    const head = make("div", { className: "plan-system-head" }, letterSign(at), select, note, options, remove);
    const line = make("li", { className: "plan-system" }, head);
    if (this._unfolded.has(at) && own.length) line.append(this._optionsOf(system, at, own));
    return line;
  }

  _square(part, at, sign, label) {
    const button = make("button", { type: "button", className: "button quiet square small", title: label }, icon(sign));
    button.setAttribute("aria-label", label);
    Object.assign(button.dataset, { part, key: at });
    return button;
  }

  _fold(at) {
    this._unfolded[this._unfolded.has(at) ? "delete" : "add"](at);
    this._change(this._systems);
  }

  _remove(at) {
    this._unfolded = new Set([...this._unfolded].filter((other) => other !== at).map((other) => (other > at ? other - 1 : other)));
    this._change(this._systems.filter((_, other) => other !== at));
  }

  _optionsOf({ options }, at, declared) {
    const { usual, instructions, others } = arranged(declared);
    const ordered = [...(instructions ? [instructions] : []), ...usual.filter(({ name }) => !NOT_HERE.includes(name)), ...others];
    return make("div", { className: "plan-options" }, ...ordered.map((option) => this._optionOf(option, at, options[option.name])));
  }

  _optionOf(option, at, value) {
    const field = new OptionField(option);
    if (value !== undefined) field.value = value;
    const renamed = (id) => `evaluation-${at}-${id}`; // Speak has the same fields
    for (const part of field.element.querySelectorAll("[id]")) part.id = renamed(part.id);
    for (const label of field.element.querySelectorAll("label[for]")) label.htmlFor = renamed(label.htmlFor);
    for (const part of field.element.querySelectorAll("[aria-describedby]"))
      part.setAttribute("aria-describedby", part.getAttribute("aria-describedby").split(" ").map(renamed).join(" "));
    field.element.addEventListener("change", () => {
      const { [option.name]: _, ...rest } = this._systems[at].options;
      const next = field.isChanged ? { ...rest, [option.name]: field.value } : rest;
      this._change(
        this._systems.map((system, other) => (other === at ? { ...system, options: next } : system)),
        { isDrawn: true },
      );
    });
    return field.element;
  }
}

export const letterOfSystem = (at) => "ABCDEFGHIJKLMNOP"[at];
