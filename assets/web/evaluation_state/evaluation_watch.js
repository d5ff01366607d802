// Looks how far evaluations are: often while one runs, not at all while nobody sees it, and ever more seldom where the studio does not answer.

const MOST_MILLISECONDS = 30_000;
const MOST_DOUBLINGS = 5;

export class EvaluationWatch {
  // isSeen(): whether anybody looks. look(): asks; it gives the milliseconds until the next look, 0 for none. It may throw.
  constructor({ isSeen, look }) {
    this._isSeen = isSeen;
    this._ask = look;
    this._timer = null;
    this._isOn = false;
    this._isLooking = false;
    this._n_failed = 0;
    document.addEventListener("visibilitychange", () => this.look());
    for (const event of ["studio-place", "studio-back"]) document.addEventListener(event, () => this.look());
  }

  begin() {
    this._isOn = true;
    this._n_failed = 0;
    return this.look();
  }

  end() {
    this._isOn = false;
    clearTimeout(this._timer);
  }

  async look() {
    clearTimeout(this._timer);
    if (!this._isOn || this._isLooking || document.hidden || !this._isSeen()) return;
    this._isLooking = true;
    let pause = 0;
    try {
      pause = await this._ask();
      this._n_failed = 0;
    } catch (error) {
      this._n_failed += 1;
      pause = error.code === "studio_away" ? 1000 : 0; // what is gone is not asked again
    } finally {
      this._isLooking = false;
    }
    if (!this._isOn || !pause) return;
    const rest = pause * 2 ** Math.min(this._n_failed, MOST_DOUBLINGS);
    this._timer = setTimeout(() => this.look(), Math.min(MOST_MILLISECONDS, rest));
  }
}
