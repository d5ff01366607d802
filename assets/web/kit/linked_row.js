// Rows of a list that links lead to: the row is brought into sight and gets the focus, or it is said that there is none.

import { namesThing, onThing } from "../navigation/navigation.js";

const CENTER = { block: "center" };
const POINTED_MILLISECONDS = 4000;

export class LinkedRow {
  /** room: in which the list is. titleOf(id): what a thing is called, null for one that is not there, undefined while that is not known.
   *  rowOf(id): its row, null where it is not among those that are shown; showAll() shows them. refuse(): says that there is no such thing.
   *  narrow(thing): whether an address is none of a row, but says which are shown. */
  constructor(room, { titleOf, rowOf, showAll, refuse, narrow = (_thing) => false }) {
    this._room = room;
    this._titleOf = titleOf;
    this._rowOf = rowOf;
    this._showAll = showAll;
    this._refuse = refuse;
    this._wanted = "";
    onThing(room, (id) => {
      this._wanted = narrow(id) ? "" : id;
      this.look();
    });
  }

  /** The list is drawn, perhaps with what is wanted. */
  look() {
    const id = this._wanted;
    const title = id ? this._titleOf(id) : undefined;
    if (title === undefined) return undefined;
    this._wanted = "";
    if (title === null) return this._refuse();
    if (!this._rowOf(id)) this._showAll();
    namesThing(this._room, id, title);
    return point(this._rowOf(id));
  }
}

function point(row) {
  row.scrollIntoView(CENTER);
  row.querySelector("button").focus({ preventScroll: true });
  const color = getComputedStyle(row).getPropertyValue("--accent-wash");
  row.animate([{ backgroundColor: color, offset: 0.7 }, {}], { duration: POINTED_MILLISECONDS });
}
