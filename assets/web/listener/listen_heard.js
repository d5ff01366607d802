// Heard: how often and how long each sound of a trial was heard, and whether that is enough to judge it. Pure; it is told the time.

export class Heard {
  // seconds: length of each sound, by label. enough: { share, seconds }, of which the lesser has to be heard of each.
  constructor(seconds, enough) {
    this._seconds = seconds;
    this._enough = enough;
    this._now = null;
    this.plays = {};
    this._heard = {};
    for (const label of Object.keys(seconds)) Object.assign(this.plays, { [label]: 0 });
    for (const label of Object.keys(seconds)) Object.assign(this._heard, { [label]: 0 });
  }

  // What sounds from now on, or null for nothing. isAnother: it was asked for, and not only gone on with after a pause.
  begin(label, time, isAnother = true) {
    if (this._now) this._heard[this._now.label] += Math.max(0, time - this._now.since);
    this._now = label === null ? null : { label, since: time };
    if (label !== null && isAnother) this.plays[label] += 1;
  }

  // Seconds by label.
  seconds(time) {
    const { label, since } = this._now ?? {};
    const all = Object.entries(this._heard).map(([name, heard]) => [name, heard + (name === label ? Math.max(0, time - since) : 0)]);
    return Object.fromEntries(all.map(([name, heard]) => [name, Math.round(heard * 1000) / 1000]));
  }

  isEnough(label, time) {
    return this.seconds(time)[label] >= Math.min(this._enough.seconds, this._enough.share * this._seconds[label]);
  }

  // Labels that are still to be heard.
  missing(time) {
    return Object.keys(this._seconds).filter((label) => !this.isEnough(label, time));
  }
}
