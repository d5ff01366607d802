// The list of listening tests: name, question, how many have listened, state, link.

import { copyListenersLink } from "../builder/test_link.js";
import { questionOf } from "../builder/test_methods.js";
import { icon } from "../drawings/icons.js";
import { chip } from "../drawings/states.js";
import { linkItem } from "../kit/clipboard.js";
import { make } from "../kit/frame.js";
import { ask as agreeTo, redraw } from "../kit/library.js";
import { menuButton, openMenu } from "../kit/menu.js";
import { strip } from "../kit/notices.js";
import { words } from "../words/words.js";

const CHIPS = { draft: "none", open: "good", closed: "disk" };

export class TestsList {
  // open(id); copy(id): as a draft; changed(): a test was deleted.
  constructor({ part, ask, refuse, open, copy, changed }) {
    this._rows = part("tests-rows");
    this._count = part("tests-count");
    this._ask = ask;
    this._refuse = refuse;
    this._changed = changed;
    this._open = open;
    this._copy = copy;
    this._tests = [];
    this._new = part("tests-new");
    this._rows.addEventListener("click", ({ target }) => this._press(target.closest("button")));
  }

  show(tests) {
    this._tests = tests;
    this._count.textContent = tests.length;
    redraw(this._rows, tests.map(rowOf), this._new);
  }

  _press(button) {
    const test = this._tests.find(({ id }) => id === button?.dataset.key);
    if (!test) return;
    const { act } = button.dataset;
    if (act === "open") this._open(test.id);
    if (act === "link") copyListenersLink(test.link);
    if (act === "menu") openMenu(button, button.title, this._items(test));
  }

  _items(test) {
    const link = { key: "link", icon: "copy", words: words("notices.copy_link"), act: () => copyListenersLink(test.link) };
    return [
      { key: "open", icon: "pencil", words: words(test.state === "draft" ? "tests.edit" : "tests.open"), act: () => this._open(test.id) },
      ...(test.state === "open" ? [link] : []),
      { key: "copy", icon: "copy", words: words("tests.copy_draft"), act: () => this._copy(test.id) },
      { ...linkItem("tests", test.id), key: "own_link", words: words("tests.copy_own_link") },
      { key: "delete", icon: "trash", words: words("tests.delete"), isDangerous: true, act: () => this._delete(test) },
    ];
  }

  async _delete({ id, name, n_begun: n, state }) {
    const question = state === "draft" ? "tests.delete_draft" : "tests.delete_frozen";
    if (!(await agreeTo(words(question, { name, n }), words("tests.delete_yes"), words("tests.keep")))) return;
    const { problem } = await this._ask("act_on_test", { id, act: "delete" });
    if (problem) return this._refuse(problem);
    strip({ text: words("tests.deleted", { name }) });
    this._changed();
  }
}

function rowOf(test) {
  const { id, name, state, listeners: planned, n_done: done } = test;
  const title = make("button", { type: "button", className: "test-open", textContent: name, dir: "auto" });
  const about = make(
    "span",
    { className: "test-about" },
    title,
    make("small", { className: "soft cut", textContent: questionOf(test.method) }),
  );
  const heard = words("tests.listened", { n: planned, done });
  const bar = make("span", { className: "progress" }, make("i"));
  bar.firstElementChild.style.width = `${Math.min(100, (100 * done) / planned)}%`;
  bar.setAttribute("aria-hidden", "true");
  const listeners = make("span", { className: "test-heard" }, bar, make("span", { className: "num note", textContent: heard }));
  const more = menuButton(words("tests.more", { name }));
  const link = make("button", { type: "button", className: "button quiet small test-link" }, icon("copy", 14), words("notices.copy_link"));
  for (const [button, act] of Object.entries({ open: title, link, menu: more }).map(([act, button]) => [button, act]))
    Object.assign(button.dataset, { key: id, act });
  const end = state === "open" ? [link, more] : [more];
  const row = make("li", { className: "test-row" }, about, listeners, chip(CHIPS[state], words(`tests.state_${state}`)));
  row.append(make("span", { className: "test-acts" }, ...end));
  row.dataset.state = state;
  return row;
}
