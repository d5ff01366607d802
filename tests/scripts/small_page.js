// Elements enough to draw rows and dialogs and to press their buttons, on the page of standing_page.js. Selectors are tag, #id, .class and
// [name=value], alone or together, in lists, and no state holds; a dialog is closed by its buttons.
import "./standing_page.js";

const PART = /^(\w+)|#([\w-]+)|\.([\w-]+)|\[([\w-]+)(?:="?([^"\]]*)"?)?\]/g;
const camel = (name) => name.replace(/^data-/, "").replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

class SmallElement extends EventTarget {
  constructor(tag) {
    super();
    Object.assign(this, {
      tag,
      id: "",
      className: "",
      children: [],
      dataset: {},
      attributes: {},
      style: {},
      hidden: false,
      value: "",
      _text: "",
    });
    this.classList = { add() {}, toggle() {}, contains: (name) => this.className.split(" ").includes(name) };
    this.tBodies = [];
  }

  get options() {
    return this.children;
  }

  get textContent() {
    return this._text + this.children.map(({ textContent }) => textContent).join("");
  }

  set textContent(text) {
    Object.assign(this, { _text: text, children: [] });
  }

  set onclick(heard) {
    this.addEventListener("click", heard);
  }

  get elements() {
    return Object.fromEntries(this.querySelectorAll("[name]").map((field) => [field.name, field]));
  }

  append(...parts) {
    for (const part of parts) {
      const child = part instanceof SmallElement ? part : Object.assign(new SmallElement("#text"), { _text: String(part) });
      child.parentElement = this;
      this.children.push(child);
    }
  }

  prepend(part) {
    this.append(part);
  }

  insertBefore(part) {
    this.append(part);
  }

  replaceChildren(...parts) {
    this.children = [];
    this.append(...parts);
  }

  remove() {
    const { parentElement: parent } = this;
    if (parent) parent.children = parent.children.filter((child) => child !== this);
  }

  setAttribute(name, value) {
    this.attributes[name] = value;
  }

  getAttribute(name) {
    return this.attributes[name] ?? null;
  }

  removeAttribute(name) {
    delete this.attributes[name];
  }

  contains(other) {
    return other === this || this.children.some((child) => child.contains(other));
  }

  matches(selector) {
    return selector.split(",").some((one) => !one.includes(":") && [...one.trim().matchAll(PART)].every((part) => this._has(part)));
  }

  _has([, tag, id, name, attribute, value]) {
    if (tag) return this.tag === tag;
    if (id) return this.id === id;
    if (name) return this.classList.contains(name);
    const own = this.dataset[camel(attribute)] ?? this.attributes[attribute] ?? this[attribute];
    return value === undefined ? own !== undefined : own === value;
  }

  querySelectorAll(selector) {
    const own = this.children.filter((child) => child.matches(selector));
    return [...own, ...this.children.flatMap((child) => child.querySelectorAll(selector))];
  }

  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }

  closest(selector) {
    return this.matches(selector) ? this : (this.parentElement?.closest(selector) ?? null);
  }

  click() {
    this.dispatchEvent(new Event("click"));
    if (this.closest("dialog") && this.closest("form")) this.closest("dialog").close(this.value);
  }

  focus() {
    document.activeElement = this;
  }

  showModal() {
    this.open = true;
  }

  close(value = this.returnValue) {
    Object.assign(this, { open: false, returnValue: value });
    this.dispatchEvent(new Event("close"));
  }

  checkVisibility() {
    return !this.hidden;
  }

  scrollIntoView() {}
}

/** Of a tag, with properties and children. */
export const small = (tag, properties = {}, ...children) => {
  const element = Object.assign(new SmallElement(tag), properties);
  element.append(...children);
  return element;
};

Object.assign(document, {
  body: small("body"),
  createElement: (tag) => small(tag),
  createElementNS: (_, tag) => small(tag),
  createTextNode: (text) => Object.assign(small("#text"), { _text: text }),
});
