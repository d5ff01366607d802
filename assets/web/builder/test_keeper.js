// A draft is kept as it is made: soon after a change, one asking at a time, and the last state of it always.

const SOON_MILLISECONDS = 300; // after the last key

export class TestKeeper {
  // ask(name, values): the studio's answer. plan(): as it is now. kept(test), refused(problem): what came of it.
  constructor({ ask, plan, kept, refused }) {
    this._ask = ask;
    this._plan = plan;
    this._keptNow = kept;
    this._refused = refused;
    this.id = "";
    this._timer = null;
    this._asking = null;
    this._isDirty = false;
  }

  /** Another draft. id: "" for one that the studio does not know yet. */
  begin(id) {
    clearTimeout(this._timer);
    this.id = id;
    this._isDirty = false;
    this._turn = (this._turn ?? 0) + 1;
  }

  get isUnderWay() {
    return this._isDirty || Boolean(this._asking);
  }

  keepSoon() {
    this._isDirty = true;
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this._keep(), SOON_MILLISECONDS);
  }

  /** Its id, once the studio has it as it is now; "" where it was refused. */
  async known() {
    if (!this.id) this._isDirty = true;
    await this.settled();
    return this._isDirty ? "" : this.id;
  }

  async settled() {
    clearTimeout(this._timer);
    if (this._asking) await this._asking;
    if (this._isDirty) await this._keep();
  }

  _keep() {
    this._asking ??= this._keepNow().finally(() => {
      this._asking = null;
    });
    return this._asking;
  }

  async _keepNow() {
    const turn = this._turn;
    while (this._isDirty && turn === this._turn) {
      this._isDirty = false;
      const { problem, test } = await this._ask("keep_test", { id: this.id, plan: this._plan() });
      if (turn !== this._turn) return;
      if (problem) {
        this._isDirty = true;
        this._refused(problem);
        return;
      }
      this.id = test.id;
      if (!this._isDirty) this._keptNow(test);
    }
  }
}
