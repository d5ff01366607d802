// A new script: pasted, dropped, or chosen as a file. What it is taken for is told before it is kept.

import { icon } from "../drawings/icons.js";
import { takeDrops } from "../kit/dropped.js";
import { make } from "../kit/frame.js";
import { whoName } from "../script_lines/line_words.js";
import { JSON_TYPE, ROUTE } from "../script_state/known_lines.js";
import { askServer } from "../transport/speech_transport.js";
import { words } from "../words/words.js";

const REST_MILLISECONDS = 500;
const FILES = ".txt,.md,.markdown,.fountain,.epub,.srt,.vtt,.csv,.tsv,.json,.zip";

export class NewScript {
  // kept(script): it is kept. leave(): nobody wants it. example(): the text of one, or null. refuse(problem).
  constructor(element, { kept, leave, example, refuse }) {
    this._kept = kept;
    this._example = example;
    this._refuse = refuse;
    this._file = null;
    this._read = null; // what it is taken for
    this._turn = 0;
    this._timer = null;
    this._element = element;
    this._draw(leave);
    takeDrops(element, ([file]) => this.take(file));
  }

  _draw(leave) {
    const back = quietButton("left", words("scripts.back"), leave);
    back.classList.add("square");
    back.querySelector(".word").classList.add("visually-hidden");
    const heading = make("h2", { textContent: words("scripts.new"), tabIndex: -1 });
    this._text = make("textarea", { className: "input script-paste", rows: 12, dir: "auto", placeholder: words("scripts.paste_example") });
    this._text.addEventListener("input", () => this._later());
    this._text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this._keep();
    });
    const field = make(
      "label",
      { className: "field" },
      make("span", { className: "name", textContent: words("scripts.paste") }),
      this._text,
    );
    this._chooser = make("input", { type: "file", accept: FILES, className: "visually-hidden", id: "script-file" });
    this._chooser.addEventListener("change", () => this._chooser.files.length && this.take(this._chooser.files[0]));
    const choose = make(
      "label",
      { className: "button", htmlFor: "script-file" },
      icon("upload"),
      words("scripts.choose_file"),
      this._chooser,
    );
    const example = quietButton("star", words("scripts.try_example"), () => this._takeExample());
    const tools = make(
      "div",
      { className: "toolbar" },
      choose,
      example,
      make("span", { className: "note", textContent: words("scripts.formats") }),
    );
    this._named = make("div", { className: "script-file", hidden: true });
    this._told = make("section", { className: "script-read", hidden: true });
    this._told.setAttribute("aria-live", "polite");
    this._title = make("input", { className: "input", dir: "auto", maxLength: 200 });
    this._titleField = make(
      "label",
      { className: "field", hidden: true },
      make("span", { className: "name", textContent: words("scripts.title") }),
      this._title,
    );
    this._keepButton = make("button", { type: "button", className: "button primary", disabled: true, textContent: words("scripts.keep") });
    this._keepButton.addEventListener("click", () => this._keep());
    const end = make(
      "div",
      { className: "panel-end" },
      this._keepButton,
      make("span", { className: "note", textContent: words("scripts.keep_hint") }),
    );
    const panel = make("div", { className: "card pad stack" }, field, tools, this._named, this._told, this._titleField, end);
    this._element.replaceChildren(make("div", { className: "page-title" }, back, heading), panel);
  }

  /** Empty, with the caret in the field. */
  begin() {
    this._file = null;
    this._read = null;
    this._text.value = "";
    this._title.value = "";
    this._chooser.value = "";
    this._show();
    this._text.focus();
  }

  /** A file that was chosen or dropped. */
  take(file) {
    if (!file) return;
    this._file = file;
    this._text.value = "";
    this._show();
    this._look();
  }

  async _takeExample() {
    const text = await this._example();
    if (text === null) return;
    this._text.value = text;
    this._file = null;
    this._text.focus();
    this._look();
  }

  _later() {
    this._file = null;
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this._look(), REST_MILLISECONDS);
  }

  async _look(readAs = "") {
    clearTimeout(this._timer);
    this._turn += 1;
    const turn = this._turn;
    this._readAs = readAs;
    this._read = null;
    if (!this._file && !this._text.value.trim()) return this._show();
    try {
      const read = await (await askServer(`${ROUTE}/read`, this._body())).json();
      if (turn !== this._turn) return undefined;
      this._read = read;
    } catch (error) {
      if (turn === this._turn) this._refuse(error);
    }
    return this._show();
  }

  _body(title = "") {
    const more = { ...(title && { title }), ...(this._readAs && { read_as: this._readAs }) };
    if (!this._file) return { method: "POST", headers: JSON_TYPE, body: JSON.stringify({ text: this._text.value, ...more }) };
    const body = new FormData();
    body.append("file", this._file);
    for (const [name, value] of Object.entries(more)) body.append(name, value);
    return { method: "POST", body };
  }

  _show() {
    this._named.hidden = !this._file;
    this._named.textContent = this._file?.name ?? "";
    const read = this._read;
    this._told.hidden = !read;
    this._titleField.hidden = !read;
    this._keepButton.disabled = !read?.n_lines;
    if (!read) return;
    this._title.placeholder = read.title || words("scripts.untitled");
    this._told.replaceChildren(...this._partsOf(read));
  }

  _partsOf({ taken_for: format, n_lines: n, n_characters: characters, cast, notes, first_lines: first, readable_as: others = [] }) {
    const taken = make("p", {
      className: "strong",
      textContent: words("scripts.taken_for", { format: formatWords(format) }),
    });
    const counts = [words("scripts.n_lines", { n }), words("scripts.n_characters", { n: characters })];
    const names = cast.filter(Boolean);
    if (names.length) counts.push(words("scripts.cast_of", { names }));
    const told = notes.map(({ key, values }) => make("p", { className: "note", textContent: words(`scripts.${key}`, values) }));
    const lines = first.map(({ who, text }) => make("li", { dir: "auto" }, make("b", { textContent: whoName(who) }), " ", text));
    return [
      taken,
      make("p", { className: "num", textContent: counts.join(" · ") }),
      ...told,
      ...this._choiceOf(format, others),
      make("ol", { className: "script-first" }, ...lines),
    ];
  }

  _choiceOf(format, others) {
    if (others.length < 2) return [];
    const select = make(
      "select",
      { className: "select small" },
      ...others.map((value) => make("option", { value, textContent: formatWords(value), selected: value === format })),
    );
    select.addEventListener("change", () => this._look(select.value));
    return [make("label", { className: "beside" }, words("scripts.read_as"), select)];
  }

  async _keep() {
    if (!this._read) await this._look(this._readAs);
    if (!this._read?.n_lines || this._keepButton.disabled) return;
    this._keepButton.disabled = true;
    try {
      const answer = await askServer(ROUTE, this._body(this._title.value.trim()));
      this._kept(await answer.json());
    } catch (error) {
      this._refuse(error);
    } finally {
      this._keepButton.disabled = !this._read?.n_lines;
    }
  }
}

// A format or a note that this page has no words for is not kept back.
function formatWords(format) {
  try {
    return words(`scripts.format_${format}`);
  } catch {
    return words("scripts.format_other", { format });
  }
}

function quietButton(sign, said, press) {
  const element = make(
    "button",
    { type: "button", className: "button quiet", title: said },
    icon(sign),
    make("span", { className: "word", textContent: said }),
  );
  element.addEventListener("click", press);
  return element;
}
