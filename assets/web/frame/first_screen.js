// The first screen: Speak as it comes with the document (studio/ui/frame/first_screen.py). Its parts are at work before Gradio is there, call their
// functions by requests of their own, and move into Gradio's components as they are: with what was written, chosen and is heard.

import { choice } from "../choice/choice.js";
import { mountEarly } from "../kit/frame.js";
import { FIRST_ROOM } from "../navigation/address.js";
import { wishRoom } from "../navigation/navigation.js";
import { keepsCookie } from "../transport/page_session.js";

const PATIENCE_MILLISECONDS = 5000; // after the first of Gradio's components, for all others
const CHOICE_MILLISECONDS = 2000; // so long all else waits for what there is to choose from
const LOOK_MILLISECONDS = 200; // between two looks whether what is open over the page is closed
const OPEN = "dialog[open], :popover-open";
const LOOKS = "show_choice"; // answers all newcomers alike; any other function may keep something, or ask for what was kept
const screen = document.getElementById("first-screen");
// Until Gradio's client has one of its own. Another word for each page, since by it the studio tells visitors apart who keep no cookie.
const session = Array.from(crypto.getRandomValues(new Uint32Array(3)), (word) => word.toString(36)).join("");

async function call(component_id, fn_name, data) {
  const body = JSON.stringify({ data, component_id, fn_name, session_hash: session });
  const address = new URL("gradio_api/component_server/", document.baseURI);
  const answer = await fetch(address, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

// What a script gets of its component (frame.js), until Gradio's is there in its place.
class Part {
  constructor(element) {
    const { mount: name, component, functions } = element.dataset;
    this.element = element;
    this.mounted = null; // Gradio's
    this._watched = [];
    this._triggered = [];
    /** @type {Promise<void>} */
    this._come = new Promise((resolve) => {
      this._tellCome = resolve;
    });
    const functionOf = (called) => async (asked) => {
      if (!keepsCookie && called !== LOOKS) await this._come; // or the studio would keep it for somebody who is never seen again
      return this.mounted ? this.mounted.server[called](asked) : call(Number(component), called, asked);
    };
    this.tools = {
      name,
      element,
      props: this._props(),
      server: Object.fromEntries(JSON.parse(functions).map((called) => [called, functionOf(called)])),
      watch: (what, look) => this._watch(what, look),
      trigger: (...event) => (this._isJoined ? this.mounted.trigger(...event) : this._triggered.push(event)),
      /** @type {Promise<void>} */
      joined: new Promise((resolve) => {
        this._tellJoined = resolve;
      }),
    };
  }

  _props() {
    const part = this;
    return {
      get value() {
        return part._isJoined ? part.mounted.props.value : null;
      },
    };
  }

  _watch(what, look) {
    if (this._isJoined) this.mounted.watch(what, look);
    else this._watched.push([what, look]);
  }

  /** Gradio's is there. */
  come(mounted) {
    this.mounted = mounted;
    this._tellCome();
  }

  /** Its element moves; nothing is told yet. */
  move() {
    const { element } = this.mounted;
    element.replaceChildren();
    moveInto(element, this.element);
  }

  /** From now on it is Gradio's. */
  join() {
    this._isJoined = true;
    for (const [what, look] of this._watched) this.mounted.watch(what, look);
    if (this.mounted.props.value) for (const [, look] of this._watched) look();
    for (const event of this._triggered) this.mounted.trigger(...event);
    this._tellJoined();
  }
}

// Where a browser can, without taking focus, selection or scrolling away; else those are given back.
function moveInto(place, element) {
  if (place.moveBefore) return place.moveBefore(element, null);
  /** @type {{ activeElement: any }} */
  const { activeElement: focused } = document;
  const { selectionStart, selectionEnd, selectionDirection, scrollTop } = focused ?? {};
  place.append(element);
  if (!element.contains(focused) || focused === document.activeElement) return undefined;
  focused.focus({ preventScroll: true });
  if (selectionStart !== undefined && selectionStart !== null) focused.setSelectionRange(selectionStart, selectionEnd, selectionDirection);
  focused.scrollTop = scrollTop;
  return undefined;
}

// What scripts have added beside the parts, such as menus.
function moveAdded(from, to) {
  for (const added of [...from.children].slice(1)) moveInto(to, added);
}

class FirstScreen {
  constructor() {
    this._parts = [...screen.querySelectorAll("[data-mount]")].map((element) => new Part(element));
    this._isComposing = false;
    for (const [event, is] of Object.entries({ compositionstart: true, compositionend: false })) {
      screen.addEventListener(event, () => {
        this._isComposing = is;
      });
    }
    for (const part of this._parts) mountEarly(part.tools, (mounted) => this._take(part, mounted));
    screen.querySelector(".tab-list").addEventListener("click", ({ target }) => target.dataset.room && this._wish(target.dataset.room));
    if (location.hash.length > 1) this._show(location.hash.slice(1).split("/")[0]);
  }

  // A room that is not here yet is opened once it is.
  _wish(room) {
    wishRoom(room);
    this._show(room);
  }

  _show(room) {
    const tabs = [...screen.querySelectorAll("[data-room]")];
    if (!tabs.some((tab) => tab.dataset.room === room)) return;
    for (const tab of tabs) tab.setAttribute("aria-pressed", String(tab.dataset.room === room));
    screen.dataset.room = room;
  }

  _take(part, mounted) {
    part.come(mounted);
    if (this._parts.every((one) => one.mounted)) this._handOver();
    else this._timer ??= setTimeout(() => this._handOver(), PATIENCE_MILLISECONDS); // Gradio has others than it had
  }

  _handOver() {
    clearTimeout(this._timer);
    if (!screen.isConnected) return;
    if (this._isComposing || screen.querySelector(OPEN)) {
      this._timer = setTimeout(() => this._handOver(), LOOK_MILLISECONDS);
      return;
    }
    const here = this._parts.filter(({ mounted }) => mounted);
    const container = document.querySelector("gradio-app .gradio-container") ?? document.body;
    for (const part of here) part.move();
    moveAdded(screen.querySelector("main"), container.querySelector("main") ?? container);
    moveAdded(screen, container);
    screen.remove();
    for (const part of here) part.join();
  }
}

// All other scripts come and run once what there is to choose from is drawn.
function beginOthers() {
  const isElsewhere = (screen.dataset.room ?? FIRST_ROOM) !== FIRST_ROOM;
  const patience = new Promise((resolve) => setTimeout(resolve, isElsewhere ? 0 : CHOICE_MILLISECONDS));
  const usable = () => setTimeout(() => document.dispatchEvent(new Event("studio-usable")));
  Promise.race([choice.settled, patience]).then(() => requestAnimationFrame(usable));
}

if (screen) {
  new FirstScreen();
  beginOthers();
}
