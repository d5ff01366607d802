// How high the rows of a long list are, and so where each begins: sums in a tree, so that one row's height changes without a look at all. Pure.

export class RowHeights {
  constructor() {
    this.reset([]);
  }

  /** heights: of all rows, in pixels. */
  reset(heights) {
    this._own = Float64Array.from(heights);
    this._sums = new Float64Array(heights.length + 1); // Fenwick, "A new data structure for cumulative frequency tables", 1994
    for (let at = 1; at <= heights.length; at += 1) {
      this._sums[at] += this._own[at - 1];
      const above = at + (at & -at);
      if (above <= heights.length) this._sums[above] += this._sums[at];
    }
  }

  get n() {
    return this._own.length;
  }

  get total() {
    return this.top(this.n);
  }

  /** Pixels above a row. */
  top(index) {
    let sum = 0;
    for (let at = Math.min(index, this.n); at > 0; at -= at & -at) sum += this._sums[at];
    return sum;
  }

  height(index) {
    return this._own[index];
  }

  /** Gives by how much it is higher than it was taken for. */
  set(index, height) {
    const more = height - this._own[index];
    if (!more) return 0;
    this._own[index] = height;
    for (let at = index + 1; at <= this.n; at += at & -at) this._sums[at] += more;
    return more;
  }

  /** The row in which that pixel lies; the first or the last one where none does. */
  at(pixel) {
    let at = 0;
    let rest = pixel;
    for (let step = 2 ** Math.floor(Math.log2(this.n || 1)); step >= 1; step /= 2) {
      const next = at + step;
      if (next > this.n || this._sums[next] > rest) continue;
      rest -= this._sums[next];
      at = next;
    }
    return Math.max(0, Math.min(at, this.n - 1));
  }
}
