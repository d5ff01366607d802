// Which notice the strip shows. Pure: it is told the time, in seconds, and draws nothing.
// One at a time, the newest that is alive; it waits until the one before was there long enough to be read, or takes its place at once where
// both have the same key. What was pushed aside comes back for the time it has left.

const READING_SECONDS = 2;
const DONE_SECONDS = 6;

export class StripQueue {
  constructor() {
    this._notices = []; // the newest last
    this._shown = null;
    this._since = 0; // when that was shown
  }

  // notice: { key, seconds, isLimited }. seconds: how long it lives, Infinity for as long as it is so. isLimited: counted from now and not
  // from when it is seen, since what it offers ends then.
  add(notice, now) {
    const entry = { ...notice, seconds: notice.seconds ?? DONE_SECONDS };
    entry.ends = entry.isLimited ? now + entry.seconds : null;
    const isShown = this._shown?.key === entry.key;
    this.remove(entry.key);
    this._notices.push(entry);
    if (isShown) this._show(entry, now);
    return entry;
  }

  remove(key) {
    this._notices = this._notices.filter((notice) => notice.key !== key);
    if (this._shown?.key === key) this._shown = null;
  }

  // What is to be seen now, or null. isHeld: somebody is at it, so that it stays.
  at(now, isHeld = false) {
    if (this._shown && isHeld) return this._shown;
    this._notices = this._notices.filter(({ ends }) => ends === null || ends > now);
    if (!this._notices.includes(this._shown)) this._shown = null;
    const newest = this._notices.at(-1) ?? null;
    if (newest !== this._shown && (!this._shown || now - this._since >= READING_SECONDS)) this._show(newest, now);
    return this._shown;
  }

  // When to look again, in seconds from now; Infinity where nothing will change by itself.
  waits(now) {
    const ends = this._notices.map((notice) => notice.ends ?? Number.POSITIVE_INFINITY);
    if (this._shown && this._notices.at(-1) !== this._shown) ends.push(this._since + READING_SECONDS);
    return Math.max(0, Math.min(Number.POSITIVE_INFINITY, ...ends) - now);
  }

  _show(entry, now) {
    this._shown = entry;
    this._since = now;
    if (entry) entry.ends ??= now + entry.seconds;
  }
}
