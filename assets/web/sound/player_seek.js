// The player's slider: a press, a drag or a key chooses where it goes on. It shows where it is, and what has not arrived yet.
import { player } from "./player.js";
import { clock, positionOf } from "./player_words.js";

const STEP_SECONDS = 1;
const STEPS = { ArrowLeft: -STEP_SECONDS, ArrowDown: -STEP_SECONDS, ArrowRight: STEP_SECONDS, ArrowUp: STEP_SECONDS };

export class PlayerSeek {
  // shownSeconds(): what the whole width stands for. onDrag: asks for another picture.
  constructor(element, shownSeconds, onDrag) {
    this._element = element;
    this._head = element.querySelector(".playhead");
    this._flag = this._head.firstElementChild;
    this._shownSeconds = shownSeconds;
    this._onDrag = onDrag;
    this._dragged = null; // seconds
    this._wireMouse();
    new ResizeObserver(() => this.show()).observe(element);
    element.addEventListener("keydown", (event) => this._press(event));
  }

  // Where it is heard, or where the drag is.
  get seconds() {
    return this._dragged ?? player.heardSeconds;
  }

  show() {
    const { seconds } = this;
    const all = player.session?.seconds ?? 0;
    const share = seconds / this._shownSeconds();
    this._head.style.transform = `translateX(${share * this._element.clientWidth}px)`; // in every frame, and a transform needs no layout
    this._flag.style.transform = `translate(${-100 * share}%, -1px)`; // never beyond an edge
    const words = clock(seconds);
    if (this._flag.textContent !== words) this._flag.textContent = words;
    this._say(seconds, all);
  }

  // Once a second, or a screen reader on it would not come to an end; what is sought, at once.
  _say(seconds, all) {
    const at = `${Math.floor(seconds)} ${all}`;
    const isMoving = player.state === "playing" && this._dragged === null;
    if (isMoving && at === this._said) return;
    this._said = at;
    const values = { "aria-valuemax": all.toFixed(1), "aria-valuenow": seconds.toFixed(1), "aria-valuetext": positionOf(seconds, all) };
    for (const [name, value] of Object.entries(values)) {
      if (this._element.getAttribute(name) !== value) this._element.setAttribute(name, value);
    }
  }

  _wireMouse() {
    const element = this._element;
    element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !player.session?.samples) return;
      element.setPointerCapture(event.pointerId);
      this._drag(event);
    });
    element.addEventListener("pointermove", (event) => this._dragged !== null && this._drag(event));
    element.addEventListener("pointerup", () => this._drop(true));
    element.addEventListener("pointercancel", () => this._drop(false));
  }

  _drag({ clientX }) {
    const { left, width } = this._element.getBoundingClientRect();
    const wanted = ((clientX - left) / width) * this._shownSeconds();
    this._dragged = Math.max(0, Math.min(player.session.seconds, wanted));
    this._onDrag();
  }

  _drop(isMeant) {
    if (this._dragged === null) return;
    const seconds = this._dragged;
    this._dragged = null;
    if (isMeant) player.seek(seconds);
    else this._onDrag();
  }

  _press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !player.session?.samples) return;
    const to = { Home: 0, End: player.session.seconds }[event.key] ?? player.heardSeconds + STEPS[event.key];
    if (Number.isNaN(to)) return;
    event.preventDefault();
    player.seek(to);
  }
}
