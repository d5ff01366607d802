// A picker: a button that opens a list with a search field, below it on wide windows, a sheet from below on phones. Arrows, Home, End and
// typing move in the list, Enter chooses, Esc closes it and does nothing else. What it lists may change while it is open. It lies over
// everything, so that it may stand in a dialog.

import { icon } from "../drawings/icons.js";
import { coverPhone, PHONE } from "../navigation/navigation.js";
import { make } from "./frame.js";
import { folded } from "./search.js";

const SHORT_CODE = 2; // letters, such as "de"
const GAP = 6; // pixels between it and its button, and the window's edges

export class Picker {
  /** button: opens it. label, find: its name, and what the search field says. sections(typed): [{title, items}], title "" for none, an item being
   *  {value, parts, isChosen, label, unfold}: parts are what stands in its row. choose(value): called once it is closed; a row with unfold()
   *  stays open and lists more.
   *  note(): what is said below the list, "" for nothing. end(): {words, icon, act}, a last line that leads elsewhere, or null. */
  constructor(button, { label, find, sections, choose, note = () => "", end = () => null }) {
    this._button = button;
    this._label = label;
    this._find = find;
    this._sections = sections;
    this._choose = choose;
    this._note = note;
    this._end = end;
    this._panel = null;
    this._at = null; // value of the row that Enter would choose
    button.addEventListener("click", () => (this.isOpen ? this.close() : this.open()));
    button.addEventListener("keydown", (event) => this._begin(event));
  }

  get isOpen() {
    return Boolean(this._panel);
  }

  open() {
    this._draw();
    this._button.setAttribute("aria-expanded", "true");
    (this._button.closest("label") ?? this._button).after(this._panel); // a press in a label is one of its field
    this._panel.showPopover(); // nothing cuts it off, a dialog neither
    this.refresh();
    const chosen = this._options.find((option) => option.getAttribute("aria-selected") === "true");
    this._go(chosen ?? this._options[0]);
    (matchMedia(PHONE).matches ? this._list : this._search).focus({ preventScroll: true });
    document.addEventListener("pointerdown", this._pressed, true);
    for (const moving of ["scroll", "resize"]) window.addEventListener(moving, this._moved, true);
    this._uncover = coverPhone(() => this.close());
  }

  /** isHandedBack: whether the button gets the focus. */
  close(isHandedBack = true) {
    if (!this.isOpen) return;
    const panel = this._panel;
    this._panel = null;
    document.removeEventListener("pointerdown", this._pressed, true);
    for (const moving of ["scroll", "resize"]) window.removeEventListener(moving, this._moved, true);
    this._button.setAttribute("aria-expanded", "false");
    if (isHandedBack) this._button.focus({ preventScroll: true });
    panel.remove();
    this._uncover();
  }

  /** What there is to choose from may be otherwise; an open list shows it, and its place in it stays. */
  refresh() {
    if (!this.isOpen) return;
    const sections = this._sections(this._search.value.trim()).filter(({ items }) => items.length);
    const before = [this._values, this._folds];
    this._values = new Map();
    this._folds = new Map();
    this._n = 0;
    const drawn = sections.map((section) => this._sectionOf(section));
    const html = drawn.map(({ outerHTML }) => outerHTML).join("");
    if (html === this._html) {
      [this._values, this._folds] = before; // a row that is being pressed stays the row that it is
      return;
    }
    this._html = html;
    this._list.replaceChildren(...drawn);
    this._place();
    this._go(this._options.find((option) => this._values.get(option) === this._at) ?? this._options[0]);
  }

  get _options() {
    return [...this._list.querySelectorAll('[role="option"]')];
  }

  _draw() {
    this._html = null;
    this._list = make("div", { id: `${this._button.id}-list`, tabIndex: -1, className: "pick-list" });
    this._list.setAttribute("role", "listbox");
    this._list.setAttribute("aria-label", this._label);
    this._search = make("input", { className: "input", dir: "auto", placeholder: this._find, autocomplete: "off", spellcheck: false });
    for (const [name, value] of Object.entries({
      role: "combobox",
      "aria-label": this._find,
      "aria-expanded": "true",
      "aria-controls": this._list.id,
    }))
      this._search.setAttribute(name, value);
    this._search.addEventListener("input", () => {
      this.refresh();
      this._go(this._nearest(this._search.value.trim()));
    });
    this._panel = make(
      "div",
      { className: "pick", popover: "manual" },
      make("label", { className: "search" }, icon("search"), this._search),
      this._list,
    );
    this._panel.append(make("p", { className: "note pick-note", textContent: this._note() }));
    const end = this._end();
    if (end) this._panel.append(this._endLine(end));
    this._panel.dataset.of = this._button.id;
    this._panel.setAttribute("role", "dialog");
    this._panel.setAttribute("aria-label", this._label);
    this._panel.addEventListener("keydown", (event) => this._follow(event));
    this._panel.addEventListener("focusout", ({ relatedTarget: to }) => {
      if (to && this.isOpen && !this._panel.contains(to) && to !== this._button) this.close(false);
    });
    this._list.addEventListener("click", ({ target }) => this._take(target.closest('[role="option"]')));
  }

  _endLine({ words, icon: sign, act }) {
    const button = make("button", { type: "button", className: "menu-item strong" }, icon(sign), make("span", { textContent: words }));
    button.addEventListener("click", () => {
      this.close();
      act();
    });
    return make("div", { className: "pick-end" }, button);
  }

  _sectionOf({ title, items }) {
    if (!title) return make("div", {}, ...items.map((item) => this._optionOf(item)));
    const heading = make("p", { className: "menu-group", textContent: title, id: `${this._list.id}-${this._n++}` });
    const section = make("div", {}, heading, ...items.map((item) => this._optionOf(item)));
    section.setAttribute("role", "group");
    section.setAttribute("aria-labelledby", heading.id);
    return section;
  }

  _optionOf({ value, parts, isChosen = false, label = "", unfold = null }) {
    const option = make("div", { className: "menu-item", id: `${this._list.id}-${this._n++}` }, ...parts.flatMap((part) => [part, " "]));
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", String(isChosen));
    if (label) option.setAttribute("aria-label", label);
    this._values.set(option, value);
    if (unfold) this._folds.set(option, unfold);
    return option;
  }

  // From its button: arrows open it, and so does what is typed, which goes into the search.
  _begin(event) {
    const isTyped = [...event.key].length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (this.isOpen || !(isTyped || ["ArrowDown", "ArrowUp"].includes(event.key))) return;
    if (!isTyped) event.preventDefault();
    this.open();
    if (isTyped) this._search.focus({ preventScroll: true });
  }

  // The row that is meant by what was typed: a short code, or what begins like that, before what only holds it.
  _nearest(typed) {
    const options = this._options;
    const begins = (option) => folded(option.textContent).startsWith(folded(typed));
    const is = (option) => this._values.get(option) === typed;
    const named = options.find((option) => is(option) && (typed.length <= SHORT_CODE || begins(option)));
    return named ?? options.find(begins) ?? options.find(is) ?? options[0];
  }

  _follow(event) {
    if (event.key === "Escape") {
      event.stopPropagation();
      event.preventDefault(); // the dialog that it is in stays open
      return this.close();
    }
    if (event.target.closest(".pick-end")) return undefined;
    const options = this._options;
    const at = options.findIndex((option) => this._values.get(option) === this._at);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1, Enter: at }[event.key];
    if (to === undefined || event.isComposing) return undefined;
    event.preventDefault();
    const option = options.length ? options.at(to % options.length) : null;
    return event.key === "Enter" ? this._take(option) : this._go(option);
  }

  _go(option) {
    for (const other of this._list.querySelectorAll(".on")) other.classList.remove("on");
    this._at = option ? this._values.get(option) : null;
    for (const field of [this._search, this._list]) {
      if (option) field.setAttribute("aria-activedescendant", option.id);
      else field.removeAttribute("aria-activedescendant");
    }
    option?.classList.add("on");
    option?.scrollIntoView({ block: "nearest" });
  }

  _take(option) {
    if (!option) return undefined;
    if (this._folds.has(option)) {
      this._folds.get(option)();
      return this.refresh();
    }
    const value = this._values.get(option);
    this.close();
    return this._choose(value);
  }

  _pressed = ({ target }) => {
    if (!this._panel.contains(target) && !this._button.contains(target)) this.close(false);
  };

  _moved = ({ target }) => {
    if (target === window || !this._panel.contains(target)) this._place(); // it is the window that is resized
  };

  // Below its button; above it where there is more room, and no higher than that. Phones have it as a sheet (parts.css).
  _place() {
    const at = this._button.getBoundingClientRect();
    const { style } = this._panel;
    const [below, above] = [window.innerHeight - at.bottom - 2 * GAP, at.top - 2 * GAP];
    style.removeProperty("--room");
    const isBelow = this._panel.offsetHeight <= below || below >= above;
    style.setProperty("--room", `${isBelow ? below : above}px`);
    const { offsetWidth: width, offsetHeight: height } = this._panel;
    style.top = `${isBelow ? at.bottom + GAP : at.top - GAP - height}px`;
    style.left = `${Math.max(GAP, Math.min(at.left, window.innerWidth - width - GAP))}px`;
  }
}
