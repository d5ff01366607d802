// The library of voices: search, tag, sort, rows with a menu, dialogs. What is asked goes to Python as one event; names are set as text.

import { definitions } from "./definitions.js";
import { make, onMount } from "./frame.js";
import { agreed, cell, isTyping, redraw, signButton } from "./library.js";
import { listen } from "./listening.js";
import { offerUndo, say } from "./notices.js";
import { player } from "./player.js";
import { finder } from "./search.js";
import { askServer, SpeechRefused } from "./speech_transport.js";
import { shape } from "./states.js";
import { NameCheck } from "./voice_name.js";
import { printOf } from "./voiceprint.js";

export let library;

const LINE = "voices-message";
const MOST_SENT_BYTES = 25_000_000; // MOST_BUNDLE_BYTES in studio/bundle_archive.py

const languages = new Intl.DisplayNames(undefined, { type: "language" });
function languageOf(code) {
  try {
    return code ? languages.of(code) : "–";
  } catch {
    return code;
  }
}

const SHOWN = { queued: "learning", extracting: "learning", unavailable: "none" };

function chip({ title, place, words, reason }) {
  const sign = shape(SHOWN[place] ?? place);
  const said = `${words}${reason ? `. ${reason}` : ""}`;
  const hidden = make("span", { className: "visually-hidden", textContent: `: ${said}` });
  const element = make("span", { className: "chip", title: `${title}: ${said}` }, sign, make("span", { textContent: title }), hidden);
  element.dataset.place = place;
  return element;
}

class Library {
  constructor({ element, props, trigger, watch, server }) {
    Object.assign(this, { _element: element, _props: props, _trigger: trigger, _menuFor: "" });
    this._body = this._part("voices-table").querySelector("tbody");
    for (const id of ["voices-find", "voices-tag", "voices-sort"]) this._part(id).addEventListener("input", () => this._show());
    this._part("voices-clear").addEventListener("click", () => this._clear());
    this._part("voices-create").addEventListener("click", () => trigger("create"));
    this._part("voices-import-first").addEventListener("click", () => this._part("voices-import").click());
    this._part("voices-demo").addEventListener("click", () => this._demo());
    this._part("voices-import").addEventListener("change", ({ target }) => this._import(target));
    this._body.addEventListener("click", ({ target }) => this._press(target.closest("button")));
    this._wireMenu();
    this._wireKeys();
    const field = this._part("voice-edit").querySelector("[name=name]");
    const ask = (name, values) => server[name](values).catch(() => ({})); // the studio refuses what could not be asked here
    this._name = new NameCheck({ field, line: this._part("voice-edit-clash"), ask, but: () => this._edited });
    watch("value", () => this._show());
    this._show();
  }

  // answer: { act, done, ... } of the last act.
  hear(answer) {
    if (answer.done && answer.undo) offerUndo(answer, (undo) => this._ask("restore", { undo }));
    if (answer.act === "preview" && answer.done) this._confirmImport(answer.preview);
    if (answer.act === "demo" && answer.done) this._speak(answer.voice, { options: {}, language: "", speak: true });
  }

  _part(id) {
    return this._element.querySelector(`#${id}`);
  }

  get _voices() {
    return this._props.value?.voices ?? [];
  }

  _find(name) {
    return this._voices.find((voice) => voice.name === name);
  }

  _ask(act, more) {
    this._trigger("act", { act, ...more });
  }

  // --- what is shown

  _show() {
    const value = this._props.value;
    if (!value) return;
    for (const id of ["voices-find", "voices-tag", "voices-sort"]) this._part(id).disabled = false;
    const all = this._voices;
    this._showTags(all);
    const [words, tag, sort] = ["voices-find", "voices-tag", "voices-sort"].map((id) => this._part(id).value);
    const holds = finder(words);
    const says = ({ name, tags, description, transcript }) => holds(name, ...tags, description, transcript);
    const found = all.filter((voice) => says(voice) && (!tag || voice.tags.includes(tag)));
    found.sort(sort === "name" ? (one, other) => one.name.localeCompare(other.name) : (one, other) => other.created_at - one.created_at);
    this._part("voices-empty").hidden = Boolean(all.length);
    this._part("voices-none").hidden = !all.length || Boolean(found.length);
    const sought = [words.trim() && `“${words.trim()}”`, tag && `the tag “${tag}”`].filter(Boolean).join(" and ");
    this._part("voices-none-words").textContent = `Nothing matches ${sought} in ${all.length} ${all.length === 1 ? "voice" : "voices"}.`;
    this._part("voices-table").hidden = !found.length;
    this._element.querySelector(".library-bar").dataset.empty = String(!all.length);
    const count = `${found.length} of ${all.length} voices`;
    if (this._part("voices-count").textContent !== count) this._part("voices-count").textContent = count;
    redraw(
      this._body,
      found.map((voice) => this._row(voice)),
    );
    if (this._menuFor && !this._find(this._menuFor)) this._menu.hidePopover(); // its voice went meanwhile, in another window
  }

  _showTags(all) {
    const select = this._part("voices-tag");
    const tags = [...new Set(all.flatMap((voice) => voice.tags))].sort((one, other) => one.localeCompare(other));
    if (select.dataset.tags === JSON.stringify(tags)) return;
    select.dataset.tags = JSON.stringify(tags);
    const wanted = tags.includes(select.value) ? select.value : "";
    select.replaceChildren(
      make("option", { value: "", textContent: "All tags" }),
      ...tags.map((tag) => make("option", { value: tag, textContent: tag })),
    );
    select.value = wanted;
  }

  _row(voice) {
    const { name } = voice;
    const hear = voice.seconds === null ? "–" : signButton("▶", `Play the recording of ${name}`, { key: name, act: "hear" });
    const menu = signButton("⋯", `Actions for ${name}`, { key: name, act: "menu" });
    menu.setAttribute("aria-haspopup", "menu");
    menu.setAttribute("aria-expanded", "false");
    const words = [printOf(voice.print, 28), make("span", { className: "name", textContent: name })];
    if (voice.description) words.push(make("span", { className: "about", textContent: voice.description }));
    if (voice.obstacle) words.push(make("span", { className: "about obstacle", textContent: voice.obstacle }));
    const tags = voice.tags.map((tag) => make("span", { className: "tag", textContent: tag }));
    const consent = make("span", { className: "badge", textContent: voice.consent, title: voice.consent_facts });
    const row = make(
      "tr",
      {},
      cell("", hear),
      cell("Voice", ...words),
      cell("Tags", ...(tags.length ? tags : ["–"])),
      cell("Language", languageOf(voice.language)),
      cell("Clip", voice.seconds === null ? "numbers" : `${voice.seconds.toFixed(1)} s`),
      cell("Engines", ...voice.engines.map(chip)),
      cell("Consent", consent),
      cell("", menu),
    );
    row.dataset.voice = name;
    return row;
  }

  // --- what is pressed

  _press(button) {
    const { key, act } = button?.dataset ?? {};
    if (act === "hear") this._hear(key);
    if (act === "menu") this._openMenu(button, key);
  }

  _hear(name) {
    listen(`v1/audio/voices/${encodeURIComponent(name)}/audio`, `Recording of ${name}`, LINE);
  }

  _clear() {
    this._part("voices-find").value = "";
    this._part("voices-tag").value = "";
    this._show();
    this._part("voices-find").focus();
  }

  _demo() {
    player.unlock(); // inside the click: it speaks once it is learned
    say(LINE, { fact: "Learning the demo voice…" });
    this._ask("demo");
  }

  _speak(name, { speak = false } = {}) {
    player.unlock(); // inside the click: the sound may begin later
    this._trigger("speak", { voice: name, speak });
  }

  // --- the menu of a row

  _wireMenu() {
    const menu = this._part("voice-menu");
    this._menu = menu;
    menu.addEventListener("click", ({ target }) => {
      const { act } = target.closest("button")?.dataset ?? {};
      if (!act) return;
      menu.hidePopover();
      this._choose(act, this._menuFor);
    });
    menu.addEventListener("keydown", (event) => {
      const items = [...menu.querySelectorAll("button")];
      const steps = {
        ArrowDown: 1,
        ArrowUp: -1,
        Home: -items.indexOf(document.activeElement),
        End: -1 - items.indexOf(document.activeElement),
      };
      if (event.key === "Escape") event.stopPropagation(); // closes the menu, stops no speech
      if (!(event.key in steps)) return;
      event.preventDefault();
      items.at((items.indexOf(document.activeElement) + steps[event.key]) % items.length).focus();
    });
    menu.addEventListener("toggle", ({ newState }) => {
      this._opener?.setAttribute("aria-expanded", String(newState === "open"));
      if (newState === "closed" && menu.contains(document.activeElement)) this._opener?.focus();
    });
  }

  _openMenu(button, name) {
    this._opener = button;
    this._menuFor = name;
    const { seconds, own } = this._find(name) ?? {};
    this._menu.querySelector('[data-act="export"]').disabled = seconds === null; // numbers have no recording to export
    for (const act of ["edit", "replace", "delete"]) this._menu.querySelector(`[data-act="${act}"]`).hidden = !own; // everybody's
    this._menu.setAttribute("aria-label", `Actions for ${name}`);
    this._menu.showPopover();
    const { right, bottom, top } = button.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this._menu;
    const below = bottom + offsetHeight + 8 < window.innerHeight;
    this._menu.style.left = `${Math.max(8, right - offsetWidth)}px`;
    this._menu.style.top = `${below ? bottom + 4 : Math.max(8, top - offsetHeight - 4)}px`;
    this._menu.querySelector("button").focus();
  }

  _choose(act, name) {
    if (!this._find(name)) return;
    if (act === "speak") this._speak(name, {});
    if (act === "edit") this._edit(this._find(name));
    if (act === "replace") this._replace(this._find(name));
    if (act === "export") this._export(name);
    if (act === "delete") this._ask("delete", { voice: name });
  }

  async _edit(voice) {
    const dialog = this._part("voice-edit");
    const fields = dialog.querySelector("form").elements;
    for (const name of ["name", "description", "transcript", "language"]) fields[name].value = voice[name];
    fields.tags.value = voice.tags.join(", ");
    this._edited = voice.name;
    this._name.look();
    const form = await agreed(dialog);
    if (form) this._ask("edit", { voice: voice.name, ...Object.fromEntries(new FormData(form)), replace: this._name.replaces });
  }

  async _replace(voice) {
    const dialog = this._part("voice-replace");
    const form = dialog.querySelector("form");
    form.reset();
    const choose = make("option", { value: "", textContent: "Choose…" });
    const reasons = this._props.value.reasons.map(([value, textContent, title]) => make("option", { value, textContent, title }));
    form.elements.reason.replaceChildren(choose, ...reasons);
    if (!(await agreed(dialog))) return;
    const { file, ...said } = Object.fromEntries(new FormData(form));
    say(LINE, { fact: `Reading ${file.name}…` });
    this._askWith(file, "replace", { voice: voice.name, language: voice.language, ...said });
  }

  async _export(name) {
    const form = await agreed(this._part("voice-export"));
    if (!form) return;
    say(LINE, { fact: `Packing ${name}…` });
    try {
      const prompts = form.elements.prompts.checked ? 1 : 0;
      const response = await askServer(`studio/bundles/${encodeURIComponent(name)}?prompts=${prompts}`);
      const [, fileName] = /filename="(.+)"/.exec(response.headers.get("Content-Disposition")) ?? [];
      const link = make("a", { href: URL.createObjectURL(await response.blob()), download: fileName ?? "voice.voice.zip" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      say(LINE, { kind: "done", fact: `${name} is exported.`, hint: "Keep the file as safe as the recording: it is the voice." });
    } catch (error) {
      say(LINE, { kind: "problem", fact: error.message, hint: error.hint ?? "" });
    }
  }

  // --- bundles: read by the server before anything is written, and sent again once it is agreed to

  _import(input) {
    const [file] = input.files;
    input.value = "";
    if (!file) return;
    this._bundle = file;
    say(LINE, { fact: `Reading ${file.name}…` });
    this._askWith(file, "preview");
  }

  async _confirmImport(preview) {
    const dialog = this._part("voice-import");
    dialog.querySelector("dl").replaceChildren(...definitions(preview.lines));
    const conflict = dialog.querySelector(".library-conflict");
    conflict.hidden = !preview.is_taken;
    conflict.querySelector("legend").textContent = `There is a voice “${preview.name}” already.`;
    conflict.querySelector(".keep-both").textContent = `Keep both: this one becomes “${preview.free_name}”`;
    const form = await agreed(dialog);
    if (!form) return;
    say(LINE, { fact: `Importing ${preview.name}…` });
    this._askWith(this._bundle, "import", { on_conflict: preview.is_taken ? form.elements.conflict.value : "refuse" });
  }

  // What studio/ui/clip_intake.py reads: the file goes inside of the event and lies in no folder.
  async _send(file) {
    if (file.size > MOST_SENT_BYTES) throw new SpeechRefused("bundle_too_large", { size_bytes: file.size, most_bytes: MOST_SENT_BYTES });
    const address = await new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result);
      reader.onerror = () => reject(new SpeechRefused("file_unread", { name: file.name }));
      reader.readAsDataURL(file);
    });
    return { data: address.slice(address.indexOf(",") + 1), name: file.name, type: file.type };
  }

  // Asks with a file; what is wrong with the file is told, and nothing is asked then.
  async _askWith(file, act, more) {
    try {
      this._ask(act, { ...more, sent: await this._send(file) });
    } catch (error) {
      say(LINE, { kind: "problem", fact: error.message, hint: error.hint ?? "" });
    }
  }

  _wireKeys() {
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || isTyping() || !this._element.checkVisibility()) return;
      event.preventDefault();
      this._part("voices-find").focus();
    });
    this._part("voices-find").addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation(); // empties the search, stops no speech
      event.target.value = "";
      this._show();
    });
  }
}

onMount("voices", (tools) => {
  library = new Library(tools);
});
onMount("voices-answer", ({ props, watch }) => {
  watch("value", () => props.value && library?.hear(props.value));
});
