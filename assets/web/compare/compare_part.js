// Repeat a part: two sliders, or a drag along a wave, say which part of the length is heard again and again.

import { shareAt } from "./compare_figures.js";

const LEAST_PERCENT = 2; // of the length

export class RepeatedPart {
  // find(id): an element of the section. onChange(part): {from, to} as shares of the length, null while all of it is heard.
  constructor(find, onChange) {
    this._on = find("repeat");
    this._box = find("part");
    this._lanes = find("lanes");
    this._onChange = onChange;
    this._edges = { from: find("from"), to: find("to") };
    this._on.addEventListener("change", () => this._changed());
    for (const edge of Object.values(this._edges)) edge.addEventListener("input", () => this._slide(edge));
    this._show();
  }

  get isOn() {
    return this._on.checked;
  }

  set isDisabled(isDisabled) {
    this._on.disabled = isDisabled;
  }

  /** A press on a wave, held: the part is from there to where it is let go. box: of what stands for all of the length. */
  drag(event, box) {
    const { currentTarget: wave } = event;
    const from = shareAt(event.clientX, box);
    const move = ({ clientX }) => this._set(from, shareAt(clientX, box));
    const end = () => {
      wave.removeEventListener("pointermove", move);
      for (const name of ["pointerup", "pointercancel"]) wave.removeEventListener(name, end);
      this._changed();
    };
    wave.setPointerCapture(event.pointerId);
    wave.addEventListener("pointermove", move);
    for (const name of ["pointerup", "pointercancel"]) wave.addEventListener(name, end);
  }

  _set(one, other) {
    const [from, to] = [one, other].sort((first, second) => first - second).map((share) => Math.round(100 * share));
    this._edges.from.value = String(Math.min(from, 100 - LEAST_PERCENT));
    this._edges.to.value = String(Math.max(to, from + LEAST_PERCENT));
    this._show();
  }

  // An edge stops before the other.
  _slide(edge) {
    const { from, to } = this._edges;
    if (from.valueAsNumber > to.valueAsNumber - LEAST_PERCENT)
      edge.value = String(edge === from ? to.valueAsNumber - LEAST_PERCENT : from.valueAsNumber + LEAST_PERCENT);
    this._changed();
  }

  _changed() {
    this._show();
    const [from, to] = [this._edges.from, this._edges.to].map(({ valueAsNumber }) => valueAsNumber / 100);
    this._onChange(this.isOn ? { from, to } : null);
  }

  _show() {
    this._box.hidden = !this.isOn;
    this._lanes.dataset.part = String(this.isOn);
    for (const [name, edge] of Object.entries(this._edges)) {
      edge.style.setProperty("--at", `${edge.value}%`);
      this._lanes.style.setProperty(`--${name}`, `${edge.value}%`);
    }
  }
}
