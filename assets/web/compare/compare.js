// Compare: one text in several lanes, spoken side by side and heard at the same place of each, with the names in sight or hidden.

import { choice } from "../choice/choice.js";
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
import { BlindNames, chosenWords, drawnOrder } from "./compare_blind.js";
import { showButtons } from "./compare_buttons.js";
import { LaneDialog } from "./compare_dialog.js";
import { EvaluationsDoor } from "./compare_evaluations.js";
import { saveAll } from "./compare_export.js";
import { shareAt } from "./compare_figures.js";
import { Lane } from "./compare_lane.js";
import { comparisonOf, comparisonThing } from "./compare_link.js";
import { laneItems, planOf, varied } from "./compare_menu.js";
import { RepeatedPart } from "./compare_part.js";
import { LanePlayer } from "./compare_player.js";
import { LANES_PLACE, LaneRow, LETTERS } from "./compare_row.js";
import { LaneSpeaking } from "./compare_speaking.js";
import { CompareTable, ESTIMATED, missingWords, timedWords } from "./compare_table.js";

export let comparison;

const ROOM = "compare";
const LEAST_LANES = 2;
const DARK = { attributes: true, attributeFilter: ["class"] };

class Comparison {
  constructor({ element, server }) {
    this._element = element;
    this._server = server;
    this._rows = [];
    this._turn = 0;
    this._missing = {};
    this._part = (id) => element.querySelector(`#compare-${id}`);
    addPlace(LANES_PLACE, this._part("message"));
    this._table = new CompareTable(this._part("table"));
    this._dialog = new LaneDialog(this._part("lane"), (lane) => this._known([lane]).then((known) => known?.[0] ?? null));
    this.player = new LanePlayer(() => this._soundChanged());
    this._blind = new BlindNames(this._part, { hide: () => this._hide(), reveal: (best) => this._reveal(best) });
    const take = (lane, samples) => this._take(lane, samples);
    this._speaking = new LaneSpeaking({ lead: () => this.player.leadSeconds, take, changed: () => this._show() });
    this._repeated = new RepeatedPart(this._part, (part) => this.player.repeat(part));
    new StandingsTable(this._part("standings"));
    this._evaluations = new EvaluationsDoor(element, () => this.lanes);
    this._wire();
    new MutationObserver(() => this._drawSoon()).observe(document.body, DARK);
    onComparison((asked) => this._evaluations.close() ?? this.open(asked));
    this._begin();
    onThing(ROOM, (thing) => this._evaluations.takes(thing) || (thing && this._openThing(thing)));
  }

  get lanes() {
    return this._rows.map(({ lane }) => lane);
  }

  // Those that can be heard.
  get _ready() {
    return this._isComing ? [] : this.lanes.filter(({ isHeard }) => isHeard);
  }

  get isSpeaking() {
    return this._speaking.isSpeaking;
  }

  // Whether lanes are under way that nobody is to know by how fast they come.
  get _isComing() {
    return this._blind.isOn && this.isSpeaking;
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

  // In the order before chance gave them another one: the address tells nothing of who is heard blind.
  get _thing() {
    const lanes = this._named ?? this.lanes;
    return comparisonThing({ text: this._part("text").value, lanes, voices: lanes[0].known.voices });
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
    this._blind.isOn = false;
    this._named = null;
    const isOther = lanes.some(({ engine }, at) => engine && known[at].engine !== engine);
    if (isNoted && !isOther) this._noteThing();
    this._show();
    if (isOther) say(LANES_PLACE, { kind: "problem", fact: words("compare.engine_not_here"), hint: words("compare.engine_not_here_hint") });
  }

  // What the studio knows of such lanes, and of at least two; null where it does not answer, which is said.
  async _known(lanes) {
    const wanted = lanes.map(({ voice, engine }) => ({ voice, engine }));
    const { problem, ...known } = await this._called("lane_choices", { lanes: wanted });
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

  _called(name, asked) {
    return called(this._server, name, asked, "studio_away");
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
    press("test", () => {
      this._halt();
      draftTest(planOf(this.lanes, this._part("text").value.trim()));
    });
    press("link", () => copyPlace(ROOM, this._thing));
    press("save", () => saveAll(this.lanes, this._ready[0].text));
    press("time-again", () => this._speaking.time(this._ready));
    this._part("text").addEventListener("change", () => this._rows.length && this._noteThing());
    this._part("loudness").addEventListener("change", ({ target }) => this.player.level(target.checked, this._ready));
    this._part("spectrograms").addEventListener("change", () => this._show());
    onKeys(this._element.querySelector(".compare"), () => this._keys);
    window.addEventListener("keydown", ({ key }) => key === "Escape" && this._halt());
  }

  // Inside of the click.
  async _speak(lanes) {
    const text = this._part("text").value.trim();
    say(LANES_PLACE);
    if (!text) return say(LANES_PLACE, { kind: "problem", fact: words("compare.no_text"), hint: words("compare.type_text") });
    this._halt();
    player.stop();
    this.player.unlock();
    this._noteThing();
    if (!(await this._speaking.speak(lanes, text))) return undefined;
    choice.look(); // what was learned is known by now
    const heard = lanes.filter(({ isHeard }) => isHeard);
    this._part("status").textContent = words("compare.spoken", { n: heard.length, of: lanes.length });
    await this._speaking.timeAsNeeded(lanes);
    return this._measure(heard.filter(({ isHeard }) => isHeard));
  }

  _take(lane, samples) {
    const row = this._rows.find((one) => one.lane === lane);
    if (samples) row?.take(samples);
    else if (!lane.samples) row?.clear();
    this._showSoon();
  }

  // Nothing sounds, and nothing is spoken any more.
  _halt() {
    this.player.stop();
    this._speaking.halt();
    for (const lane of this.lanes) if (!["done", "failed"].includes(lane.state)) lane.clear();
    this._show();
  }

  // --- without names

  _hide() {
    this.player.stop();
    this._named = this.lanes;
    const rows = this._rows;
    this._rows = drawnOrder(rows.length).map((at) => rows[at]);
    say(LANES_PLACE);
    this._show();
  }

  // best: the place of the lane that was chosen, -1 for no difference, null for none.
  _reveal(best) {
    this._blind.isOn = false;
    this._named = null;
    if (!this.isSpeaking) this._noteThing();
    this._show();
    this._part("blind").focus(); // what was pressed is gone
    if (best !== null) say(LANES_PLACE, { kind: "done", fact: chosenWords(best, this.lanes) });
  }

  // One after the other, once none is spoken: a program that listens takes the time that an engine needs.
  async _measure(lanes) {
    if (ESTIMATED.every((measure) => measure in this._missing)) return;
    for (const lane of lanes) {
      if (lane.seconds > this._mostSeconds || this.isSpeaking) continue;
      await lane.estimate((asked) => this._called("measure_lane", asked));
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

  // At that place of a wave.
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
    const { lanes, _rows: rows, _ready: ready, _longest: longest, _isComing: isComing } = this;
    const { isOn: isBlind } = this._blind;
    const current = this._current;
    this._part("lanes").dataset.view = this._part("spectrograms").checked ? "spectrogram" : "wave";
    this._part("lanes").dataset.heard = String(Boolean(current));
    rows.forEach((row, at) => {
      const isSounding = row.lane.id === this.player.playing;
      row.show(at, { isCurrent: row.lane === current, isSounding, longest, isBlind, isComing });
      if (this._part("lanes").children[at] !== row.element) this._part("lanes").insertBefore(row.element, this._part("lanes").children[at]);
    });
    while (this._part("lanes").children.length > rows.length) this._part("lanes").lastElementChild.remove();
    const { isSpeaking, isTiming } = this._speaking;
    const canAdd = !isBlind && !isSpeaking && rows.length < (this._most ?? 0);
    showButtons(this._part, {
      n: rows.length,
      nReady: ready.length,
      isPlaying: Boolean(this.player.playing),
      isSpeaking,
      isTiming,
      isBlind,
      canAdd,
    });
    this._repeated.isDisabled = !ready.length;
    this._blind.show({ n: rows.length, canVote: ready.length > 1, isDisabled: !rows.length });
    this._part("figures").hidden = isBlind || !lanes.some(({ samples }) => samples);
    this._table.show(isBlind ? [] : lanes, this._missing);
    this._part("names").hidden = isBlind;
    this._part("timed").textContent = timedWords(ready, isTiming);
    this._part("estimates").hidden = isBlind || !lanes.some(({ estimates }) => estimates);
    this._part("missing").textContent = missingWords(this._missing);
    this._part("missing").hidden = !this._part("missing").textContent;
    this._drawSoon();
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

  _vary(lane) {
    lane.options = varied(lane);
    this._speak([lane]);
  }

  async _star(lane) {
    const { problem, starred } = await this._called("star_take", { entry: lane.facts.kept, starred: !lane.isStarred });
    if (problem) return say(LANES_PLACE, { kind: "problem", ...problem });
    lane.isStarred = starred;
    return say(LANES_PLACE, { kind: "done", fact: words(starred ? "compare.starred" : "compare.unstarred", { name: lane.name }) });
  }
}

onMount("compare", (tools) => {
  comparison = new Comparison(tools);
});
