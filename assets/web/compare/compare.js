// Compare: one text in several lanes, spoken side by side and heard at the same place of each, with the names in sight.

import { choice } from "../choice/choice.js";
import { noteVoice } from "../choice/voice_picker.js";
import { icon } from "../drawings/icons.js";
import { copyPlace } from "../kit/clipboard.js";
import { onComparison, takeComparison } from "../kit/compare_open.js";
import { onMount } from "../kit/frame.js";
import { onKeys } from "../kit/keys.js";
import { openMenu } from "../kit/menu.js";
import { addPlace, say } from "../kit/notices.js";
import { draftTest } from "../kit/test_draft.js";
import { onThing, showsThing } from "../navigation/navigation.js";
import { StandingsTable } from "../pairs/standings.js";
import { player } from "../sound/player.js";
import { clock } from "../sound/player_words.js";
import { composer } from "../speak/composer.js";
import { called } from "../transport/server_call.js";
import { words } from "../words/words.js";
import { LaneDialog } from "./compare_dialog.js";
import { shareAt } from "./compare_figures.js";
import { Lane } from "./compare_lane.js";
import { comparisonOf, comparisonThing } from "./compare_link.js";
import { laneItems, planOf, varied } from "./compare_menu.js";
import { RepeatedPart } from "./compare_part.js";
import { LanePlayer } from "./compare_player.js";
import { keysWords, LANES_PLACE, LaneRow, LETTERS } from "./compare_row.js";
import { CompareTable, ESTIMATED, missingWords } from "./compare_table.js";

export let comparison;

const ROOM = "compare";
const LEAST_LANES = 2;
const ICON_PIXELS = 18;
const DARK = { attributes: true, attributeFilter: ["class"] };

class Comparison {
  constructor({ element, server }) {
    this._element = element;
    this._server = server;
    this._rows = [];
    this._turn = 0;
    this._controller = null;
    this._missing = {};
    this._part = (id) => element.querySelector(`#compare-${id}`);
    addPlace(LANES_PLACE, this._part("message"));
    this._face = this._part("speak").querySelector(".face");
    this._word = this._part("speak").querySelector(".word");
    this._table = new CompareTable(this._part("table"));
    this._dialog = new LaneDialog(this._part("lane"), (lane) => this._known([lane]).then((known) => known?.[0] ?? null));
    this.player = new LanePlayer(() => this._soundChanged());
    this._repeated = new RepeatedPart(this._part, (part) => this.player.repeat(part));
    new StandingsTable(this._part("standings"));
    this._wire();
    new MutationObserver(() => this._drawSoon()).observe(document.body, DARK);
    onComparison((asked) => this.open(asked));
    this._begin();
    onThing(ROOM, (thing) => thing && this._openThing(thing));
  }

  get lanes() {
    return this._rows.map(({ lane }) => lane);
  }

  // Those that can be heard.
  get _ready() {
    return this.lanes.filter(({ isHeard }) => isHeard);
  }

  get isSpeaking() {
    return Boolean(this._controller);
  }

  // --- which lanes there are

  async _begin(isAgain = false) {
    await choice.settled;
    const text = composer?.text.trim() || words("speak.sample");
    if (!this._part("text").value) this._part("text").value = text; // somebody may have typed meanwhile
    const asked = takeComparison();
    if (!asked && this._turn && !isAgain) return; // it was opened by another tab meanwhile
    await this.open(asked ?? { lanes: [{ voice: choice.voice, engine: choice.engine }], isNoted: false });
  }

  // By its address.
  async _openThing(thing) {
    await choice.settled;
    const asked = comparisonOf(thing, choice.known.voices);
    const wrong = asked ? !asked.isWhole && "voice_not_here" : "unreadable";
    if (asked) await this.open({ ...asked, isNoted: asked.isWhole });
    if (wrong) say(LANES_PLACE, { kind: "problem", fact: words(`compare.${wrong}`), hint: words(`compare.${wrong}_hint`) });
  }

  get _thing() {
    return comparisonThing({ text: this._part("text").value, lanes: this.lanes, voices: this.lanes[0].known.voices });
  }

  _noteThing() {
    showsThing(ROOM, this._thing, { isReplaced: true });
  }

  /** asked: as `openCompare` has it. What was heard before goes. isNoted: the address says it. */
  async open({ lanes, text, isNoted = true }) {
    this._turn += 1;
    const turn = this._turn;
    const known = await this._known(lanes);
    if (!known || turn !== this._turn) return;
    this._halt();
    if (text) this._part("text").value = text;
    this._rows = known.map((one, at) => this._rowOf(new Lane(one, lanes[at])));
    if (isNoted) this._noteThing();
    this._show();
  }

  // What the studio knows of such lanes, and of at least two; null where it does not answer, which is said.
  async _known(lanes) {
    const wanted = lanes.map(({ voice, engine }) => ({ voice, engine }));
    const { problem, ...known } = await called(this._server, "lane_choices", { lanes: wanted }, "studio_away");
    if (problem || !known.lanes) {
      const again = this._rows.length ? [] : [{ words: words("compare.try_again"), press: () => this._begin(true) }];
      say(LANES_PLACE, { kind: "problem", ...(problem ?? { code: "studio_away" }), acts: again });
      return null;
    }
    this._most = known.most_lanes;
    this._mostSeconds = known.most_seconds;
    this._missing = known.missing;
    return known.lanes;
  }

  _rowOf(lane) {
    return new LaneRow(lane, {
      hear: (one) => this._hear(one),
      menu: (one, button) => this._openMenu(one, button),
      press: (one, event, box) => this._pressWave(one, event, box),
    });
  }

  async _add() {
    const last = this.lanes.at(-1);
    const known = await this._known([last]);
    if (!known || this._rows.length >= this._most) return;
    const lane = new Lane(known[0], { options: last.options, language: last.language });
    this._rows.push(this._rowOf(lane));
    this._show();
    this._edit(lane);
  }

  async _edit(lane) {
    const letter = LETTERS[this.lanes.indexOf(lane)];
    const wanted = await this._dialog.open(lane, words("compare.edit_title", { letter }));
    if (!wanted) return;
    this.player.stop();
    lane.become(wanted.known, wanted);
    this._noteThing();
    this._show();
  }

  _remove(lane) {
    this.player.stop();
    this._rows = this._rows.filter((row) => row.lane !== lane);
    this._noteThing();
    this._show();
  }

  // --- speaking

  _wire() {
    const press = (id, act) => this._part(id).addEventListener("click", act);
    press("speak", () => (this.isSpeaking ? this._halt() : this._speak(this.lanes)));
    press("add", () => this._add());
    press("play", () => this._toggle());
    press("test", () => this._makeTest());
    press("link", () => copyPlace(ROOM, this._thing));
    this._part("text").addEventListener("change", () => this._rows.length && this._noteThing());
    this._part("loudness").addEventListener("change", ({ target }) => this.player.level(target.checked, this._ready));
    this._part("spectrograms").addEventListener("change", () => this._show());
    onKeys(this._element, () => this._keys);
    window.addEventListener("keydown", ({ key }) => key === "Escape" && this._halt());
  }

  // Lanes of several engines side by side; those of one engine one after the other, each timed from its own turn. Inside of the click.
  async _speak(lanes) {
    const text = this._part("text").value.trim();
    say(LANES_PLACE);
    if (!text) return say(LANES_PLACE, { kind: "problem", fact: words("compare.no_text"), hint: words("compare.type_text") });
    this._halt();
    player.stop();
    this.player.unlock();
    this._noteThing();
    const controller = new AbortController();
    this._controller = controller;
    for (const lane of lanes) Object.assign(lane, { state: "waiting" });
    this._show();
    const turns = Map.groupBy(lanes, ({ engine }) => engine);
    await Promise.all([...turns.values()].map((turn) => this._speakInTurn(turn, text, controller.signal)));
    if (this._controller !== controller) return undefined;
    this._controller = null;
    choice.look(); // what was learned is known by now
    this._show();
    this._part("status").textContent = words("compare.spoken", { n: lanes.filter(({ isHeard }) => isHeard).length, of: lanes.length });
    return this._measure(lanes.filter(({ isHeard }) => isHeard));
  }

  async _speakInTurn(lanes, text, signal) {
    for (const lane of lanes) {
      if (signal.aborted) return;
      const row = this._rows.find((one) => one.lane === lane);
      await lane.speak(text, { signal, leadSeconds: this.player.leadSeconds }, (samples) => {
        if (samples) row.take(samples);
        else if (!lane.samples) row.clear();
        this._showSoon();
      });
      if (lane.isHeard) noteVoice(lane.voice);
    }
  }

  // Nothing sounds, and nothing is spoken any more.
  _halt() {
    this.player.stop();
    const controller = this._controller;
    this._controller = null;
    if (!controller) return;
    controller.abort();
    for (const lane of this.lanes) if (!["done", "failed"].includes(lane.state)) lane.clear();
    this._show();
  }

  // One after the other, once none is spoken: a program that listens takes the time that an engine needs.
  async _measure(lanes) {
    if (ESTIMATED.every((measure) => measure in this._missing)) return;
    for (const lane of lanes) {
      const { pieces, sampleRate, text, voice, language } = lane;
      if (lane.seconds > this._mostSeconds || this.isSpeaking) continue;
      const asked = { pcm: await lane.base64(), sample_rate: sampleRate, text, voice, language };
      const { estimates = null } = await called(this._server, "measure_lane", asked, "studio_away");
      if (lane.pieces !== pieces) continue; // it was spoken again meanwhile
      lane.estimates = estimates;
      this._showSoon();
    }
  }

  // --- hearing

  get _keys() {
    if (!this._ready.length) return {};
    const lanes = this._rows.map(({ lane }, at) => [String(at + 1), () => lane.isHeard && this._hear(lane)]);
    return { ...Object.fromEntries(lanes), " ": () => this._toggle() };
  }

  _hear(lane) {
    this.player.hear(lane, this._ready);
  }

  _toggle() {
    if (this.player.playing) return this.player.pause();
    const ready = this._ready;
    return this._hear(ready.find(({ id }) => id === this.player.last) ?? ready[0]);
  }

  // The lane that is heard, or was.
  get _current() {
    return this.lanes.find(({ id, isHeard }) => isHeard && id === this.player.last) ?? null;
  }

  _soundChanged() {
    this._show();
    this._follow();
  }

  // The playhead, while something sounds.
  _follow() {
    cancelAnimationFrame(this._frame);
    const lane = this._current;
    const share = this.player.position;
    const all = lane?.seconds ?? 0;
    this._part("lanes").style.setProperty("--at", `${(100 * share * all) / (this._longest || 1)}%`);
    const time = lane ? words("compare.time", { at: clock(share * all), all: clock(all) }) : "";
    if (this._part("time").textContent !== time) this._part("time").textContent = time;
    if (this.player.playing) this._frame = requestAnimationFrame(() => this._follow());
  }

  get _longest() {
    return Math.max(0, ...this.lanes.map(({ seconds }) => seconds));
  }

  // On a wave: that place of it.
  _pressWave(lane, event, box) {
    if (event.button || !lane.isHeard) return undefined;
    if (this._repeated.isOn) return this._repeated.drag(event, box);
    this.player.seek(lane, this._ready, shareAt(event.clientX, box));
    return this._soundChanged();
  }

  // --- what is shown

  _showSoon() {
    this._asked ??= requestAnimationFrame(() => {
      this._asked = null;
      this._show();
    });
  }

  _show() {
    const { lanes, _rows: rows, _ready: ready, _longest: longest } = this;
    const current = this._current;
    this._part("lanes").dataset.view = this._part("spectrograms").checked ? "spectrogram" : "wave";
    this._part("lanes").dataset.heard = String(Boolean(current));
    rows.forEach((row, at) => {
      const isSounding = row.lane.id === this.player.playing;
      row.show(at, { isCurrent: row.lane === current, isSounding, longest });
      if (this._part("lanes").children[at] !== row.element) this._part("lanes").insertBefore(row.element, this._part("lanes").children[at]);
    });
    while (this._part("lanes").children.length > rows.length) this._part("lanes").lastElementChild.remove();
    this._showButtons(ready);
    this._part("figures").hidden = !lanes.some(({ samples }) => samples);
    this._table.show(lanes, this._missing);
    this._part("estimates").hidden = !lanes.some(({ estimates }) => estimates);
    this._part("missing").textContent = missingWords(this._missing);
    this._part("missing").hidden = !this._part("missing").textContent;
    this._drawSoon();
  }

  _showButtons(ready) {
    const said = words(this.isSpeaking ? "compare.stop" : "compare.speak_all");
    if (this._word.textContent !== said || !this._face.firstChild) {
      this._word.textContent = said;
      this._face.replaceChildren(icon(this.isSpeaking ? "stop" : "play", ICON_PIXELS));
    }
    const isPlaying = Boolean(this.player.playing);
    for (const id of ["speak", "test", "link"]) this._part(id).disabled = !this._rows.length;
    const play = this._part("play");
    play.disabled = this._repeated.isDisabled = !ready.length;
    play.classList.toggle("strong", isPlaying);
    const label = words(isPlaying ? "compare.pause" : "compare.play");
    if (play.title !== label || !play.firstElementChild.childElementCount) {
      play.title = label;
      play.setAttribute("aria-label", label);
      play.replaceChildren(icon(isPlaying ? "pause" : "play"));
    }
    this._part("add").disabled = this.isSpeaking || this._rows.length >= (this._most ?? 0);
    this._part("keys").replaceChildren(...keysWords(this._rows.length));
  }

  _drawSoon() {
    this._drawing ??= requestAnimationFrame(() => {
      this._drawing = null;
      if (this._rows.map((row) => row.draw()).some(Boolean)) this._drawSoon();
    });
  }

  // --- what can be done with a lane

  _openMenu(lane, button) {
    const about = { isBusy: this.isSpeaking, isLast: this._rows.length <= LEAST_LANES };
    const acts = {
      edit: () => this._edit(lane),
      again: () => this._speak([lane]),
      vary: () => this._vary(lane),
      star: () => this._star(lane),
      remove: () => this._remove(lane),
    };
    openMenu(button, button.title, laneItems(lane, about, acts));
  }

  _makeTest() {
    this._halt();
    draftTest(planOf(this.lanes, this._part("text").value.trim()));
  }

  _vary(lane) {
    lane.options = varied(lane);
    this._speak([lane]);
  }

  async _star(lane) {
    const { problem, starred } = await called(
      this._server,
      "star_take",
      { entry: lane.facts.kept, starred: !lane.isStarred },
      "studio_away",
    );
    if (problem) return this._refuse(problem);
    lane.isStarred = starred;
    return say(LANES_PLACE, { kind: "done", fact: words(starred ? "compare.starred" : "compare.unstarred", { name: lane.name }) });
  }

  _refuse({ code, values, fact, hint }) {
    say(LANES_PLACE, { kind: "problem", code, values, fact, hint });
  }
}

onMount("compare", (tools) => {
  comparison = new Comparison(tools);
});
