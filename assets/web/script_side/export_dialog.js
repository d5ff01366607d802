// Export: what the script becomes, what is lacking for that and what to do about it, how loud it is by the target, and the file.

import { languageName } from "../choice/language.js";
import { make, saveFile } from "../kit/frame.js";
import { fill } from "../kit/notices.js";
import { checkField, closing, numberField, opened, pressing, selectField, sheet, textField } from "../script_sheets/sheet.js";
import { askServer } from "../transport/speech_transport.js";
import { seconds, words } from "../words/words.js";
import { CoverField } from "./cover_field.js";
import {
  dubOrderOf,
  fieldsOf,
  fileName,
  LOUDNESS,
  lackWords,
  levelLines,
  MIXED,
  ORIGINALS,
  orderOf,
  overWords,
  receivedWords,
  SCRIPTS,
  SOUNDS,
  SPLITS,
  TEXTS,
  VIDEO,
} from "./export_order.js";

const JSON_TYPE = { "Content-Type": "application/json" };
const ID = "script-export";
const KEPT = "studio-script-export"; // in the browser: the last order
const TAGS = ["title", "author", "year", "description"];
const REPORT = "X-Script-Export";
const ORIGINAL_DB = 18; // by so much is the original sound lower, at first: speech over it is followed with ease

export function openExport(state, tools) {
  if (state.script) return new ExportDialog(state, tools).open();
  return null;
}

class ExportDialog {
  constructor(state, tools) {
    this._state = state;
    this._tools = tools;
    this._turn = 0;
    this._check = null;
    this._controller = null;
    this._allowed = { missing: "refuse", stale: "refuse" };
    const kept = readKept();
    this._format = selectField(`${ID}-format`, words("scripts.export_format"), formats(state.script), kept.format);
    if (!this._format.select.value) this._format.select.value = "m4b";
    this._split = selectField(`${ID}-split`, words("scripts.export_split"), SPLITS.map(saidOf("split")), kept.split);
    this._loudness = selectField(`${ID}-loudness`, words("scripts.export_loudness"), LOUDNESS.map(saidOf("loudness")), kept.loudness);
    this._chapter = selectField(`${ID}-chapter`, words("scripts.export_chapter"), chapters(state.script), "");
    this._names = checkField(words("scripts.export_names"), true);
    this._cover = new CoverField(state, (problem) => this._complain(problem));
    this._tags = Object.fromEntries(
      TAGS.map((name) => [name, textField(`${ID}-${name}`, words(`scripts.export_tag_${name}`), state.script[name])]),
    );
    this._video = make("input", { type: "file", id: `${ID}-video`, accept: "video/*", className: "input" });
    this._original = selectField(`${ID}-original`, words("scripts.export_original"), ORIGINALS.map(saidOf("original")), "under");
    this._subtitles = checkField(words("scripts.export_subtitles"), false);
    this._lower = numberField(`${ID}-lower`, words("scripts.export_lower"), ORIGINAL_DB, {
      min: 0,
      max: 60,
      step: 1,
      hint: words("scripts.export_lower_hint"),
    });
    this._told = make("div", { className: "export-told", ariaLive: "polite" });
    this._progress = make("progress", { hidden: true });
    this._progress.setAttribute("aria-label", words("scripts.export_title"));
    this._received = make("p", { className: "note num", role: "status" });
    this._go = make("button", { type: "button", className: "button primary", textContent: words("scripts.export_go") });
    this._go.addEventListener("click", () => this._export());
    this._build();
  }

  _build() {
    const pair = (...parts) => make("div", { className: "sheet-pair" }, ...parts);
    const { title, author, year, description } = this._tags;
    this._sections = {
      chapters: this._chapter.element,
      names: this._names.element,
      split: this._split.element,
      loudness: this._loudness.element,
      cover: this._cover.element,
      video: make(
        "div",
        { className: "stack" },
        videoField(this._video),
        pair(this._original.element, this._lower.element),
        this._subtitles.element,
      ),
    };
    const tags = make("details", { className: "sheet-fold", open: false }, make("summary", { textContent: words("scripts.export_tags") }));
    const language = make("p", {
      className: "note",
      textContent: words("scripts.export_language", { language: languageWords(this._state.script) }),
    });
    tags.append(
      make("div", { className: "stack" }, pair(title.element, author.element), pair(year.element), description.element, language),
    );
    this._sections.tags = tags;
    const parts = [
      pair(this._format.element, this._sections.split),
      pair(this._sections.loudness, this._sections.chapters),
      this._sections.names,
      this._sections.video,
      this._sections.cover,
      tags,
      this._told,
      make("div", { className: "export-progress" }, this._progress, this._received),
    ];
    this._sheet = sheet(ID, words("scripts.export_title"), parts, [closing("", words("scripts.export_close")), this._go]);
    this._sheet.form.addEventListener("change", () => this._changed());
    this._sheet.dialog.addEventListener("close", () => this._controller?.abort());
    this._look = () => this._sheet.dialog.open && this._ask();
    this._state.addEventListener("progress", this._look);
  }

  async open() {
    const closed = opened(this._sheet);
    this._changed();
    await closed;
    this._state.removeEventListener("progress", this._look);
    this._keepTags();
  }

  get _chosen() {
    const { format, split, loudness, chapter } = {
      format: this._format,
      split: this._split,
      loudness: this._loudness,
      chapter: this._chapter,
    };
    return {
      format: format.select.value,
      split: split.select.value,
      loudness: loudness.select.value,
      chapter: chapter.select.value,
      names: this._names.box.checked,
      ...this._allowed,
    };
  }

  _changed() {
    const has = fieldsOf(this._chosen.format);
    for (const [name, element] of Object.entries(this._sections)) element.hidden = !has[name];
    this._lower.element.hidden = !MIXED.includes(this._original.select.value);
    keep(this._chosen);
    this._ask();
  }

  // What is lacking, before anything is made.
  async _ask() {
    this._turn += 1;
    const turn = this._turn;
    const { format } = this._chosen;
    this._check = null; // nothing is made before it is told what is lacking
    this._go.disabled = true;
    const asked = { ...orderOf({ ...this._chosen, missing: "refuse", stale: "refuse" }), format: format === VIDEO ? "wav" : format };
    const told = fieldsOf(format).isSaid
      ? await this._send("/export/check", asked).catch((error) => ({ problem: error }))
      : { is_ready: true };
    if (turn !== this._turn) return;
    if (told.problem) return void this._complain(told.problem);
    this._check = told;
    this._show();
  }

  _show() {
    if (!this._check) return; // it is being asked
    const lacks = lackWords(this._check);
    const isRunning = Boolean(this._state.progress?.is_running);
    const lines = [];
    if (lacks.length) lines.push(this._lackLine(lacks, isRunning));
    const figures = levelLines(this._check.loudness);
    if (figures.length)
      lines.push(
        listOf(
          "export-figures",
          figures.map(({ said, isMet }) => item(said, isMet)),
        ),
      );
    const over = overWords(this._check.over);
    if (over.length)
      lines.push(
        listOf(
          "export-over",
          over.map((said) => item(said, false)),
        ),
      );
    this._told.replaceChildren(...lines);
    this._arm();
  }

  _arm() {
    const isAllowed = (key, lack) => !this._check?.[lack] || this._allowed[key] !== "refuse";
    this._go.disabled = Boolean(this._controller) || !this._check || !(isAllowed("missing", "unsaid") && isAllowed("stale", "stale"));
  }

  // "12 lines are not said yet. 3 are stale. [Say these first] [Leave them out]"
  _lackLine(lacks, isRunning) {
    const said = make("p", { className: "note", textContent: lacks.map(({ said: one }) => one).join(" ") });
    const say = pressing(words("scripts.export_say_first"), () => this._sayFirst(), "small");
    say.disabled = isRunning;
    if (isRunning) say.textContent = words("scripts.export_saying", { done: this._state.progress.done, total: this._state.progress.total });
    const boxes = [];
    const has = (lack) => lacks.some(({ key }) => key === lack);
    if (has("unsaid")) boxes.push(this._allow("missing", "skip", words("scripts.export_leave_out")));
    if (has("stale")) boxes.push(this._allow("stale", "include", words("scripts.export_take_stale")));
    return make("div", { className: "export-lack" }, said, make("div", { className: "beside wraps" }, say, ...boxes));
  }

  _allow(key, value, said) {
    const { box, element } = checkField(said, this._allowed[key] === value);
    box.addEventListener("change", (event) => {
      event.stopPropagation(); // nothing is to be asked again
      this._allowed[key] = box.checked ? value : "refuse";
      this._arm(); // the box stays, and the focus with it
    });
    return element;
  }

  async _sayFirst() {
    await this._state.say({ only: "stale" });
    this._show();
  }

  async _export() {
    const { format } = this._chosen;
    if (format === VIDEO && !this._video.files.length)
      return this._complain({ fact: words("scripts.export_no_video"), hint: words("scripts.export_choose_video") });
    fill(this._sheet.notice, {});
    this._controller = new AbortController();
    this._show();
    this._showProgress(0, 0);
    try {
      await this._keepTags();
      const response = await (format === VIDEO ? this._dub() : this._request("/export", orderOf(this._chosen)));
      const blob = await this._receive(response);
      saveFile(blob, fileName(response.headers.get("Content-Disposition")) || `script.${format}`);
      this._tellDone(response.headers.get(REPORT));
    } catch (error) {
      if (error.name !== "AbortError") this._complain(error);
    }
    this._controller = null;
    this._progress.hidden = true;
    this._received.textContent = "";
    if (this._sheet.dialog.open) this._show();
    return undefined;
  }

  _dub() {
    const body = new FormData();
    body.append("file", this._video.files[0]);
    const original = { original: this._original.select.value, original_db: -(this._lower.read() ?? ORIGINAL_DB) };
    body.append("order", JSON.stringify(dubOrderOf(this._chosen, { ...original, subtitles: this._subtitles.box.checked })));
    return askServer(this._state.address("/dub"), { method: "POST", body, signal: this._controller.signal });
  }

  _request(path, order) {
    const signal = this._controller?.signal;
    return askServer(this._state.address(path), { method: "POST", headers: JSON_TYPE, body: JSON.stringify(order), signal });
  }

  async _send(path, order) {
    return (await this._request(path, order)).json();
  }

  async _receive(response) {
    const total = Number(response.headers.get("Content-Length") ?? 0);
    const pieces = [];
    let received = 0;
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(value);
      received += value.length;
      this._showProgress(received, total);
    }
    return new Blob(pieces, { type: response.headers.get("Content-Type") ?? "" });
  }

  _showProgress(received, total) {
    this._progress.hidden = false;
    if (received && total) Object.assign(this._progress, { max: total, value: received });
    else this._progress.removeAttribute("value");
    const said = receivedWords(received, total);
    if (this._received.textContent !== said) this._received.textContent = said;
  }

  _tellDone(header) {
    const report = header ? JSON.parse(header) : {};
    const hints = [];
    if (report.seconds) hints.push(words("scripts.export_did_length", { n: report.lines ?? 0, length: seconds(report.seconds) }));
    if (report.skipped) hints.push(words("scripts.export_did_skip", { n: report.skipped }));
    hints.push(...overWords(report.over));
    const checks = levelLines(report.loudness);
    hints.push(...checks.map(({ said }) => said));
    fill(this._sheet.notice, { kind: "done", fact: words("scripts.export_did"), hint: hints.join(" · ") });
  }

  /** @param {{ code?: string, values?: any, fact?: string, message?: string, hint?: string }} problem */
  _complain({ code = "", values = {}, fact, message, hint = "" }) {
    fill(this._sheet.notice, { kind: "problem", code, values, fact: fact ?? message, hint });
  }

  // What was typed of title, author and so on belongs to the script.
  async _keepTags() {
    const typed = Object.fromEntries(TAGS.map((name) => [name, this._tags[name].input.value.trim()]));
    const isOther = TAGS.some((name) => typed[name] !== (this._state.script?.[name] ?? ""));
    if (this._state.script && isOther) await this._state.setHead(typed, { key: "export_did_head", values: {} });
  }
}

const saidOf = (field) => (value) => [value, words(`scripts.export_${field}_${value.replace("-", "minus_")}`)];

function formats({ video_seconds: video, n_lines: n }) {
  const known = [...SOUNDS, ...TEXTS, ...(video || n ? [VIDEO] : []), ...SCRIPTS];
  return known.map((format) => [format, words(`scripts.export_format_${format}`)]);
}

function chapters({ chapters: all = [] }) {
  const named = all.map(({ title }, at) => [String(at), title || words("scripts.export_chapter_n", { n: at + 1 })]);
  return [["", words("scripts.export_whole")], ...named];
}

const languageWords = ({ language }) => (language ? languageName(language) : words("scripts.export_language_none"));

function videoField(input) {
  return make(
    "div",
    { className: "field" },
    make("label", { className: "name", htmlFor: input.id, textContent: words("scripts.export_video") }),
    input,
  );
}

function item(said, isMet) {
  const line = make("li", { textContent: said });
  line.dataset.met = String(isMet);
  return line;
}

const listOf = (className, items) => make("ul", { className }, ...items);

function readKept() {
  const usual = { format: "m4b", split: "none", loudness: "none" };
  try {
    return { ...usual, ...JSON.parse(localStorage.getItem(KEPT)) };
  } catch {
    return usual;
  }
}

function keep({ format, split, loudness }) {
  try {
    localStorage.setItem(KEPT, JSON.stringify({ format, split, loudness }));
  } catch {
    // a browser that keeps nothing
  }
}
