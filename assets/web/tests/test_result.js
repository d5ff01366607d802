// A frozen test: its link while it is open, and what was found once it is closed.

import { copyListenersLink, linkOf } from "../builder/test_link.js";
import { isOfWebmushra, keyOfMethod } from "../builder/test_methods.js";
import { icon } from "../drawings/icons.js";
import { make, saveFile } from "../kit/frame.js";
import { ask as agreeTo } from "../kit/library.js";
import { openMenu } from "../kit/menu.js";
import { strip } from "../kit/notices.js";
import { shownChanges } from "../kit/shown.js";
import { askServer } from "../transport/speech_transport.js";
import { language, words } from "../words/words.js";
import { JudgedResults } from "./judged_results.js";
import { TestFindings } from "./test_findings.js";

const FILES = ["report", "votes", "tidy", "listeners", "findings", "sounds", "plot-svg", "plot-png", "webmushra"];
const JUDGED_FILES = ["report", "votes", "tidy", "findings", "plot-svg", "plot-png"]; // of a table

export class TestResult {
  // copy(id): as a draft; changed(): the list shows something else now.
  constructor({ part, ask, refuse, leave, copy, changed }) {
    this._part = part;
    this._ask = ask;
    this._refuse = refuse;
    this._changed = changed;
    this._test = null;
    this._isJudged = false; // what is shown is of a table, not of a test
    this._findings = new TestFindings({
      part,
      count: (listener, counts) => this._count(listener, counts),
      more: (button, listener) => this._more(button, listener),
    });
    this._judged = new JudgedResults({ part, ask, refuse, show: (told, name) => this._showJudged(told, name) });
    const on = (id, hear) => part(id).addEventListener("click", hear);
    on("found-back", leave);
    on("found-draft", () => copy(this._test.id));
    on("found-copy", () => copyListenersLink(this._test.link));
    on("found-close", () => this._end("close"));
    on("found-unblind", () => this._end("unblind"));
    on("found-export", ({ currentTarget }) => this._openMenu(currentTarget));
    part("found-link").addEventListener("focus", ({ target }) => target.select());
  }

  /** Gives the problem that stood in the way of its results, if one did. */
  async open(test) {
    this._show(test);
    return test.state === "closed" || test.is_unblinded ? this._find() : null;
  }

  /** A table from anywhere. sent: its file, as the studio takes it. Gives the problem that stood in the way, if one did. */
  judge(sent) {
    return this._judged.begin(sent);
  }

  /** How many have listened by now. */
  async look() {
    if (this._isJudged) return;
    const { id, state } = this._test;
    if (state !== "open" || this._isAsked) return;
    const { problem, test } = await this._ask("show_test", { id });
    if (problem || test.id !== this._test.id || !shownChanges(this._part("found"), [test.state, test.n_begun, test.n_done])) return;
    this.open(test);
  }

  _showJudged(told, name) {
    this._isJudged = true;
    this._part("found-name").textContent = name;
    this._part("found-state").hidden = !told;
    for (const id of ["found-open", "found-try"]) this._part(id).hidden = true;
    for (const id of ["found-results", "found-export"]) this._part(id).hidden = !told;
    this._part("found-log").closest("details").hidden = true;
    this._part("judge").hidden = false;
    if (!told) return;
    const method = words(`tests.method_${keyOfMethod(told.method)}`);
    this._part("found-state").replaceChildren(make("span", { textContent: words("tests.judge_state", { method }) }));
    this._findings.show(told);
  }

  _show(test) {
    this._isJudged = false;
    this._part("judge").hidden = true;
    this._part("found-state").hidden = false;
    this._part("found-log").closest("details").hidden = false;
    this._test = test;
    const { name, method, state, listeners: planned, n_begun: begun, n_done: done } = test;
    const isOpen = state === "open";
    const hasResults = state === "closed" || test.is_unblinded;
    this._part("found-name").textContent = name;
    const said = words(`tests.stands_${state}`, {
      method: words(`tests.method_${keyOfMethod(method)}`),
      date: dateOf(test.closed ?? test.created),
    });
    this._part("found-state").replaceChildren(icon(isOpen ? "link" : "lock", 14), make("span", { textContent: said }));
    this._part("found-open").hidden = !isOpen;
    this._part("found-results").hidden = !hasResults;
    this._part("found-export").hidden = !hasResults;
    this._part("found-try").hidden = !isOpen;
    this._part("found-try").href = linkOf(test.link, { experimenter: 1 });
    this._part("found-link").value = linkOf(test.link);
    this._part("found-listeners").textContent = words("tests.listened", { n: planned, done });
    this._part("found-begun").textContent = begun > done ? words("tests.begun", { n: begun - done }) : "";
    this._part("found-open").querySelector(".progress i").style.width = `${Math.min(100, (100 * done) / planned)}%`;
  }

  async _find() {
    const { problem, test } = await this._ask("show_findings", { id: this._test.id });
    if (problem) return problem;
    this._findings.show(test);
    return null;
  }

  async _end(act) {
    const { id, name, n_done: n, listeners: planned } = this._test;
    const question = words(`tests.${act}_ask`, { name, n, planned });
    if (!(await agreeTo(question, words(`tests.${act}_yes`), words("tests.not_yet")))) return;
    this._isAsked = true;
    const { problem, test } = await this._ask("act_on_test", { id, act });
    this._isAsked = false;
    if (problem) return this._refuse(problem);
    this._changed();
    const other = await this.open(test);
    if (other) return this._refuse(other);
    this._part("found-back").focus();
  }

  async _count(listener, counts) {
    if (this._isJudged) return this._judged.count(listener, counts);
    const { problem, test } = await this._ask("count_listener", { id: this._test.id, listener, counts });
    if (problem) return this._refuse(problem);
    this._findings.show(test);
  }

  // What is done with one listener beside counting.
  _more(button, listener) {
    const save = { key: "save", icon: "download", words: words("tests.listener_export"), act: () => this._saveListener(listener) };
    const remove = { key: "delete", icon: "trash", words: words("tests.listener_delete"), isDangerous: true };
    openMenu(button, button.title, [save, { ...remove, act: () => this._deleteListener(listener) }]);
  }

  async _deleteListener(listener) {
    const question = words("tests.listener_delete_ask", { listener });
    if (!(await agreeTo(question, words("tests.delete_yes"), words("tests.keep")))) return;
    const { problem, test } = await this._ask("delete_listener", { id: this._test.id, listener });
    if (problem) return this._refuse(problem);
    this._findings.show(test);
    strip({ text: words("tests.listener_deleted", { listener }) });
    this._changed();
  }

  async _saveListener(listener) {
    const { problem, kept } = await this._ask("show_listener", { id: this._test.id, listener });
    if (problem) return this._refuse(problem);
    saved(new Blob([JSON.stringify(kept, null, 2)], { type: "application/json" }), `${listener}.json`);
  }

  // --- files

  _openMenu(button) {
    const { id, method } = this._isJudged ? {} : this._test;
    const offered = (this._isJudged ? JUDGED_FILES : FILES).filter((kind) => kind !== "webmushra" || isOfWebmushra(method));
    const items = offered.map((kind) => {
      const key = kind.replace("-", "_");
      return { key: kind, words: words(`tests.file_${key}`), note: words(`tests.file_about_${key}`), act: () => this._download(id, kind) };
    });
    openMenu(button, words("tests.export"), items);
  }

  async _download(id, kind) {
    if (this._isJudged) return this._downloadJudged(kind);
    try {
      const response = await askServer(`studio/tests/${id}/${kind}?lang=${language}`);
      const [, download] = /filename="(.+)"/.exec(response.headers.get("Content-Disposition")) ?? [];
      return saved(await response.blob(), download ?? kind);
    } catch (error) {
      return this._refuse(error);
    }
  }

  async _downloadJudged(kind) {
    const { problem, name, type, data } = await this._judged.file(kind);
    if (problem) return this._refuse(problem);
    return saved(new Blob([Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0))], { type }), name);
  }
}

function saved(blob, download) {
  saveFile(blob, download);
  strip({ text: words("tests.exported", { file: download }) });
}

const dateOf = (at) => new Date(1000 * at).toLocaleDateString(language, { day: "numeric", month: "short" });
