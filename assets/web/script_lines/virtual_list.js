// A list of which only what is seen is drawn, and some rows around it. Rows are as high as what is in them: what is not drawn is taken to be as
// high as it was, or as it is guessed to be, and where a row above turns out otherwise, what is seen stays where it is.

import { RowHeights } from "./row_heights.js";

const AROUND_PIXELS = 600; // above and below what is seen
const MOST_SPARE = 24; // rows that are out of sight and become others
const MOST_LOOKS = 6; // frames in which a row that was gone to may come to rest

export class VirtualList {
  // scroller: what scrolls; list: the element in it whose children the rows are. guess(id): its height before it is drawn. drawn(id, index):
  // a new row, { element }; one may become another id's. put(row, id, index): draws what is otherwise by now. seen(first, last): indexes that are drawn from now on.
  constructor(scroller, list, { guess, drawn, put, seen }) {
    this._scroller = scroller;
    this._list = list;
    this._guess = guess;
    this._drawn = drawn;
    this._put = put;
    this._seen = seen;
    this._ids = [];
    this._heights = new RowHeights();
    this._known = new Map(); // id -> measured height
    this._rows = new Map(); // id -> row, of what is drawn
    this._spare = [];
    this._range = [0, -1];
    this._frame = null;
    this._sizes = new ResizeObserver((entries) => this._measure(entries));
    this._atOf = new Map();
    scroller.addEventListener("scroll", () => this._later(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(scroller);
  }

  /** ids: of all rows, in their order. What is seen stays where it is, as far as it is there still. */
  set(ids) {
    const anchor = this._anchor();
    this._ids = ids;
    this._atOf = new Map(ids.map((id, index) => [id, index]));
    for (const id of this._known.keys()) if (!this._atOf.has(id)) this._known.delete(id);
    this._heights.reset(ids.map((id) => this._known.get(id) ?? this._guess(id)));
    this._range = [0, -1];
    this._space();
    if (anchor && this._atOf.has(anchor.id)) this._scroller.scrollTop = this._heights.top(this._atOf.get(anchor.id)) + anchor.below;
    this.draw();
  }

  /** Another id for the same row. */
  rename(before, id) {
    const [row, height] = [this._rows.get(before), this._known.get(before)];
    if (row) this._rows.set(id, row);
    if (row) row.element.dataset.id = id;
    if (height) this._known.set(id, height);
    this._rows.delete(before);
    this._known.delete(before);
  }

  /** The row of an id, where it is drawn. */
  row(id) {
    return this._rows.get(id);
  }

  get rows() {
    return this._rows.values();
  }

  /** Draws again what is otherwise in these rows, of all where nothing is given. */
  refresh(ids = null) {
    for (const [id, row] of this._rows) if (!ids || ids.has(id)) this._put(row, id, this._atOf.get(id));
  }

  /** Draws what is to be seen now. */
  draw() {
    if (this._frame) cancelAnimationFrame(this._frame);
    this._frame = null;
    const { scrollTop, clientHeight } = this._scroller;
    if (!clientHeight) return;
    const top = scrollTop - this._list.offsetTop;
    const first = this._heights.at(Math.max(0, top - AROUND_PIXELS));
    const last = this._ids.length ? this._heights.at(top + clientHeight + AROUND_PIXELS) : -1;
    const [firstBefore, lastBefore] = this._range;
    if (first === firstBefore && last === lastBefore) return;
    this._range = [first, last];
    this._fill(first, last);
    this._space();
    this._seen(first, last);
  }

  // The row with the focus stays drawn, beside what is seen, so that whoever types goes on typing.
  _fill(first, last) {
    const wanted = new Set(this._ids.slice(first, last + 1));
    for (const [id, row] of this._rows) {
      if (wanted.has(id)) continue;
      const isKept = this._atOf.has(id) && row.element.contains(document.activeElement);
      if (isKept) this._setAside(row, id);
      else this._drop(id, row);
    }
    let next = this._list.firstElementChild;
    for (let index = first; index <= last; index += 1) {
      const id = this._ids[index];
      const row = this._rows.get(id) ?? this._make(id, index);
      while (next?.dataset.aside) next = next.nextElementSibling;
      if (row.element === next) next = next.nextElementSibling;
      else this._place(row, next);
      this._put(row, id, index);
    }
  }

  _make(id, index) {
    const row = this._spare.pop() ?? this._drawn(id, index);
    row.element.dataset.id = id;
    this._rows.set(id, row);
    this._sizes.observe(row.element);
    return row;
  }

  // Moving an element takes its focus.
  _place({ element }, next) {
    const focused = element.contains(document.activeElement) ? document.activeElement : null;
    delete element.dataset.aside;
    element.style.top = "";
    this._list.insertBefore(element, next);
    if (focused && document.activeElement !== focused) focused.focus({ preventScroll: true });
  }

  _setAside({ element }, id) {
    element.dataset.aside = "true";
    element.style.top = `${this._heights.top(this._atOf.get(id))}px`;
  }

  _drop(id, row) {
    this._sizes.unobserve(row.element);
    row.element.remove();
    this._rows.delete(id);
    if (this._spare.length < MOST_SPARE) this._spare.push(row);
  }

  _space() {
    const [first, last] = this._range;
    const { total } = this._heights;
    const above = last < first ? 0 : this._heights.top(first);
    const below = last < first ? total : total - this._heights.top(last + 1);
    this._list.style.paddingTop = `${above}px`;
    this._list.style.paddingBottom = `${below}px`;
  }

  _measure(entries) {
    const anchor = this._anchor();
    let isOtherwise = false;
    for (const { target, borderBoxSize } of entries) {
      const [id, height] = [target.dataset.id, borderBoxSize[0].blockSize];
      const index = this._atOf.get(id);
      if (index === undefined || !height || target.dataset.aside) continue;
      this._known.set(id, height);
      isOtherwise = this._heights.set(index, height) !== 0 || isOtherwise;
    }
    if (!isOtherwise) return;
    this._space();
    this._keep(anchor);
    this._later();
  }

  // The first row that is wholly in sight, and how far below its beginning one is.
  _anchor() {
    if (!this._ids.length) return null;
    const top = this._scroller.scrollTop - this._list.offsetTop;
    if (top <= 0) return null;
    const index = this._heights.at(top);
    return { id: this._ids[index], below: this._scroller.scrollTop - this._heights.top(index), top: this._heights.top(index) };
  }

  _keep(anchor) {
    if (!anchor) return;
    const moved = this._heights.top(this._atOf.get(anchor.id)) - anchor.top;
    if (moved) this._scroller.scrollTop += moved;
  }

  _later() {
    this._frame ??= requestAnimationFrame(() => {
      this._frame = null;
      this.draw();
    });
  }

  /** Scrolls a row into sight, as little as that takes, or into the middle. */
  show(id, { isMiddle = false } = {}) {
    let looks = 0;
    const look = () => {
      const index = this._atOf.get(id);
      if (index === undefined) return;
      const { clientHeight, scrollTop } = this._scroller;
      const top = this._heights.top(index) + this._list.offsetTop;
      const height = this._heights.height(index);
      const before = scrollTop;
      if (isMiddle) this._scroller.scrollTop = top - (clientHeight - height) / 2;
      else if (top < scrollTop) this._scroller.scrollTop = top;
      else if (top + height > scrollTop + clientHeight) this._scroller.scrollTop = top + height - clientHeight;
      this.draw();
      looks += 1;
      if ((looks < 2 || this._scroller.scrollTop !== before) && looks < MOST_LOOKS) requestAnimationFrame(look);
    };
    look();
  }
}
