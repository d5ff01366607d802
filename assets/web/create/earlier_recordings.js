// The recordings of a voice before the one in the recorder, in their order: a part of a clip each, which the studio has as a draft, and its words.

import { icon } from "../drawings/icons.js";
import { make } from "../kit/frame.js";
import { words } from "../words/words.js";

export class EarlierRecordings {
  // find(id): an element of the steps. most: of a voice, with the one in the recorder. onRemove(draft): told of one that is gone.
  // onChange: told whenever they or their words are others.
  constructor(find, { most, onRemove, onChange }) {
    this._find = find;
    this._most = most;
    this._onRemove = onRemove;
    this._onChange = onChange;
    this._parts = []; // { draft, start, end, transcript, file }, the file only of this page
  }

  get length() {
    return this._parts.length;
  }

  get hasRoom() {
    return this.length + 1 < this._most;
  }

  get seconds() {
    return this._parts.reduce((sum, { start, end }) => sum + (end - start) / 1000, 0);
  }

  get drafts() {
    return this._parts.map(({ draft }) => draft);
  }

  // Whether each has its words.
  get hasWords() {
    return this._parts.every(({ transcript }) => transcript);
  }

  // As the studio is told of them, and as a draft keeps them: {} without any.
  get asked() {
    return this.length ? { before: this._parts.map(({ file, ...asked }) => asked) } : {};
  }

  add(part) {
    this._set([...this._parts, part]);
  }

  // Of a draft, whose sound the studio has.
  restore(parts) {
    if (parts?.length && !this.length) this._set(parts);
  }

  clear() {
    for (const { draft } of this._parts) this._onRemove(draft);
    this._set([]);
  }

  // Sends those again that the studio let go of, where this page has their sound. take(file): resolves to the studio's answer.
  async sendAgain(take) {
    for (const part of this._parts.filter(({ file }) => file)) {
      const taken = await take(part.file);
      if (!taken.problem) part.draft = taken.draft;
    }
  }

  _set(parts) {
    this._parts = parts;
    this._find("clip-earlier").replaceChildren(...parts.map((part, at) => this._line(part, at + 1)));
    this._find("clip-earlier").hidden = !parts.length;
    this._find("transcript-earlier").replaceChildren(...parts.map((part, at) => this._field(part, at + 1)));
    this._onChange();
  }

  _line(part, n) {
    const remove = make(
      "button",
      { type: "button", className: "button quiet small square", title: words("create.remove_recording", { n }) },
      icon("close", 16),
    );
    remove.setAttribute("aria-label", remove.title);
    remove.addEventListener("click", () => {
      this._onRemove(part.draft);
      this._set(this._parts.filter((other) => other !== part));
      this._find("title-clip").focus({ preventScroll: true });
    });
    return make("li", {}, make("span", { className: "grow", textContent: lineOf(part, n) }), remove);
  }

  _field(part, n) {
    const field = make("textarea", { className: "input", dir: "auto", rows: 2, value: part.transcript });
    field.addEventListener("input", () => {
      part.transcript = field.value.trim();
      this._onChange();
    });
    return make("label", { className: "field" }, make("span", { className: "name", textContent: lineOf(part, n) }), field);
  }
}

const lineOf = ({ start, end }, n) => words("create.recording_line", { n, length: (end - start) / 1000 });
