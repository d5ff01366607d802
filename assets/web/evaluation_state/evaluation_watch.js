// Looks how far evaluations are: often while one runs, not at all while nobody sees it, and ever more seldom where the studio does not answer.

const MOST_MILLISECONDS = 30_000;
const MOST_DOUBLINGS = 5;
const AWAY_MILLISECONDS = 1000;

export class EvaluationWatch {
  // isSeen(): whether anybody looks. look(): asks; it gives the milliseconds until the next look, 0 for none. It may throw.
  constructor({ isSeen, look }) {
    this._isSeen = isSeen;
    this._ask = look;
    this._timer = null;
    this._turn = 0; // another one for each thing that is watched; 0 for nothing
    this._n_begun = 0;
    this._looking = 0; // the turn of the look that is under way
    this._n_failed = 0;
    document.addEventListener("visibilitychange", () => this.look());
    for (const event of ["studio-place", "studio-back"]) document.addEventListener(event, () => this.look());
  }

  /** Looks at once, also where a look at something else is under way. */
  begin() {
    this._n_begun += 1;
    this._turn = this._n_begun;
    this._n_failed = 0;
    return this.look();
  }

  end() {
    this._turn = 0;
    clearTimeout(this._timer);
  }

  async look() {
    const turn = this._turn;
    clearTimeout(this._timer);
    if (!turn || this._looking === turn || document.hidden || !this._isSeen()) return;
    this._looking = turn;
    const pause = await this._pause();
    if (this._looking === turn) this._looking = 0;
    if (this._turn !== turn || !pause) return;
    const rest = pause * 2 ** Math.min(this._n_failed, MOST_DOUBLINGS);
    this._timer = setTimeout(() => this.look(), Math.min(MOST_MILLISECONDS, rest));
  }

  async _pause() {
    try {
      const pause = await this._ask();
      this._n_failed = 0;
      return pause;
    } catch (error) {
      this._n_failed += 1;
      return error.code === "studio_away" ? AWAY_MILLISECONDS : 0; // what is gone is not asked again
    }
  }
}
