// "Which is better?": a quiet row below the result, after a second take of a text or where somebody asked. Two sounds without names, one press
// votes, then the names are told. It can be left alone, closed, and turned off.

import { make } from "../kit/frame.js";
import { endStrip, say, strip } from "../kit/notices.js";
import { leadTo } from "../navigation/leading.js";
import { listen } from "../sound/listening.js";
import { PlayButton } from "../sound/play_button.js";
import { player } from "../sound/player.js";
import { words } from "../words/words.js";
import { pairCalls } from "./pair_calls.js";
import { PairState, SLOTS } from "./pair_state.js";
import { isOneSystem, sidesWords, verdictWords } from "./system_words.js";

const PLACE = "speak-message";
const OFF = "studio-pairs-off";
const STANDINGS = ["#standings-title"]; // below the lanes of Compare
const LOOK_MILLISECONDS = 200; // between two looks how far a sound is
const STRIP_MILLISECONDS = 100; // until the strip has made the dock higher, behind which the names would be
const CHOICES = [...SLOTS, "equal"];
export const VOTED = "studio-voted"; // told to the document
export const NEXT_PAIR = "studio-next-pair"; // told to the document: somebody wants to hear what is least known

class PairRow {
  constructor(element) {
    const part = (name) => element.querySelector(`.pair-${name}`);
    this._element = element;
    this._note = part("note");
    this._see = part("see");
    this._off = part("off");
    this._shown = "";
    this._pair = null;
    this._plays = SLOTS.map((slot) => {
      const button = part(`hear-${slot}`);
      button.title = words("pairs.hear", { slot: slot.toUpperCase() });
      return new PlayButton(button, { key: () => this._keyOf(slot), start: () => this._hear(slot) });
    });
    this._votes = CHOICES.map((choice) => part(`vote-${choice}`));
    for (const [at, vote] of this._votes.entries()) {
      if (SLOTS.includes(CHOICES[at])) vote.textContent = words("pairs.better", { slot: CHOICES[at].toUpperCase() });
      vote.addEventListener("click", () => this._vote(CHOICES[at]));
    }
    part("close").addEventListener("click", () => this.close());
    this._off.addEventListener("click", () => this._turnOff());
    this._see.addEventListener("click", () => leadTo("compare", STANDINGS, { block: "start" }));
    player.addEventListener("change", () => this._follow());
  }

  /** takes: ids of two; null where there are none. What is shown of the same two stays, and so does what was closed, and what somebody has
   *  begun to hear. newest: the id of the last take; what is shown of those before is over with it. */
  offer(takes, newest) {
    if (newest !== this._newest && !this._isBegun) this.close();
    this._newest = newest;
    const key = takes?.join(" ") ?? "";
    if (!takes || key === this._shown || pairsAreOff() || this._isBegun) return;
    this._open(key, () => pairCalls.ofTakes(takes), words("pairs.hear_both"));
  }

  /** make(): has the pair made, at once. */
  async ask(make) {
    player.unlock();
    this._open(`asked ${performance.now()}`, make, words("pairs.making"));
    const pair = await this._begun();
    if (pair && pair === this._pair) this._note.textContent = words("pairs.hear_both");
  }

  // It was asked for, and has no vote yet.
  get _isBegun() {
    return Boolean(this._made) && !this._state?.isVoted && !this._element.hidden;
  }

  close() {
    this._element.hidden = true;
    if (this._pair && SLOTS.some((slot) => player.isSounding(this._keyOf(slot)))) player.stop();
  }

  // make(): has the pair made, when the first of its sounds is asked for.
  _open(key, make_, note) {
    this._shown = key;
    this._make = make_;
    this._made = null;
    this._pair = null;
    this._state = null;
    this._element.hidden = false;
    this._note.textContent = note;
    this._see.hidden = true;
    this._off.hidden = false;
    this._follow();
  }

  async _begun() {
    this._made ??= this._make();
    const made = this._made;
    try {
      const pair = await made;
      if (made !== this._made || this._pair) return this._pair;
      this._pair = pair;
      this._state = new PairState(pair);
      return pair;
    } catch (error) {
      if (made === this._made) this._fail(error);
      return null;
    }
  }

  async _hear(slot) {
    player.unlock(); // inside of the click
    const pair = await this._begun();
    if (!pair) return;
    const name = slot.toUpperCase();
    const about = { voice: name, engineTitle: words("pairs.title"), print: "", isBlind: !this._state.isVoted };
    await listen(pair.sounds[slot], { label: words("pairs.hear", { slot: name }), key: this._keyOf(slot), about }, PLACE);
  }

  _keyOf(slot) {
    return `pair ${this._shown} ${slot}`;
  }

  // How far what sounds was heard, and what can be pressed by now.
  _follow() {
    clearTimeout(this._looking);
    const slot = SLOTS.find((one) => player.session?.key === this._keyOf(one));
    if (slot && this._state) {
      const couldVote = this._state.mayVote;
      this._state.note(slot, player.heardSeconds);
      if (this._state.mayVote && !couldVote) this._note.textContent = words("pairs.vote_now");
      if (player.state === "playing") this._looking = setTimeout(() => this._follow(), LOOK_MILLISECONDS);
    }
    this._element.dataset.blind = !this._state?.isVoted; // what tells lengths is hidden (pairs.css)
    for (const play of this._plays) play.show();
    const { mayVote = false, isVoted = false } = this._state ?? {};
    for (const vote of this._votes) {
      vote.disabled = !mayVote;
      vote.hidden = isVoted;
    }
  }

  async _vote(choice) {
    const { _pair: pair, _state: state } = this;
    if (!state?.mayVote) return;
    state.isVoted = true;
    this._follow();
    try {
      this._tell(await pairCalls.vote(pair.id, choice));
    } catch (error) {
      state.isVoted = false;
      this._fail(error);
    }
  }

  _tell({ id, choice, sides, standings, undo_seconds: seconds }) {
    const name = sidesWords(sides);
    const was = SLOTS.map((slot) => words("pairs.was", { slot: slot.toUpperCase(), name: name[slot] }));
    const chosen = choice === "equal" ? words("pairs.no_difference") : words("pairs.you_chose", { name: name[choice] });
    const verdict = isOneSystem(sides) ? words("pairs.within") : verdictWords(standings);
    const names = make("b", { textContent: was.join(" — ") });
    this._note.replaceChildren(make("span", { textContent: chosen }), names, make("span", { textContent: verdict }));
    this._see.hidden = false;
    this._off.hidden = true;
    this._see.focus({ preventScroll: true }); // what was pressed is hidden by now
    document.dispatchEvent(new CustomEvent(VOTED, { detail: standings }));
    const act = { words: words("notices.undo"), sign: "replay", label: words("pairs.undo_label"), press: () => this._undo(id) };
    strip({ text: words("pairs.counted"), hint: words("pairs.undo_within", { seconds }), act, seconds, key: `vote ${id}` });
    setTimeout(() => this._element.scrollIntoView({ block: "nearest" }), STRIP_MILLISECONDS);
  }

  async _undo(id) {
    endStrip(`vote ${id}`);
    try {
      await pairCalls.undo(id);
      if (this._pair?.id === id) this._element.hidden = true;
      document.dispatchEvent(new CustomEvent(VOTED));
      strip({ text: words("pairs.undone") });
    } catch (error) {
      this._fail(error);
    }
  }

  _fail({ message, hint = "", code = "", values }) {
    if (!this._pair) this._element.hidden = true;
    this._follow();
    say(PLACE, { kind: "problem", fact: message, hint, code, values });
  }

  _turnOff() {
    this.close();
    keepOff(true);
    strip({ kind: "note", text: words("pairs.off_said") });
  }
}

let row = null;

/** element: the row's, as result.html has it. */
export function mountPairRow(element) {
  row = new PairRow(element);
}

export const offerPair = (takes, newest) => row?.offer(takes, newest);
/** body: of what is to be said in two ways. */
export const askPair = (body) => row?.ask(() => pairCalls.spoken(body));

/** body: of what the two say that are least known beside each other. */
export const askNextPair = (body) => row?.ask(() => pairCalls.next(body));

/** Whether nobody is to be asked after a second take. */
export function pairsAreOff() {
  try {
    return localStorage.getItem(OFF) === "yes";
  } catch {
    return isOffHere;
  }
}

let isOffHere = false; // where storage is off

export function keepOff(isOff) {
  isOffHere = isOff;
  try {
    if (isOff) localStorage.setItem(OFF, "yes");
    else localStorage.removeItem(OFF);
  } catch {
    return; // as long as the page
  }
}
