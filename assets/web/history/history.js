// The History: all takes that are kept, searched and filtered. Texts and names are set as text.
import { make, onMount } from "../kit/frame.js";
import { ask } from "../kit/library.js";
import { LinkedRow } from "../kit/linked_row.js";
import { openMenu } from "../kit/menu.js";
import { say } from "../kit/notices.js";
import { finder } from "../kit/search.js";
import { withHeard } from "../sound/heard.js";
import { bytes, words } from "../words/words.js";
import { saidBy, TakeList, takeName } from "./take.js";

export let historyView;

const FIELDS = ["history-find", "history-starred", "history-voice", "history-engine"];

class History {
  constructor({ element, props, trigger, server, watch }) {
    this._element = element;
    this._props = props;
    this._takes = new TakeList({ list: this._part("history-list"), trigger, server, place: "history-message", isLong: true });
    this._linked = new LinkedRow("history", {
      titleOf: (id) => titleOf(props.value?.entries, id),
      rowOf: (id) => this._part("history-list").querySelector(`[data-key="${CSS.escape(id)}"]`),
      showAll: () => this._showAll(),
      refuse: () => say("history-message", { kind: "problem", fact: words("history.not_here"), hint: words("history.not_here_hint") }),
    });
    for (const id of FIELDS) this._part(id).addEventListener("input", () => this._show());
    this._part("history-more").addEventListener("click", ({ currentTarget }) => this._openMenu(currentTarget));
    watch("value", () => this._hear());
    this._hear();
  }

  // not_kept: why the last speech was not.
  _hear() {
    const problem = this._props.value?.not_kept;
    if (problem) say("history-message", { kind: "problem", ...problem });
    this._show();
  }

  _part(id) {
    return this._element.querySelector(`#${id}`);
  }

  _show() {
    const value = this._props.value;
    if (!value) return;
    for (const id of FIELDS) this._part(id).disabled = false;
    this._fill("history-voice", "voice", words("history.all_voices"));
    this._fill("history-engine", "engine", words("history.all_engines"));
    const found = this._found(value.entries);
    this._takes.show(found.map(withHeard));
    this._part("history-used").textContent = usedWords(value);
    this._part("history-more").disabled = !value.entries.length;
    this._part("history-list").parentElement.hidden = !found.length;
    this._part("history-empty").hidden = Boolean(found.length);
    this._part("history-empty").textContent = emptyWords(value, this._part("history-find").value.trim());
    this._linked.look();
  }

  _showAll() {
    for (const id of FIELDS) Object.assign(this._part(id), { value: "", checked: false });
    this._show();
  }

  _found(entries) {
    const finds = finder(this._part("history-find").value);
    const [voice, engine] = ["history-voice", "history-engine"].map((id) => this._part(id).value);
    const isStarred = this._part("history-starred").checked;
    return entries.filter(
      (entry) =>
        (!isStarred || entry.starred) &&
        (!voice || entry.voice === voice) &&
        (!engine || entry.engine === engine) &&
        finds(saidBy(entry), entry.voice, entry.engine, entry.options.instructions ?? ""),
    );
  }

  // A list of what there is of one kind. The choice stays where it is still there.
  _fill(id, kind, all) {
    const select = this._part(id);
    const names = [...new Set(this._props.value.entries.map((entry) => entry[kind]))]
      .filter(Boolean)
      .sort((one, other) => one.localeCompare(other));
    select.hidden = !names.length; // there is nothing to choose from
    const wanted = ["", ...names];
    if (wanted.join("\n") === [...select.options].map(({ value }) => value).join("\n")) return;
    const chosen = select.value;
    select.replaceChildren(...wanted.map((value) => make("option", { value, textContent: value || all })));
    select.value = names.includes(chosen) ? chosen : "";
  }

  _openMenu(button) {
    const { entries } = this._props.value;
    const found = this._found(entries);
    const item = (key, said, takes) => ({ key, icon: "trash", words: said, isDangerous: true, act: () => this._clear(takes) });
    const isPart = found.length > 0 && found.length < entries.length;
    openMenu(button, words("history.more"), [
      ...(isPart ? [item("clear-found", words("history.clear_found", { n: found.length }), found)] : []),
      item("clear", words("history.clear"), entries),
    ]);
  }

  // takes: those that were there when it was asked; what is spoken meanwhile stays.
  async _clear(takes) {
    const stars = takes.filter(({ starred }) => starred).length;
    const question = words(stars ? "history.clear_stars" : "history.clear_all", { n: takes.length, stars });
    if (await ask(question, words("history.clear_yes"))) await this._takes.delete(takes.map(({ id }) => id));
  }
}

// Of a take: null where there is none, undefined while nobody knows.
function titleOf(entries, id) {
  const found = entries?.find((entry) => entry.id === id);
  return found ? takeName(found) : entries && null;
}

function usedWords({ entries, n_bytes: size, most_entries: most, keeps_any: keepsAny }) {
  return keepsAny && entries.length ? words("history.used", { n: entries.length, size: bytes(size), most }) : "";
}

function emptyWords({ entries, keeps_any: keepsAny }, typed) {
  if (!keepsAny) return words("takes.off");
  if (!entries.length) return words("history.none");
  return typed ? words("history.no_match", { typed, n: entries.length }) : words("history.no_star", { n: entries.length });
}

onMount("history", (tools) => {
  historyView = new History(tools);
});
