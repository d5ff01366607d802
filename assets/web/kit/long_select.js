// Long lists of a native select, such as all voices: they open as a list that can be searched, like every picker's. What is chosen, and who
// hears of it, stays the select's; short ones are the browser's own.

import { words } from "../words/words.js";
import { make } from "./frame.js";
import { Picker } from "./picker.js";
import { finder } from "./search.js";

const MOST_NATIVE = 12; // choices that are seen at a look
const OPEN_KEYS = ["Enter", " ", "F4"]; // beside those of any picker
const pickers = new WeakMap(); // by select
let n_named = 0;

/** Whether a select has more choices than anybody wants to look through. */
export const isLong = ({ disabled, multiple, options }) => !disabled && !multiple && options.length > MOST_NATIVE;

class LongSelect extends Picker {
  constructor(select) {
    const find = words("frame.find_choice");
    const label = nameOf(select) || find;
    super(select, { label, find, sections: (typed) => sectionsOf(select, typed), choose: (value) => choose(select, value) });
    this._select = select;
  }

  open() {
    if (isLong(this._select)) super.open();
  }

  _begin(event) {
    if (isLong(this._select)) super._begin(event);
  }
}

function nameOf(select) {
  const [label] = select.labels ?? [];
  const element = label?.querySelector(".name") ?? label ?? document.getElementById(select.getAttribute("aria-labelledby"));
  return select.getAttribute("aria-label") ?? element?.textContent ?? "";
}

/** What its list shows of what is typed: its groups as they are, and what stands in none, in order. */
export function sectionsOf(select, typed) {
  const holds = finder(typed);
  const sections = [];
  for (const option of select.options) {
    const group = option.closest("optgroup");
    if (sections.at(-1)?.group !== group) sections.push({ group, title: group?.label ?? "", items: [] });
    if (holds(option.textContent, group?.label ?? "")) sections.at(-1).items.push(itemOf(option));
  }
  return sections;
}

const itemOf = ({ value, textContent, selected: isChosen }) => ({
  value,
  isChosen,
  parts: [make("span", { className: "grow cut", dir: "auto", textContent })],
});

function choose(select, value) {
  if (select.value === value) return;
  select.value = value;
  for (const name of ["input", "change"]) select.dispatchEvent(new Event(name, { bubbles: true }));
}

// Before the browser opens its own list; the press itself comes to the picker.
function take(event) {
  const select = event.target.closest?.("select");
  if (!select || event.button > 0 || !isLong(select)) return null;
  if (!pickers.has(select)) {
    n_named += 1;
    select.id ||= `long-select-${n_named}`;
    pickers.set(select, new LongSelect(select));
  }
  return pickers.get(select);
}

document.addEventListener("mousedown", (event) => take(event) && event.preventDefault(), true);
document.addEventListener(
  "keydown",
  (event) => {
    const picker = take(event);
    if (!picker || !OPEN_KEYS.includes(event.key)) return;
    event.preventDefault();
    if (!picker.isOpen) picker.open();
  },
  true,
);
