// Other names of voices: what programs hear that say a name of their own. Asked for when it is unfolded, and after each change.

import { icon } from "../drawings/icons.js";
import { make, onMount } from "../kit/frame.js";
import { redraw } from "../kit/library.js";
import { fill } from "../kit/notices.js";
import { called } from "../transport/server_call.js";
import { words } from "../words/words.js";

const ICON_PIXELS = 16;

class Aliases {
  constructor({ element, server }) {
    this._server = server;
    const [fold, notice, none, list, names, form] = ["details", ".notice", "#aliases-none", "ul", "datalist", "form"].map((part) =>
      element.querySelector(part),
    );
    this._notice = notice;
    this._none = none;
    this._list = list;
    this._names = names;
    this._form = form;
    fold.addEventListener("toggle", () => fold.open && this._look());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this._keep(form.elements.name.value, form.elements.voice.value);
    });
    list.addEventListener("click", ({ target }) => {
      const { key } = target.closest("[data-act]")?.dataset ?? {};
      if (key) this._change("remove_alias", { name: key });
    });
  }

  async _keep(name, voice) {
    const { problem } = await this._change("keep_alias", { name, voice });
    if (problem) return;
    this._form.elements.name.value = "";
    fill(this._notice, { kind: "done", fact: words("aliases.says", { name, voice }) });
  }

  async _change(act, asked) {
    const answer = await this._ask(act, asked);
    if (!answer.problem) await this._look();
    return answer;
  }

  async _look() {
    const { problem, aliases, names, voices, can_change: canChange } = await this._ask("list_aliases", {});
    if (problem) return;
    this._form.hidden = !canChange;
    const chosen = this._form.elements.voice.value;
    this._form.elements.voice.replaceChildren(...voices.map((voice) => make("option", { value: voice, textContent: voice })));
    if (voices.includes(chosen)) this._form.elements.voice.value = chosen;
    this._names.replaceChildren(...names.map((name) => make("option", { value: name })));
    this._none.textContent = aliases.length ? "" : words("aliases.none");
    redraw(
      this._list,
      aliases.map((alias) => this._rowOf(alias)),
      this._form.elements.name,
    );
  }

  _rowOf({ name, voice, own, missing }) {
    const about = make("span", { className: "what grow" }, make("b", { textContent: words("aliases.says", { name, voice }), dir: "auto" }));
    const more = [missing && words("aliases.missing", { voice }), own || words("aliases.outside")].filter((said) => said && said !== true);
    if (more.length) about.append(make("small", { textContent: more.join(" · ") }));
    const row = make("li", {}, about);
    if (!own) return row;
    const title = words("aliases.remove", { name });
    const button = make("button", { type: "button", className: "button quiet square small", title }, icon("trash", ICON_PIXELS));
    button.setAttribute("aria-label", title);
    Object.assign(button.dataset, { key: name, act: "remove" });
    row.append(button);
    return row;
  }

  async _ask(name, asked) {
    const answer = await called(this._server, name, asked, "E-NET-1");
    fill(this._notice, answer.problem ? { ...answer.problem, kind: "problem" } : {});
    return answer;
  }
}

onMount("aliases", (tools) => new Aliases(tools));
