// The evaluations behind Compare: in its place while they are seen, at addresses below "evaluations". Their scripts, styles and words come when
// they are first opened, and hear of the place by the name "evaluations".

import { addPlace, say } from "../kit/notices.js";
import { placeNow, showsThing } from "../navigation/navigation.js";
import { lateFiles } from "../transport/late_files.js";
import { words } from "../words/words.js";

export const EVALUATIONS = "evaluations"; // how their addresses begin
const ROOM = "compare";
const PLACE = "evaluations-message";

/** What of a thing of Compare is one of the evaluations: "" for their list; null where it is a comparison. */
export function evaluationOf(thing) {
  const [begins, ...rest] = thing.split("/");
  return begins === EVALUATIONS ? rest.join("/") : null;
}

export class EvaluationsDoor {
  // element: of compare.html. lanes(): those of Compare.
  constructor(element, lanes) {
    this._compare = element.querySelector(".compare");
    this._place = element.querySelector("#evaluations");
    this._button = element.querySelector("#compare-evaluate");
    this._lanes = lanes;
    this._show = null; // of the evaluations, once they are here
    this._wanted = "";
    this._before = ""; // what Compare showed when the button was pressed
    addPlace(PLACE, this._place.querySelector(".notice"));
    this._button.addEventListener("click", () => {
      this._before = placeNow().thing;
      showsThing(ROOM, EVALUATIONS, { title: words("compare.evaluations") });
      this._open("");
    });
  }

  /** Shows what an address says of evaluations, or gives the place back to Compare; whether it was one of evaluations. */
  takes(thing) {
    const wanted = evaluationOf(thing);
    if (wanted === null) this.close();
    else this._open(wanted);
    return wanted !== null;
  }

  /** Compare is seen again. */
  close() {
    if (this._place.hidden) return;
    this._place.hidden = true;
    this._compare.hidden = false;
    this._show?.(null);
  }

  _open(wanted) {
    this._wanted = wanted;
    this._place.hidden = false;
    this._compare.hidden = true;
    if (this._show) this._show(wanted);
    else this._load();
  }

  async _load() {
    if (this._isLoading) return undefined;
    this._isLoading = true;
    this._place.setAttribute("aria-busy", "true");
    try {
      await lateFiles(EVALUATIONS);
    } catch {
      const press = () => this._load();
      return say(PLACE, { kind: "problem", code: "studio_away", acts: [{ words: words("frame.load_again"), press }] });
    } finally {
      this._isLoading = false;
      this._place.removeAttribute("aria-busy");
    }
    say(PLACE);
    const hear = (show) => {
      this._show = show;
      if (!this._place.hidden) show(this._wanted);
    };
    const mounted = { name: EVALUATIONS, element: this._place, lanes: this._lanes, leave: () => this._leave(), hear };
    return window.studioMounts.push(mounted);
  }

  _leave() {
    this.close();
    showsThing(ROOM, this._before);
    this._button.focus();
  }
}
