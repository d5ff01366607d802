// The library of voices: search, tag, sort, cards or a list, a menu and dialogs. What is asked goes to Python as one event.

import { Adopting, isTensor } from "../create/adopting.js";
import { mountNatural } from "../engines/natural.js";
import { linkItem } from "../kit/clipboard.js";
import { openCompare } from "../kit/compare_open.js";
import { takeDrops } from "../kit/dropped.js";
import { onMount, saveFile } from "../kit/frame.js";
import { onKeys } from "../kit/keys.js";
import { redraw } from "../kit/library.js";
import { LinkedRow } from "../kit/linked_row.js";
import { closeMenu, openMenu } from "../kit/menu.js";
import { addPlace, offerUndo, say, sayDone, strip } from "../kit/notices.js";
import { showsThing } from "../navigation/navigation.js";
import { clipSound } from "../sound/clip_sound.js";
import { player } from "../sound/player.js";
import { called } from "../transport/server_call.js";
import { askServer } from "../transport/speech_transport.js";
import { words } from "../words/words.js";
import { DemoPress, showPrints } from "./demo.js";
import { foundVoices } from "./found_voices.js";
import { hear, hearConsent, keyOf, PLACE } from "./hearing.js";
import { Teaching } from "./teaching.js";
import { cardOf, listLineOf, showSounding } from "./voice_card.js";
import { VoiceDialogs } from "./voice_dialogs.js";
import { VoiceFilters } from "./voice_filters.js";

export let library;

const ROOM = "voices";
const TYPING_MILLISECONDS = 300;
const EMPTY_PLACE = "voices-empty-message";
const VIEW = "studio-voices-view"; // in the browser's storage: cards or list
const HINTED = ["replace", "restore", "skipped"]; // acts after which there is more to say
const TOO_LARGE = { preview: "bundle_too_large", import: "bundle_too_large" }; // by act; a recording has a sentence of its own

class Library {
  constructor({ element, props, trigger, watch, server }) {
    this._element = element;
    this._props = props;
    this._trigger = trigger;
    this._server = server;
    this._part = (id) => element.querySelector(`#${id}`);
    this._ask = this._ask.bind(this);
    this._dialogs = new VoiceDialogs(this._part, this._ask);
    const line = { tell: (notice) => say(this._place, notice), complain: (problem) => this._refuse(problem) };
    this._adopting = new Adopting(this._part("voice_adopt"), { ask: this._ask, line, onMade: () => trigger("look") });
    this._teaching = new Teaching(this._part("voice-teach"), { ask: this._ask, onLearned: () => trigger("look") });
    this._demo = new DemoPress(this._part("voices-demo"), {
      make: () => this._ask("make_demo", {}),
      onPress: () => say(EMPTY_PLACE),
      onSound: (voice) => this._demoSounds(voice),
      onProblem: (problem) => this._demoFailed(problem),
    });
    mountNatural(this._part("voices-natural"), EMPTY_PLACE);
    this._filters = new VoiceFilters(this._part, () => this._filtered());
    this._linked = new LinkedRow(ROOM, {
      titleOf: (id) => (props.value ? (this._voices.find((voice) => voice.id === id)?.name ?? null) : undefined),
      rowOf: (id) => this._rowOf(this._voices.find((voice) => voice.id === id).name),
      showAll: () => this._showAll(),
      narrow: (thing) => this._narrow(thing),
      refuse: () => this._refuse({ fact: words("voices.not_here"), hint: words("voices.not_here_hint") }),
    });
    for (const place of [PLACE, EMPTY_PLACE]) addPlace(place, this._part(place));
    this._wire();
    this._wireKeys();
    this._setView(keptView());
    watch("value", () => this._show());
    this._show();
  }

  // answer: { act, problem or what it came to } of the last act.
  hear(answer) {
    const { act, problem, name } = answer;
    const edited = act === "edit" && problem && this._find(this._edited?.voice);
    if (edited) return this._edit(edited, { said: this._edited, problem });
    if (problem) return this._refuse(problem);
    if (act === "delete" && answer.undo) return offerUndo(answer, (undo) => this._act("restore", { undo }));
    if (act === "delete") return strip({ text: words("notices.deleted", { name }), hint: words("notices.no_undo") });
    if (act === "preview") return this._confirmImport(answer);
    sayDone(this._place); // its file has been read
    const said = act === "import" && !name ? "skipped" : act;
    const [text, doubt] = [words(`voices.done_${said}`, { name }), answer.doubt];
    const mend = { words: words("create.mend_transcript"), press: () => this._edit(this._find(name)) };
    if (doubt) return say(PLACE, { kind: "care", fact: text, hint: words(`voices.doubt_${doubt.case}`, doubt), acts: [mend] });
    return strip({ text, hint: HINTED.includes(said) ? words(`voices.done_${said}_hint`) : "" });
  }

  // Where something is said: below what there is to press.
  get _place() {
    return this._part("voices-empty").hidden ? PLACE : EMPTY_PLACE;
  }

  // problem: { code, values } of a sentence, or an error that has them.
  /** @param {Problem} problem */
  _refuse({ code, values, fact, hint }) {
    say(this._place, { kind: "problem", code, values, fact, hint });
  }

  get _voices() {
    return this._props.value?.voices ?? [];
  }

  _find(name) {
    return this._voices.find((voice) => voice.name === name);
  }

  _act(act, more) {
    this._trigger("act", { act, ...more });
  }

  _ask(name, values) {
    return called(this._server, name, values, "studio_away");
  }

  _wire() {
    document.addEventListener("studio-languages", () => this._show());
    for (const id of ["voices-new", "voices-create"]) this._part(id).addEventListener("click", () => this._trigger("create"));
    for (const id of ["voices-import", "voices-import-first"])
      this._part(id).addEventListener("change", ({ target }) => this._chosen(target));
    for (const id of ["voices-full", "voices-empty"])
      takeDrops(this._part(id), (files) => (files.every(isTensor) ? files : files.slice(0, 1)).map((file) => this._import(file)));
    this._part("voices-all").addEventListener("click", () => this._filters.clear());
    this._part("voices-view").addEventListener("click", ({ target }) => this._setView(target.closest("button")?.dataset.view));
    for (const body of this._bodies) body.addEventListener("click", ({ target }) => this._press(target.closest("button")));
    player.addEventListener("change", () => this._showSounding());
  }

  _wireKeys() {
    const field = this._part("voices-find");
    onKeys(field, () => ({ "/": () => field.focus() }));
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation(); // empties the search, stops no speech
      field.value = "";
      this._filtered();
    });
  }

  // --- what is shown

  _show() {
    const value = this._props.value;
    if (!value) return;
    this._dialogs.prepare(value);
    this._adopting.prepare(value);
    this._limits = value.limits;
    const all = this._voices;
    const isEmpty = !all.length || this._demo.isUnderWay; // what was pressed stays until it is heard
    this._part("voices-empty").hidden = !isEmpty;
    this._part("voices-full").hidden = isEmpty;
    if (value.demo) this._prepareDemo(value.demo);
    this._filters.show(all);
    if (!isEmpty) this._showFound(all);
    this._linked.look();
    if (!isEmpty && this._heardFirst) this._goOnAt(this._heardFirst);
    if (this._menuFor && !this._find(this._menuFor)) closeMenu(); // its voice went meanwhile, in another window
    if (this._teaching.name) this._teaching.show(this._find(this._teaching.name));
  }

  // The address keeps what is chosen, once nobody types any more.
  _filtered() {
    this._show();
    clearTimeout(this._typing);
    this._typing = setTimeout(() => showsThing(ROOM, this._filters.written, { isReplaced: true }), TYPING_MILLISECONDS);
  }

  // Whether an address is one of filters, and of no voice.
  _narrow(thing) {
    const isOfFilters = this._filters.take(thing);
    if (isOfFilters && this._linked) this._show(); // else it is about to be shown first
    return isOfFilters;
  }

  _showAll() {
    this._filters.reset();
    this._show();
  }

  _showFound(all) {
    const found = foundVoices(all, this._filters.wanted);
    this._part("voices-none").hidden = Boolean(found.length);
    if (!found.length) this._part("voices-none-words").textContent = this._filters.noneWords;
    this._part("voices-all").textContent = this._filters.wayBack(all.length);
    const count = words("voices.count", { n: all.length, found: found.length });
    if (this._part("voices-count").textContent !== count) this._part("voices-count").textContent = count;
    this._part("voices-number").textContent = found.length === all.length ? all.length : count;
    const isList = this._view === "list";
    this._part("voices-cards").hidden = isList || !found.length;
    this._part("voices-list").hidden = !isList || !found.length;
    const [body, other] = isList ? this._bodies.toReversed() : this._bodies;
    other.replaceChildren();
    const draw = isList ? listLineOf : cardOf;
    redraw(
      body,
      found.map((voice) => draw(voice, this._isSounding(voice.name))),
      this._part("voices-find"),
    );
  }

  // Where cards are drawn, and where lines are.
  get _bodies() {
    return [this._part("voices-cards"), this._part("voices-table").querySelector("tbody")];
  }

  _rowOf(name) {
    return this._bodies.flatMap((body) => [...body.children]).find(({ dataset }) => dataset.voice === name);
  }

  _setView(view) {
    if (!view) return;
    this._view = view;
    keepView(view);
    for (const button of this._part("voices-view").children) button.setAttribute("aria-pressed", String(button.dataset.view === view));
    this._show();
  }

  // --- what is heard

  _isSounding(name) {
    return player.isSounding(keyOf(name));
  }

  _showSounding() {
    for (const button of this._element.querySelectorAll(".voice-play")) showSounding(button, this._isSounding(button.dataset.key));
  }

  // --- the first voice

  _prepareDemo(demo) {
    this._demo.prepare(demo);
    showPrints(this._part("voices-prints"), demo.print);
  }

  _demoSounds(voice) {
    this._heardFirst = voice;
    this._trigger("look");
  }

  // What was pressed is gone with the empty screen; who pressed it goes on at the card that came.
  _goOnAt(name) {
    const card = this._rowOf(name);
    if (!card) return;
    this._heardFirst = "";
    const { activeElement } = document; // a hidden one has the focus until the next frame
    if (activeElement === document.body || this._part("voices-empty").contains(activeElement))
      card.querySelector('[data-act="speak"]').focus();
  }

  _demoFailed(problem) {
    this._trigger("look"); // the voice may be there
    this._refuse(problem);
  }

  // --- what is pressed

  _press(button) {
    const { key, act } = button?.dataset ?? {};
    const voice = this._find(key);
    if (!voice) return;
    if (act === "hear") hear(voice);
    if (act === "menu") this._openMenu(button, voice);
    if (act === "speak") this._speak(key);
  }

  _speak(name) {
    player.unlock(); // inside of the click: the sound may begin later
    this._trigger("speak", { voice: name });
  }

  // Of everybody's voices a visitor may not change.
  _openMenu(button, { id, name, own, consent }) {
    this._menuFor = name;
    const item = (key, icon, act, more = {}) => ({ key, icon, words: words(`voices.${key}`), act: () => this._with(name, act), ...more });
    const items = [
      own && item("edit", "pencil", (voice) => this._edit(voice)),
      own && item("replace", "microphone", (voice) => this._replace(voice)),
      { key: "compare", icon: "headphones", words: words("compare.open"), act: () => openCompare({ lanes: [{ voice: name }] }) },
      consent?.id && item("hear_consent", "play", hearConsent),
      item("teach", "wave", (voice) => this._teaching.open(voice)),
      item("export", "download", () => this._export(name)),
      linkItem("voices", id),
      own && item("delete", "trash", () => this._delete(name), { isDangerous: true }),
    ];
    openMenu(button, button.title, items.filter(Boolean));
  }

  // The voice as it is by now, where it is still there.
  _with(name, act) {
    const voice = this._find(name);
    if (voice) act(voice);
  }

  // refused: what of this was refused before.
  async _edit(voice, refused) {
    const said = await this._dialogs.edit(voice, refused);
    if (!said) return;
    this._edited = { voice: voice.name, ...said };
    this._act("edit", this._edited);
  }

  // Asks only where the voice is heard in listening tests, scripts or evaluations.
  async _delete(name) {
    const [heard, used] = await Promise.all(["voice_tests", "voice_uses"].map((asked) => this._ask(asked, { voice: name })));
    const problem = heard.problem ?? used.problem;
    if (problem) return this._refuse(problem);
    const said = await this._dialogs.delete(name, { tests: heard.tests, scripts: used.scripts, evaluations: used.evaluations });
    if (said) this._act("delete", { voice: name, ...said });
  }

  async _replace(voice) {
    const said = await this._dialogs.replace();
    if (!said) return;
    const { file, ...more } = said;
    this._actWith(file, "replace", { voice: voice.name, language: voice.language, ...more });
  }

  async _export(name) {
    const said = await this._dialogs.export();
    if (!said) return;
    say(PLACE, { fact: words("voices.packing", { name }) });
    try {
      await download(`studio/bundles/${encodeURIComponent(name)}?prompts=${said.prompts ? 1 : 0}`);
      say(PLACE);
      strip({ text: words("voices.done_export", { name }), hint: words("voices.done_export_hint") });
    } catch (error) {
      this._refuse(error);
    }
  }

  // --- bundles: read by the server before anything is written, and sent again once it is agreed to

  _chosen(input) {
    const [file] = input.files;
    input.value = "";
    this._import(file);
  }

  // A voice that other tools made is no bundle: what it lacks is asked for.
  _import(file) {
    if (!file) return;
    if (isTensor(file)) {
      this._adopting.take(file);
      return;
    }
    this._bundle = file;
    this._actWith(file, "preview");
  }

  async _confirmImport(preview) {
    say(this._place);
    const choice = await this._dialogs.import(preview);
    if (choice) this._actWith(this._bundle, "import", { on_conflict: choice });
  }

  // Asks with a file, which goes inside of the event and lies in no folder. One that is too large is refused here, and not sent.
  async _actWith(file, act, more) {
    const most = this._limits.sent_bytes;
    if (file.size > most)
      return this._refuse({ code: TOO_LARGE[act] ?? "audio_too_large", values: { size_bytes: file.size, most_bytes: most } });
    say(this._place, { fact: words("voices.reading", { name: file.name }) });
    return this._act(act, { ...more, sent: await clipSound.sent(file) });
  }
}

// The browser may keep nothing for this page; then it shows cards at each visit.
function keptView() {
  try {
    return localStorage.getItem(VIEW) === "list" ? "list" : "cards";
  } catch {
    return "cards";
  }
}

function keepView(view) {
  try {
    localStorage.setItem(VIEW, view);
  } catch {
    return; // as above
  }
}

// Of a file that the studio makes for the request, under the name that it gives.
async function download(path) {
  const response = await askServer(path);
  const [, fileName] = /filename="(.+)"/.exec(response.headers.get("Content-Disposition")) ?? [];
  saveFile(await response.blob(), fileName ?? "voice.voice.zip");
}

onMount("voices", (tools) => {
  library = new Library(tools);
});
onMount("voices-answer", ({ props, watch }) => {
  watch("value", () => props.value && library?.hear(props.value));
});
