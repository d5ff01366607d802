// The dictionary: how words are said, in a dialog: to change, delete, import and export.

import { icon } from "../drawings/icons.js";
import { make, saveFile } from "../kit/frame.js";
import { ask, redraw } from "../kit/library.js";
import { fill } from "../kit/notices.js";
import { openDialog } from "../navigation/navigation.js";
import { clipSound } from "../sound/clip_sound.js";
import { called } from "../transport/server_call.js";
import { words } from "../words/words.js";
import { entryLine } from "./entry_line.js";

const MOST_SHOWN = 100;
const ICON_PIXELS = 16;

export class Dictionary {
  // element: the composer's. server: its functions. sayAs: the dialog of one entry. onChange(): the dictionary is another.
  constructor(element, { server, sayAs, onChange }) {
    this._server = server;
    this._sayAs = sayAs;
    this._onChange = onChange;
    this._entries = [];
    this._dialog = element.querySelector("#dictionary");
    this._find = this._dialog.querySelector("#dictionary-find");
    this._list = this._dialog.querySelector("ul");
    this._count = this._dialog.querySelector("#dictionary-count");
    this._notice = this._dialog.querySelector(".notice");
    this._find.addEventListener("input", () => this._show());
    document.addEventListener("studio-languages", () => this._dialog.open && this._show());
    this._find.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault()); // would close it
    this._dialog.querySelector("#dictionary-new").addEventListener("click", () => sayAs.ask(""));
    for (const button of this._dialog.querySelectorAll("[data-format]"))
      button.addEventListener("click", () => this._export(button.dataset.format));
    const file = this._dialog.querySelector("#dictionary-file");
    file.addEventListener("change", async () => {
      if (file.files.length) await this._import(file.files[0]);
      file.value = "";
    });
  }

  open() {
    this._find.value = "";
    fill(this._notice, {});
    openDialog(this._dialog);
    return this.look();
  }

  /** Shows it as it is now, where it is shown. */
  async look() {
    if (!this._dialog.open) return;
    const { problem, entries, was_set_aside: wasSetAside } = await this._ask("list_words", {});
    if (problem) return;
    this._entries = entries;
    if (wasSetAside) fill(this._notice, { kind: "care", fact: words("dictionary.set_aside") });
    this._show();
  }

  async _ask(name, asked) {
    const answer = await called(this._server, name, asked, "E-NET-1");
    fill(this._notice, answer.problem ? { ...answer.problem, kind: "problem" } : {});
    return answer;
  }

  _show() {
    const typed = this._find.value.trim().toLowerCase();
    const found = this._entries.filter(({ written, said }) => `${written}\n${said}`.toLowerCase().includes(typed));
    const shown = found.slice(0, MOST_SHOWN);
    redraw(
      this._list,
      shown.map((entry) => this._rowOf(entry)),
      this._find,
    );
    this._list.hidden = !shown.length;
    this._count.textContent = this._countWords(found.length, shown.length);
    for (const button of this._dialog.querySelectorAll("[data-format]")) button.disabled = !this._entries.length;
  }

  _countWords(n, shown) {
    if (!this._entries.length) return words("dictionary.none");
    if (!n) return words("dictionary.found_none");
    const more = n - shown;
    return [words("dictionary.count", { n }), ...(more ? [words("dictionary.more", { n: more })] : [])].join(" · ");
  }

  _rowOf(entry) {
    const { written, language } = entry;
    const about = entryLine(entry);
    const key = `${language} ${written}`;
    const button = (act, sign) => {
      const title = words(`dictionary.${act}`, { word: written });
      const made = make("button", { type: "button", className: "button quiet square small", title }, icon(sign, ICON_PIXELS));
      made.setAttribute("aria-label", title);
      Object.assign(made.dataset, { key, act });
      return made;
    };
    const row = make("li", {}, about, button("edit", "pencil"), button("delete", "trash"));
    row.addEventListener("click", ({ target }) => this._act(target.closest("[data-act]")?.dataset.act, entry));
    return row;
  }

  _act(act, entry) {
    if (act === "edit") this._sayAs.edit(entry);
    if (act === "delete") this._delete(entry);
  }

  async _delete({ written, language }) {
    const question = words("dictionary.delete_question", { word: written });
    if (!(await ask(question, words("dictionary.delete_yes"), words("dictionary.keep")))) return;
    const { problem } = await this._ask("delete_word", { written, language });
    if (!problem) this._onChange();
  }

  async _import(file) {
    const { problem, n_imported: n, n_passed_over: over } = await this._ask("import_words", await clipSound.sent(file));
    if (problem) return;
    await this._onChange();
    const hint = over ? words("dictionary.passed_over", { n: over }) : "";
    fill(this._notice, { kind: "done", fact: words("dictionary.imported", { n }), hint });
  }

  async _export(format) {
    const { problem, name, type, text } = await this._ask("export_words", { format });
    if (!problem) saveFile(new Blob([text], { type }), name);
  }
}
