// What is known of a blind pair: how far each sound was heard, and whether it has its vote. And which takes make a pair. Pure.

export const SLOTS = ["a", "b"];
const ENOUGH_SECONDS = 2.2; // of each sound, or all of a shorter one; the studio asks for 2
const OPENABLE = ["ready", "idle"]; // states of engines, as compare_tab.py has them
const WHOLE = 0.05; // seconds from the end at which all was heard

export class PairState {
  // id, seconds: as the studio tells them.
  constructor({ id, seconds }) {
    this.id = id;
    this._seconds = seconds;
    this._heard = { a: 0, b: 0 };
    this.isVoted = false;
  }

  // seconds: where in it the sound is.
  note(slot, seconds) {
    this._heard[slot] = Math.max(this._heard[slot], seconds);
  }

  isHeard(slot) {
    return this._heard[slot] >= Math.min(ENOUGH_SECONDS, this._seconds - WHOLE);
  }

  get mayVote() {
    return !this.isVoted && SLOTS.every((slot) => this.isHeard(slot));
  }
}

const isWhole = ({ text, source_seconds: source, ended, isArriving }) =>
  Boolean(text) && source === null && ended === "ended" && !isArriving;

// One engine says as long to the sample what it says the same way, as one that draws nothing by chance does each time.
const isAlike = (take, other) => take.engine === other.engine && take.seconds === other.seconds;

/** The newest take and the last other one of the same text and voice, as ids; null where there is none. takes: newest first. isOwn(id):
 *  whether it was spoken on this page, since what was spoken before is asked about by nobody. */
export function offerOf([newest, ...others], isOwn) {
  if (!newest || !isWhole(newest) || !isOwn(newest.id)) return null;
  const other = others.find((take) => isWhole(take) && take.text === newest.text && take.voice === newest.voice && !isAlike(take, newest));
  return other ? [newest.id, other.id] : null;
}

/** What a text can be compared with: the chosen engine without its changed options, and each other one that speaks when it is asked. */
export function rivalsOf({ engine, engines, isChanged }) {
  const same = isChanged ? engines.filter(({ id }) => id === engine) : [];
  return [...same, ...engines.filter(({ id, state }) => id !== engine && OPENABLE.includes(state))];
}

/** What two others say of the same, whichever are least known, as the studio is asked. */
export function nextOf({ input, voice, language, directions }, isStored) {
  return { input, voice: isStored ? voice : "default", ...(language && { language }), ...(directions === false && { directions }) };
}

/** The two ways to say it, as the studio is asked. request: of the composer as it is. rival: an engine's id. */
export function sidesOf(request, rival, isStored) {
  const { input, language, directions, ...side } = request;
  const shared = { input, ...(language && { language }), ...(directions === false && { directions }) };
  return { ...shared, sides: [side, { model: rival, voice: isStored || rival === side.model ? side.voice : "default" }] };
}
