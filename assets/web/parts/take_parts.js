// The parts of a take, in a fold of its row: each is heard, said again, with other words too, and one of the times that it was said is chosen.
// The studio puts the whole together. A fold stays the same element while the list around it is drawn again.

import { icon } from "../drawings/icons.js";
import { make } from "../kit/frame.js";
import { redraw } from "../kit/library.js";
import { say } from "../kit/notices.js";
import { listen } from "../sound/listening.js";
import { player } from "../sound/player.js";
import { queued } from "../transport/gradio_transport.js";
import { called } from "../transport/server_call.js";
import { askServer } from "../transport/speech_transport.js";
import { words } from "../words/words.js";
import { partAddress, partKey, partPlace, renditionLine, varies } from "./part_lines.js";

const ICON_PIXELS = 16;
const JSON_TYPE = { "Content-Type": "application/json" };
const LINES = 3; // of the field for other words

export class TakeParts {
  // place: of the notices.
  constructor(place) {
    this._place = place;
    this._folds = new Map(); // by the take's id
  }

  /** Puts the fold into a take's row, where it has several parts. about: of its sound, as Session has it. */
  put(take, about, row) {
    if (!(take.n_parts > 1)) return;
    const fold = this._folds.get(take.id) ?? new PartsFold(take.id, this._place);
    this._folds.set(take.id, fold);
    fold.know(take, about);
    if (fold.element.parentElement !== row) row.append(fold.element);
  }

  /** Those of takes that are not there any more. */
  keepOnly(takes) {
    const ids = new Set(takes.map(({ id }) => id));
    for (const id of this._folds.keys()) if (!ids.has(id)) this._folds.delete(id);
  }

  /** What is heard now can be paused where it stands. */
  follow() {
    for (const fold of this._folds.values()) if (fold.element.open) fold.follow();
  }
}

class PartsFold {
  constructor(id, place) {
    this._id = id;
    this._place = place;
    this._take = null;
    this._about = null;
    this._told = null;
    this._editing = null;
    this._seen = "";
    this._busy = new Set(); // parts that are being said
    this._title = make("summary");
    this._list = make("ol");
    this._note = make("p", { className: "note" });
    this.element = make("details", { className: "take-parts" }, this._title, this._list, this._note);
    this.element.dataset.live = "";
    this.element.addEventListener("toggle", () => this.element.open && this._look());
    this._list.addEventListener("click", ({ target }) => this._press(target.closest("button")));
    this._list.addEventListener("keydown", (event) => this._key(event));
  }

  know(take, about) {
    const now = `${take.seconds} ${take.text}`; // it was put together again, perhaps in another window
    if (this._seen && this._seen !== now && this.element.open && !this._busy.size) this._look();
    this._take = take;
    this._about = about;
    this._seen = now;
    this._list.setAttribute("aria-label", words("takes.parts_list", { text: take.text }));
    const n = this._told?.parts.length; // how many there are, the sound says: not known before it is asked for
    this._title.textContent = n ? words("takes.parts", { n }) : words("takes.parts_any");
  }

  follow() {
    for (const button of this._list.querySelectorAll(".play")) showSounding(button);
  }

  _look() {
    return this._ask("parts", {});
  }

  // What the studio says of the parts now, after a press too.
  async _ask(path, init) {
    try {
      const response = await askServer(`v1/studio/takes/${this._id}/${path}`, { headers: JSON_TYPE, ...init });
      this._told = await response.json();
      this.know({ ...this._take, seconds: this._told.seconds, text: this._told.text }, this._about);
      return true;
    } catch (error) {
      say(this._place, { kind: "problem", fact: error.message, hint: error.hint ?? "" });
      return false;
    } finally {
      this._draw();
    }
  }

  _draw() {
    const { parts = [] } = this._told ?? {};
    redraw(
      this._list,
      parts.map((part) => this._rowOf(part)),
    );
    this._note.textContent = this._told && !this._told.has_seed ? words("takes.part_same") : "";
    this._note.hidden = !this._note.textContent;
    this.follow();
  }

  _rowOf(part) {
    const { part: number, chosen, renditions } = part;
    const isEdited = this._editing === number;
    const isBusy = this._busy.has(number);
    const place = make("div", { className: "take-sub num", textContent: isBusy ? words("takes.part_saying") : partPlace(part) });
    const said = make("div", { className: "part-text", textContent: part.text, dir: "auto" });
    const again = this._button("part-again", number, "repeat", words("takes.part_again", { part: number }));
    const edit = this._button("part-edit", number, "pencil", words("takes.part_edit", { part: number }));
    for (const button of [again, edit]) button.disabled = isBusy;
    const first = chosen ? this._playOf(number, chosen, words("takes.part_play", { part: number })) : make("span");
    const head = make("div", { className: "grow" }, isEdited ? this._editorOf(part) : said, place);
    const row = make("li", { className: "part" }, make("span", { className: "num note", textContent: String(number) }), first, head);
    if (!isEdited) row.append(make("span", { className: "part-acts" }, again, edit));
    if (renditions.length > 1) row.append(this._renditionsOf(part));
    row.dataset.chosen = chosen;
    return row;
  }

  _renditionsOf({ part, text, chosen, renditions }) {
    const rows = renditions.map((one) => {
      const { rendition } = one;
      const isUsed = rendition === chosen;
      const use = this._button(
        "part-use",
        `${part}/${rendition}`,
        isUsed ? "check" : null,
        words("takes.part_use_of", { part, rendition }),
      );
      use.className = "button quiet small";
      use.append(words(isUsed ? "takes.part_used" : "takes.part_use"));
      use.setAttribute("aria-pressed", String(isUsed));
      const line = make("span", { className: "num grow", textContent: renditionLine(one, text), dir: "auto" });
      return make("li", {}, this._playOf(part, rendition, words("takes.part_play_of", { part, rendition })), line, use);
    });
    return make("ul", { className: "renditions" }, ...rows);
  }

  _editorOf({ part, text }) {
    const field = make("textarea", { className: "input", value: text, rows: LINES, dir: "auto" });
    field.setAttribute("aria-label", words("takes.part_words", { part }));
    field.textContent = text;
    const ok = make("button", { type: "button", className: "button primary small", textContent: words("takes.part_say") });
    const no = make("button", { type: "button", className: "button quiet small", textContent: words("takes.part_cancel") });
    Object.assign(ok.dataset, { act: "part-say", key: `${this._id}/${part}` });
    Object.assign(no.dataset, { act: "part-cancel", key: `${this._id}/${part}` });
    return make("div", { className: "part-editor" }, field, make("div", { className: "part-acts" }, ok, no));
  }

  _playOf(part, rendition, label) {
    const button = make("button", { type: "button", className: "play small" });
    Object.assign(button.dataset, { act: "part-hear", key: partKey(this._id, part, rendition), label });
    showSounding(button);
    return button;
  }

  _button(act, key, drawn, label) {
    const button = make("button", { type: "button", className: "button square quiet small", title: label });
    if (drawn) button.append(icon(drawn, ICON_PIXELS));
    button.setAttribute("aria-label", label);
    Object.assign(button.dataset, { act, key: `${this._id}/${key}` });
    return button;
  }

  _press(button) {
    const { act, key } = button?.dataset ?? {};
    if (!act) return;
    const [part, rendition] = key.split("/").slice(1).map(Number);
    if (act === "part-hear") this._hear(key, part, rendition);
    if (act === "part-use") this._choose(part, rendition);
    if (act === "part-edit") this._edit(part);
    if (act === "part-cancel") this._edit(null);
    if (act === "part-say") this._say(part, this._list.querySelector("textarea").value.trim());
    if (act === "part-again") this._again(part);
  }

  _key(event) {
    if (event.key !== "Escape" || this._editing === null) return;
    event.stopPropagation();
    this._edit(null);
  }

  _hear(key, part, rendition) {
    player.togglePlay(key, () =>
      listen(
        partAddress(this._id, part, rendition),
        { label: this._about.voice, key, about: { ...this._about, wordsPath: "" } },
        this._place,
      ),
    );
  }

  // The same words of an engine without a seed would sound the same: other words are asked for.
  _again(number) {
    if (varies(this._told, this._told.parts[number - 1])) this._say(number, "");
    else this._edit(number);
  }

  _edit(number) {
    const before = this._editing;
    this._editing = number;
    this._draw();
    const at = number === null ? `[data-act="part-edit"][data-key="${this._id}/${before}"]` : "textarea";
    this._list.querySelector(at)?.focus();
  }

  async _say(number, text) {
    const own = this._told.parts[number - 1].text;
    this._editing = null;
    this._busy.add(number);
    this._draw();
    say(this._place);
    const before = this._told.seconds;
    const isSaid = await this._sayAgain(number, text && text !== own ? { input: text } : {});
    this._busy.delete(number);
    this._draw();
    if (isSaid && this._told.seconds !== before) this._forgetSound();
  }

  // Where a GPU is lent, an event of the queue gets one, and no other request.
  async _sayAgain(part, said) {
    if (!queued) return this._ask(`parts/${part}`, { method: "POST", body: JSON.stringify(said) });
    const { problem } = await called({}, "say_part", { take: this._id, part, ...said }, "E-NET-1");
    const isAsked = await this._look();
    if (problem) say(this._place, { kind: "problem", ...problem });
    return isAsked && !problem;
  }

  async _choose(part, rendition) {
    if (await this._ask(`parts/${part}`, { method: "PUT", body: JSON.stringify({ rendition }) })) this._forgetSound();
  }

  // What the player has of the whole is not the whole any more: the next press fetches it.
  _forgetSound() {
    if (player.session?.key === this._id) player.session.key = null;
  }
}

function showSounding(button) {
  const isSounding = player.isSounding(button.dataset.key);
  const state = isSounding ? "playing" : "silent";
  if (button.dataset.state === state) return;
  const [part] = button.dataset.key.split("/").slice(1);
  button.dataset.state = state;
  button.classList.toggle("strong", isSounding);
  button.replaceChildren(icon(isSounding ? "pause" : "play", ICON_PIXELS));
  button.setAttribute("aria-label", isSounding ? words("takes.part_pause", { part }) : button.dataset.label);
}
