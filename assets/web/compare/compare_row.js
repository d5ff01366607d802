// A lane as a row: its letter, who speaks, the wave to the scale of the longest, the time to its first sound, its menu.

import { icon } from "../drawings/icons.js";
import { Spectrogram } from "../drawings/spectrogram.js";
import { printOf } from "../drawings/voiceprint.js";
import { Waveform } from "../drawings/waveform.js";
import { gettingButtons } from "../engines/engine_get.js";
import { make } from "../kit/frame.js";
import { farOf } from "../sound/stages.js";
import { milliseconds, words } from "../words/words.js";

export const LANES_PLACE = "compare-message"; // of what goes wrong
export const LETTERS = "ABCDEF";
const PRINT_PIXELS = 32;
const WAVE_POWER = 0.5; // as in the player
const LEAST_SECONDS = 3; // what the whole width stands for while sound arrives

export class LaneRow {
  // acts: {hear(lane), menu(lane, button), press(lane, event, box)}, box being what stands for all of its length.
  constructor(lane, acts) {
    this.lane = lane;
    this._letter = make("button", { type: "button", className: "letter" });
    this._letter.addEventListener("click", () => acts.hear(lane));
    this._print = make("span", { className: "lane-print" });
    this._voice = make("span", { className: "strong cut", dir: "auto" });
    this._engine = make("span", { className: "note cut" });
    const who = make("div", { className: "lane-who" }, this._print, make("div", {}, this._voice, this._engine));
    this._wave = make("canvas", { className: "wave" });
    this._picture = make("canvas", { className: "lane-picture" });
    this._sound = make("div", { className: "lane-sound" }, this._wave, this._picture, make("i", { className: "lane-part" }));
    this._said = make("p", { className: "lane-said note" });
    this._time = make("span", { className: "lane-time note num" });
    this._more = make("button", { type: "button", className: "button square quiet small" }, icon("more"));
    this._more.setAttribute("aria-haspopup", "menu");
    this._more.setAttribute("aria-expanded", "false");
    this._more.addEventListener("click", () => acts.menu(lane, this._more));
    this._sound.addEventListener("pointerdown", (event) => acts.press(lane, event, this._sound.getBoundingClientRect()));
    this._get = make("div", { className: "lane-get", hidden: true });
    const field = make("div", { className: "lane-wave" }, this._sound, this._said, this._get);
    this.element = make("li", { className: "lane" }, this._letter, who, field, this._time, this._more);
    this.waveform = new Waveform(this._wave, { power: WAVE_POWER });
    this.spectrogram = new Spectrogram(this._picture, 0);
    this.waveform.expectedSeconds = 0;
  }

  take(samples) {
    if (this.lane.samples === samples.length) this.clear();
    this.waveform.add(samples);
    this.spectrogram.add(samples);
  }

  clear() {
    for (const picture of [this.waveform, this.spectrogram]) picture.clear(this.lane.sampleRate);
    this.waveform.expectedSeconds = 0;
  }

  /** at: its place. longest: seconds of the longest lane. isBlind: nothing on the page tells who it is. isComing: nor how far it is, while lanes
   *  are spoken blind. */
  show(at, { isCurrent, isSounding, longest, isBlind, isComing }) {
    const { lane } = this;
    const letter = LETTERS[at];
    const name = isBlind ? words("compare.blind_name") : lane.name;
    const state = isComing ? "waiting" : lane.state;
    this.element.dataset.lane = letter;
    this.element.dataset.state = state;
    if (isCurrent) this.element.setAttribute("aria-current", "true");
    else this.element.removeAttribute("aria-current");
    this._letter.textContent = letter;
    this._letter.disabled = !lane.isHeard || isComing;
    this._letter.setAttribute("aria-pressed", String(isSounding));
    this._letter.setAttribute("aria-label", words("compare.hear", { letter, name }));
    this._voice.textContent = isBlind ? name : lane.voiceWords;
    this._engine.textContent = this._engine.title = isBlind ? "" : lane.engineWords;
    this._showPrint(isBlind ? "" : lane.print);
    this._showTime(isBlind);
    const more = words("compare.more", { letter, name });
    this._more.disabled = isBlind;
    this._more.title = more;
    this._more.setAttribute("aria-label", more);
    const said = isBlind && state === "failed" ? words("compare.blind_failed") : saidOf({ ...told(lane), state });
    if (this._said.textContent !== said) this._said.textContent = said;
    this._said.hidden = !said;
    this._showGet(isBlind ? { failure: null, engine: "" } : lane);
    this._sound.hidden = !lane.samples || isComing;
    this._sound.style.width = `${(100 * lane.seconds) / Math.max(longest, lane.isHeard ? 0 : LEAST_SECONDS)}%`;
  }

  // The button where the engine lacks its weights. It stays while the failure does.
  _showGet({ failure, engine }) {
    if (this._failure === failure) return;
    this._failure = failure;
    this._get.replaceChildren(...(failure ? gettingButtons(failure, engine, LANES_PLACE) : []));
    this._get.hidden = !this._get.childElementCount;
  }

  /** Whether there is more to draw. */
  draw() {
    this.waveform.playedSeconds = this.waveform.seconds; // all of it in the lane's colour
    this.waveform.draw();
    this.spectrogram.draw();
    return this.spectrogram.isSeen && this.spectrogram.behind;
  }

  _showPrint(digest) {
    if (this._print.dataset.print === digest) return;
    this._print.dataset.print = digest;
    this._print.replaceChildren(...(digest ? [printOf(digest, PRINT_PIXELS)] : []));
  }

  _showTime(isBlind) {
    const { firstSoundMilliseconds: sound, facts, start } = this.lane;
    if (isBlind || sound === null) {
      this._time.title = "";
      return this._time.replaceChildren();
    }
    const [ttfp, far] = [facts.ttfpMilliseconds, farOf(facts)];
    const said = [ttfp !== null && words("compare.in_the_engine", { about: milliseconds(ttfp) })];
    if (far !== null) said.push(words("compare.in_the_far_server", { about: milliseconds(far) }));
    this._time.title = said.filter(Boolean).join(words("figures.comma"));
    this._time.replaceChildren(
      make("b", { textContent: milliseconds(sound) }),
      make("span", { textContent: words(`compare.${start}`) }),
      make("span", { className: "visually-hidden", textContent: words("compare.to_first_sound") }),
    );
    return undefined;
  }
}

const told = ({ samples, failure, ending }) => ({ samples, failure, ending });

// What stands in place of a wave.
function saidOf({ state, samples, failure, ending }) {
  if (state === "failed") return [failure.message, failure.hint].filter(Boolean).join(" ");
  if (state === "waiting" || (state === "asking" && !samples)) return words(`compare.${state}`);
  if (state === "empty") return words("compare.empty");
  return ending.warning ?? "";
}

/** "Keys 1 to 4 switch, Space pauses", keys as such. n: lanes. */
export function keysWords(n) {
  const parts = words("compare.keys", { first: "[1]", last: `[${n}]`, space: `[${words("compare.space")}]` }).split(/\[(.+?)\]/);
  return parts.map((part, at) => (at % 2 ? make("kbd", { textContent: part }) : part));
}
