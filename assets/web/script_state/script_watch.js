// Looks what changed in the script that is open: often while something is said, now and then while it is seen, and not at all where nobody looks.
// Where the studio does not answer it goes on looking, ever more seldom, and at once when it is back.

const SAYING_MILLISECONDS = 800;
const SEEN_MILLISECONDS = 5000;
const HIDDEN_MILLISECONDS = 15_000; // of what is said while nobody looks
const MOST_MILLISECONDS = 30_000;

export class ScriptWatch {
  // isSeen(): whether the tab is shown. reopen(): the script is read anew, where what is known of it is of no use any more.
  constructor(state, { isSeen, reopen }) {
    this._state = state;
    this._isSeen = isSeen;
    this._reopen = reopen;
    this._timer = null;
    this._isLooking = false;
    this._n_failed = 0;
    for (const event of ["progress", "changed"]) state.addEventListener(event, () => this._later());
    document.addEventListener("visibilitychange", () => this.look());
    document.addEventListener("studio-place", () => this._later()); // another room, or another line of this one
    document.addEventListener("studio-back", () => this.look());
  }

  async look() {
    clearTimeout(this._timer);
    this._timer = null;
    if (!this._state.id || this._isLooking || !this._pause) return;
    this._isLooking = true;
    try {
      await this._state.look();
      this._n_failed = 0;
    } catch (error) {
      this._n_failed += 1;
      if (error.code && error.code !== "studio_away") await this._reopen(error);
    } finally {
      this._isLooking = false;
    }
    this._later();
  }

  _later() {
    if (!this._pause || !this._state.id) return;
    const isSooner = this._pause < (this._set ?? Number.POSITIVE_INFINITY);
    if (this._timer && !isSooner) return;
    clearTimeout(this._timer);
    this._set = this._pause;
    this._timer = setTimeout(() => this.look(), Math.min(MOST_MILLISECONDS, this._pause * 2 ** Math.min(this._n_failed, 5)));
  }

  // Milliseconds until the next look; 0 for none.
  get _pause() {
    const isSeen = this._isSeen() && !document.hidden;
    if (this._state.progress?.is_running) return isSeen ? SAYING_MILLISECONDS : HIDDEN_MILLISECONDS;
    return isSeen ? SEEN_MILLISECONDS : 0;
  }
}
