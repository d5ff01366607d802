// Karaoke: the words of what plays, in the player and where the page shows that text, with the one lit that is heard; a press on a word plays
// from there. It shows and asks, and decides nothing of the sound. Lighting moves nothing on the page, and no screen reader is told of it.

import { make } from "../kit/frame.js";
import { askServer } from "../transport/speech_transport.js";
import { errorWords, words } from "../words/words.js";
import { player } from "./player.js";
import { cutText, SpokenText, wordAt, wordBeside, wordInText } from "./spoken_text.js";

const LIT = "spoken-word"; // of CSS.highlights: what is lit where the page shows the text
const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
const RIGHT_TO_LEFT = { ArrowLeft: 1, ArrowRight: -1 };
const EARLY_SECONDS = 0.02; // a word that is pressed is heard from its very beginning
const told = new WeakMap(); // session -> SpokenText
let kept = new Set(); // ids of takes that the History has

/** Where the API has the words of a take of the history. */
export const takeWordsPath = (take) => `v1/studio/takes/${take}/words`;

/** What a session says. Whoever plays something part by part adds the parts: `spokenBy(session).add(...)`, then `karaoke?.show()`. */
export function spokenBy(session) {
  if (!told.has(session)) told.set(session, new SpokenText());
  return told.get(session);
}

/** These are the takes that the History has now: of others no words are asked for. */
export function haveTakes(ids) {
  kept = new Set(ids);
  karaoke?.show();
}

/** {told, why} of the words at a path of the API: told null where their times are not known. */
export async function askWords(path) {
  try {
    const answer = await (await askServer(path)).json();
    return { told: answer.words ?? null, why: answer.words ? "" : wordsOf(answer.why) };
  } catch (error) {
    return { told: null, why: [error.message, error.hint].filter(Boolean).join(" ") };
  }
}

// What the studio says of words whose times are not known, by its reason code.
function wordsOf(why) {
  const { fact, hint } = errorWords({ code: why || "word_times_unknown", fact: " " });
  return [fact.trim(), hint].filter(Boolean).join(" ");
}

export let karaoke = null;

export class Karaoke {
  // element: of the player. isWanted: whether its panel was open before. keep(isWanted): remembers that.
  constructor(element, { isWanted, keep }) {
    karaoke = this;
    this._panel = element.querySelector("#player-text");
    this._text = this._panel.querySelector("p");
    this._button = element.querySelector("#player-words");
    this._section = element.querySelector(".player");
    this._isWanted = isWanted;
    this._frame = null;
    this._part = null; // that is shown
    this._bare = ""; // the text that is shown where nothing is known of it
    this._lit = null; // the part whose word is lit
    this._word = -1;
    this._asked = new WeakMap(); // session -> the path that was asked for it
    this._button.addEventListener("click", () => {
      this._isWanted = !this._isWanted;
      keep(this._isWanted);
      this.show();
    });
    this._text.addEventListener("click", ({ target }) => this._goTo(this._part, Number(target.dataset.word ?? -1)));
    this._panel.addEventListener("keydown", (event) => this._step(event));
    document.addEventListener("click", (event) => this._pressText(event));
    for (const event of ["start", "received", "change"]) player.addEventListener(event, () => this.show());
  }

  /** Something is otherwise: what plays, where, or what is known of its words. */
  show() {
    const { session } = player;
    const isSeen = this._isWanted && !this._section.hidden;
    this._panel.hidden = !isSeen;
    this._button.setAttribute("aria-pressed", String(this._isWanted));
    this._know(session);
    this._tick();
  }

  // Asks for the words once all of the sound is here, where anybody wants to see them.
  _know(session) {
    const { about, facts } = session ?? {};
    const key = String(session?.key ?? facts?.kept ?? "");
    const path = about?.wordsPath ?? (facts?.kept && about?.text ? takeWordsPath(facts.kept) : "");
    if (!path && about?.text && session.complete && !told.has(session))
      spokenBy(session).add({ key, text: about.text, why: words("player.karaoke_not_kept") });
    if (!path || !session.complete || session.stopped || session.failure || this._asked.get(session) === path) return;
    if (facts?.kept && !kept.has(facts.kept)) return;
    if (this._panel.hidden) return;
    this._asked.set(session, path);
    askWords(path).then((answer) => {
      spokenBy(session).add({ key, text: about.text, ...answer });
      this.show();
    });
  }

  // While it plays, once in a frame.
  _tick() {
    if (this._frame !== null) cancelAnimationFrame(this._frame);
    this._frame = null;
    const { session } = player;
    const seconds = player.heardSeconds;
    const spoken = session && told.get(session);
    const part = spoken?.partAt(seconds) ?? null;
    const word = part?.words && player.state !== "ended" ? wordAt(part.words, seconds - part.at) : -1;
    if (!this._panel.hidden) this._showPart(part, session);
    if (part !== this._lit || word !== this._word) this._light(part, word);
    const isAnyKnown = spoken?.parts.some(({ words: known }) => known);
    if (player.state === "playing" && isAnyKnown) this._frame = requestAnimationFrame(() => this._tick());
  }

  // The words of a part, in place of those before. Where their times are not known, that is said before the text.
  _showPart(part, session) {
    const shown = part ?? { text: session?.about?.text ?? "", words: null, why: "" };
    if (this._part === shown || (!part && this._bare === shown.text)) return;
    this._part = part;
    this._bare = part ? null : shown.text;
    const why =
      part && !part.words ? make("span", { className: "note", textContent: `${words("player.karaoke_unknown")} ${part.why} ` }) : "";
    const pieces = cutText(shown.text, shown.words ?? []).map(({ text, word }) => {
      if (word === null) return text;
      const span = make("span", { textContent: text });
      span.dataset.word = word;
      return span;
    });
    this._text.replaceChildren(why, ...pieces);
    this._panel.dataset.known = String(Boolean(part?.words));
    this._text.scrollTop = 0;
    this._lit = null;
  }

  _light(part, word) {
    this._lit = part;
    this._word = word;
    this._text.querySelector("[data-lit]")?.removeAttribute("data-lit");
    const span = word >= 0 && !this._panel.hidden ? this._text.querySelector(`[data-word="${word}"]`) : null;
    if (span) {
      span.dataset.lit = "";
      keepInSight(this._text, span);
    }
    this._lightText(part, part?.words?.[word]);
  }

  // Where the page shows the text, a highlight of the browser does it: the text stays what it is. Browsers without one light the player alone.
  _lightText(part, placed) {
    if (!window.CSS?.highlights) return;
    const text = placed && this._elementOf(part.key)?.firstChild;
    if (!text?.data?.startsWith(part.text)) return void CSS.highlights.delete(LIT); // a field's copy may end with more
    const range = new Range();
    range.setStart(text, placed.from);
    range.setEnd(text, placed.to);
    CSS.highlights.set(LIT, new Highlight(range));
  }

  _elementOf(key) {
    const found = key ? document.querySelectorAll(`[data-spoken="${CSS.escape(key)}"]`) : [];
    return [...found].find((element) => element.getClientRects().length) ?? null;
  }

  _goTo(part, word) {
    const placed = part?.words?.[word];
    if (!placed) return;
    const seconds = Math.max(0, part.at + placed.start - EARLY_SECONDS);
    player.seek(seconds);
    if (player.state !== "playing") player.resume();
  }

  _step(event) {
    const isTurned = getComputedStyle(this._text).direction === "rtl";
    const step = (isTurned && RIGHT_TO_LEFT[event.key]) || STEPS[event.key];
    if (!step || !this._part?.words?.length || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this._goTo(this._part, wordBeside(this._part.words, player.heardSeconds - this._part.at, step));
  }

  // A press on a word of the text on the page, while that is what is in the player. Who selects words presses none.
  _pressText({ target, clientX, clientY }) {
    const element = target.closest?.("[data-spoken]");
    const parts = (player.session && told.get(player.session)?.parts) ?? [];
    const part =
      element &&
      parts.find(({ key, text, words: known }) => known && key === element.dataset.spoken && element.textContent.startsWith(text));
    if (!part || !document.getSelection()?.isCollapsed) return;
    const place = placeAt(clientX, clientY);
    if (place?.node !== element.firstChild) return;
    this._goTo(part, wordInText(part.words, place.offset));
  }
}

function placeAt(x, y) {
  const found = document.caretPositionFromPoint?.(x, y);
  if (found) return { node: found.offsetNode, offset: found.offset };
  const range = document.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : null;
}

// Within its own box alone: the page does not move.
function keepInSight(box, span) {
  const [outer, inner] = [box.getBoundingClientRect(), span.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top;
}
