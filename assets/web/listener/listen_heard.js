// Heard: how often, how long and how far each sound of a trial was heard, and whether that is enough to judge it. Pure; it is told the time.

const WHOLE = 0.98; // of a sound: what is cut off its end by another press is less than the silence there

/** Shares [from, to] of a sound that were heard after `elapsed` of its length, from `share` on. part: { from, to } that repeats, or null. */
export function spansHeard({ share, part }, elapsed) {
  if (!part || share + elapsed <= part.to) return [[share, Math.min(1, share + elapsed)]];
  return [
    [share, part.to],
    [part.from, Math.min(part.to, part.from + share + elapsed - part.to)],
  ];
}

/** How much of 0 to 1 some spans cover together. */
export function covered(spans) {
  let [sum, end] = [0, 0];
  for (const [from, to] of [...spans].sort(([one], [other]) => one - other)) {
    sum += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return sum;
}

export class Heard {
  // seconds: length of each sound, by label. enough: { share, seconds }, of which the lesser has to be heard of each; or { isWhole }, where
  // each has to be heard to its end once, in one go or in parts.
  constructor(seconds, enough) {
    this._seconds = seconds;
    this._enough = enough;
    this._now = null;
    this.plays = {};
    this._heard = {};
    this._spans = new Map(Object.keys(seconds).map((label) => [label, []]));
    for (const label of Object.keys(seconds)) Object.assign(this.plays, { [label]: 0 });
    for (const label of Object.keys(seconds)) Object.assign(this._heard, { [label]: 0 });
  }

  // What sounds from now on, or null for nothing. isAnother: it was asked for, and not only gone on with after a pause. place: { share,
  // part } where it begins.
  begin(label, time, isAnother = true, place = { share: 0, part: null }) {
    if (this._now) {
      this._heard[this._now.label] += Math.max(0, time - this._now.since);
      this._spans.get(this._now.label).push(...this._spansNow(time));
    }
    this._now = label === null ? null : { label, since: time, place };
    if (label !== null && isAnother) this.plays[label] += 1;
  }

  // Seconds by label.
  seconds(time) {
    const { label, since } = this._now ?? {};
    const all = Object.entries(this._heard).map(([name, heard]) => [name, heard + (name === label ? Math.max(0, time - since) : 0)]);
    return Object.fromEntries(all.map(([name, heard]) => [name, Math.round(heard * 1000) / 1000]));
  }

  isEnough(label, time) {
    if (this._enough.isWhole) return this._covered(label, time) >= WHOLE;
    return this.seconds(time)[label] >= Math.min(this._enough.seconds, this._enough.share * this._seconds[label]);
  }

  _covered(label, time) {
    return covered([...this._spans.get(label), ...(this._now?.label === label ? this._spansNow(time) : [])]);
  }

  _spansNow(time) {
    const { label, since, place } = this._now;
    return spansHeard(place, Math.max(0, time - since) / this._seconds[label]);
  }

  // Labels that are still to be heard.
  missing(time) {
    return Object.keys(this._seconds).filter((label) => !this.isEnough(label, time));
  }
}
