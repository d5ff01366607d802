// Several things that are asked about one sound: for each a question and its points, of which one is chosen.

import { words } from "../words/words.js";
import { picks, stepCard } from "./listen_parts.js";

export class ScaleAnswers {
  // scales: as scalesOf has them. onChoose(): a point was chosen.
  constructor(scales, onChoose) {
    this._scales = scales;
    this._chosen = {};
    const groups = scales.map(({ id, question, points }) => {
      const choose = (value) => {
        this._chosen = { ...this._chosen, [id]: value };
        onChoose();
      };
      return picks(
        question,
        `scale-${id}`,
        points.map(({ value, said }) => [value, said]),
        choose,
      );
    });
    for (const group of groups) group.dir = "auto"; // somebody's own words
    this._groups = groups;
    this.element = stepCard(...groups);
    this.element.classList.add("scales");
  }

  allow(isAllowed) {
    for (const group of this._groups) group.disabled = !isAllowed;
  }

  /** Points by scale; null until there is one on each. */
  get value() {
    return this._scales.every(({ id }) => id in this._chosen) ? this._chosen : null;
  }

  /** What an attention check says. asked: points by scale. */
  asked(asked) {
    const answers = this._scales.map(({ id, question, points }) => {
      const { said: answer } = points.find(({ value }) => value === asked[id]);
      return words("listen.asked_scale", { question, answer });
    });
    return words("listen.asked_scales", { answers: answers.join(`${words("listen.key_comma")} `) });
  }
}
