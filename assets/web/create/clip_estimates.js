// How good listeners would find the region, by networks of the studio: rows below the figures of step two, when they come.

import { make } from "../kit/frame.js";
import { number, words } from "../words/words.js";

export class ClipEstimates {
  // rows: the table's part for them. ask(name, values): calls a handler of the studio.
  constructor(rows, ask) {
    this._rows = rows;
    this._ask = ask;
    this._isAsking = false;
  }

  // asked: { draft, start, end } of the region, null without one. While one is heard, of those that come only the last is.
  async show(asked) {
    this._wanted = asked;
    this._rows.replaceChildren();
    if (this._isAsking || !asked) return;
    this._isAsking = true;
    const { estimates = [] } = await this._ask("estimate_region", asked);
    this._isAsking = false;
    if (this._wanted !== asked) return this.show(this._wanted);
    this._rows.replaceChildren(...estimates.map(row));
  }
}

const row = ({ measure, n }) => {
  const cells = [
    ["value", words("ears.of_five", { n: number(n, 1, 1) }), "r"],
    ["grade", words("ears.estimate"), ""],
    ["advice", words(`ears.says_${measure}`), ""],
  ].map(([column, textContent, className]) => {
    const cell = make("td", { textContent, className });
    cell.dataset.name = words(`create.column_${column}`);
    return cell;
  });
  return make("tr", {}, make("th", { scope: "row", textContent: words(`ears.measure_${measure}`) }), ...cells);
};
