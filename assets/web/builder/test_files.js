// A place for files, one for each text: dropped or chosen, all at once in the order of their names, or one for one text.

import { takeDrops } from "../kit/dropped.js";
import { make } from "../kit/frame.js";
import { words } from "../words/words.js";

// How files end that may be sounds, from the studio, which knows what it reads; what one is, its bytes tell there.
const soundEndings = () => document.getElementById("tests-rows").dataset.sounds;
const isSound = ({ name, type }) =>
  type.startsWith("audio/") ||
  soundEndings()
    .split(",")
    .some((ending) => name.toLowerCase().endsWith(ending));

export class TestFiles {
  // name: whose files. texts(): of the test. has(text): whether its file is there. take(files, first): for the texts from that number on.
  constructor({ name, texts, has, take }) {
    this._texts = texts;
    this._has = has;
    this._take = take;
    this._name = name;
    this._input = this._inputOf(`files-${name}`, true, 0);
    this._said = make("span", { className: "note num" });
    const choose = make("span", { className: "link", textContent: words("tests.choose_files") });
    this._drop = make(
      "label",
      { className: "files-drop" },
      make("span", { textContent: words("tests.drop_files") }),
      choose,
      this._said,
      this._input,
    );
    this._drop.htmlFor = this._input.id;
    this._lines = make("ol", { className: "files-lines note" });
    const fold = make("details", { className: "files-each" }, make("summary", { textContent: words("tests.each_file") }), this._lines);
    this.element = make("div", { className: "files" }, this._drop, fold);
    this._wire();
    this.show();
  }

  show() {
    const texts = this._texts();
    const n = texts.filter((_, at) => this._has(at)).length;
    this._said.textContent = words("tests.files_here", { n: texts.length, here: n });
    this._lines.replaceChildren(...texts.map((text, at) => this._lineOf(text, at)));
    this.element.querySelector("details").hidden = !texts.length;
  }

  _lineOf(text, at) {
    const input = this._inputOf(`files-${this._name}-${at}`, false, at);
    const act = make("label", {
      className: "link",
      htmlFor: input.id,
      textContent: words(this._has(at) ? "tests.replace_file" : "tests.choose_file"),
    });
    act.append(make("span", { className: "visually-hidden", textContent: ` ${text}` }), input);
    return make("li", {}, make("span", { className: "cut", textContent: text, dir: "auto" }), act);
  }

  _inputOf(id, multiple, first) {
    const input = make("input", { type: "file", id, className: "visually-hidden", accept: `${soundEndings()},audio/*`, multiple });
    input.addEventListener("change", () => {
      this._send([...input.files], first);
      input.value = "";
    });
    return input;
  }

  _wire() {
    takeDrops(this._drop, (files) => this._send(files, 0));
  }

  _send(files, first) {
    const sounds = files.filter(isSound);
    sounds.sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
    if (files.length) this._take(sounds, first);
  }
}
