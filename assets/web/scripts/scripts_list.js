// The list of scripts: title, how long, how much of it is said, whether it is being said.

import { icon } from "../drawings/icons.js";
import { chip } from "../drawings/states.js";
import { linkItem } from "../kit/clipboard.js";
import { make } from "../kit/frame.js";
import { ask as agreeTo, redraw } from "../kit/library.js";
import { menuButton, openMenu } from "../kit/menu.js";
import { strip } from "../kit/notices.js";
import { ROUTE } from "../script_state/known_lines.js";
import { askServer } from "../transport/speech_transport.js";
import { bytes, seconds, words } from "../words/words.js";

export class ScriptsList {
  // open(id), create(): another view. refuse(problem).
  constructor(element, { open, create, refuse }) {
    this._open = open;
    this._refuse = refuse;
    this._scripts = null;
    this._new = primary("plus", words("scripts.new"), create);
    this._count = make("span", { className: "count-of num soft" });
    this._near = make("p", { className: "note", hidden: true });
    this._rows = make("ul", { className: "card script-rows" });
    this._rows.addEventListener("click", ({ target }) => this._press(target.closest("button")));
    const title = make(
      "div",
      { className: "page-title" },
      make("h2", { textContent: words("scripts.title_list") }),
      this._count,
      make("span", { className: "grow" }),
      this._new,
    );
    this._full = make("div", { className: "stack", hidden: true }, title, this._near, this._rows);
    this._first = primary("plus", words("scripts.new"), create);
    this._empty = make(
      "div",
      { className: "empty", hidden: true },
      make("h2", { textContent: words("scripts.empty") }),
      make("p", { textContent: words("scripts.empty_about") }),
      this._first,
    );
    element.append(this._full, this._empty);
  }

  /** What is there now. */
  async look() {
    try {
      const { scripts, limits } = await (await askServer(ROUTE)).json();
      this._show(scripts, limits);
    } catch (error) {
      this._refuse(error);
    }
  }

  focus() {
    (this._full.hidden ? this._first : this._new).focus();
  }

  titleOf(id) {
    return this._scripts?.find((script) => script.id === id)?.title ?? "";
  }

  _show(scripts, limits) {
    this._scripts = scripts;
    this._full.hidden = !scripts.length;
    this._empty.hidden = scripts.length > 0;
    this._count.textContent = String(scripts.length);
    this._near.hidden = !limits?.near;
    if (limits?.near) this._near.textContent = nearWords(scripts, limits);
    redraw(this._rows, scripts.map(rowOf), this._new);
  }

  _press(button) {
    const script = this._scripts.find(({ id }) => id === button?.dataset.key);
    if (!script) return;
    if (button.dataset.act === "open") this._open(script.id);
    if (button.dataset.act === "menu") openMenu(button, button.title, this._items(script));
  }

  _items(script) {
    return [
      { key: "open", icon: "pencil", words: words("scripts.open"), act: () => this._open(script.id) },
      { key: "copy", icon: "copy", words: words("scripts.copy"), act: () => this._copy(script) },
      { ...linkItem("scripts", script.id), words: words("scripts.copy_link") },
      { key: "delete", icon: "trash", words: words("scripts.delete"), isDangerous: true, act: () => this._delete(script) },
    ];
  }

  async _copy({ id }) {
    await this._ask(`${ROUTE}/${id}/copy`, "POST");
  }

  async _delete({ id, title, n_said: n }) {
    const name = title || words("scripts.untitled");
    if (!(await agreeTo(words("scripts.delete_sure", { name, n }), words("scripts.delete_yes"), words("scripts.delete_no")))) return;
    if (await this._ask(`${ROUTE}/${id}`, "DELETE")) strip({ text: words("scripts.deleted", { name }) });
  }

  async _ask(path, method) {
    try {
      await askServer(path, { method });
      await this.look();
      return true;
    } catch (error) {
      this._refuse(error);
      return false;
    }
  }
}

function nearWords(scripts, { scripts: most, bytes: mostBytes, used_bytes: used }) {
  return words("scripts.near", { n: scripts.length, most, used: bytes(used), size: bytes(mostBytes) });
}

function rowOf(script) {
  const {
    id,
    title,
    author,
    n_lines: nLines,
    n_silent: silent,
    n_said: said,
    n_stale: stale,
    seconds: length,
    is_running: isRunning,
  } = script;
  const n = nLines - silent;
  const name = title || words("scripts.untitled");
  const open = make("button", { type: "button", className: "script-open", textContent: name, dir: "auto" });
  const about = [author, words("scripts.n_lines", { n: nLines }), length ? seconds(Math.round(length)) : ""].filter(Boolean).join(" · ");
  const bar = make("span", { className: "progress" }, make("i"));
  bar.firstElementChild.style.width = `${(100 * said) / Math.max(1, n)}%`;
  bar.setAttribute("aria-hidden", "true");
  const more = menuButton(words("scripts.more_of_script", { name }));
  for (const [button, act] of [
    [open, "open"],
    [more, "menu"],
  ])
    Object.assign(button.dataset, { key: id, act });
  const names = make("span", { className: "script-about" }, open, make("small", { className: "soft cut num", textContent: about }));
  const heard = make(
    "span",
    { className: "script-heard" },
    bar,
    make("span", { className: "num note", textContent: words("scripts.n_said_of", { n, said }) }),
  );
  return make("li", { className: "script-row" }, names, heard, chip(...stateOf({ n, said, stale, isRunning })), more);
}

function stateOf({ n, said, stale, isRunning }) {
  if (isRunning) return ["learning", words("scripts.state_saying")];
  if (stale) return ["stale", words("scripts.n_stale", { n: stale })];
  return said && said >= n ? ["good", words("scripts.state_said")] : ["none", words("scripts.n_open", { n: n - said })];
}

function primary(sign, said, press) {
  const button = make("button", { type: "button", className: "button primary" }, icon(sign), said);
  button.addEventListener("click", press);
  return button;
}
