// The player in the dock: one line, or whole. It shows the player and decides nothing.

import { icon } from "../drawings/icons.js";
import { Spectrogram } from "../drawings/spectrogram.js";
import { printOf } from "../drawings/voiceprint.js";
import { Waveform } from "../drawings/waveform.js";
import { make, onMount } from "../kit/frame.js";
import { mountStrip } from "../kit/notices.js";
import { words } from "../words/words.js";
import { openDownloads } from "./download.js";
import { Karaoke } from "./karaoke.js";
import { player } from "./player.js";
import { PlayerSeek } from "./player_seek.js";
import { clock, detailsOf, figuresOf, lineOf, nameOf, statusOf } from "./player_words.js";

export { milliseconds } from "../words/words.js";
export let spectrogram;

const BACK_SECONDS = 2;
const SPEEDS = [0.75, 1, 1.25, 1.5, 2];
const PRINT_PIXELS = 32;
const WAVE_POWER = 0.5; // of a peak: the square root is near to how loud it seems
const CHARACTERS_PER_SECOND = 16; // of speech, until it is known how long it is
const KEPT = "studio-player"; // in the browser: { isUnfolded, view, isWorded }
const SOUNDING = ["waiting", "playing"];
const FOLDED_MILLISECONDS = 50; // between two pictures of one line, in which a bar and a tenth of a second last longer than a frame
const TAKES_SPACE = "input, textarea, select, button, a, summary, dialog, [contenteditable], [role=menuitem], [role=option], [role=tab]";

// Runs a function in the next frame, once however often it is asked for; at once where nobody waits for a sound.
const asked = new Set();
export const later = (draw) => {
  if (!SOUNDING.includes(player.state)) {
    asked.delete(draw);
    return draw();
  }
  if (asked.has(draw)) return undefined;
  asked.add(draw);
  return requestAnimationFrame(() => asked.delete(draw) && draw());
};

class PlayerView {
  constructor(element) {
    const part = (name) => element.querySelector(`#player-${name}`);
    this._section = element.querySelector(".player");
    this._line = element.querySelector(".player-line"); // of phones: how far it is
    this._print = element.querySelector(".player-print");
    this._play = part("play");
    this._unfold = part("unfold");
    this._time = part("time");
    this._status = part("status");
    this._name = part("name");
    this._about = part("about");
    this._figures = part("figures");
    this._speed = part("speed");
    this._volume = part("volume");
    this._download = part("download");
    this._back = part("back");
    this._stop = part("stop");
    this._views = part("view");
    this.waveform = new Waveform(part("wave"), { power: WAVE_POWER });
    this.picture = new Spectrogram(part("spectrogram"));
    this._seek = new PlayerSeek(
      part("seek"),
      () => this.waveform.shownSeconds,
      () => this._draw(),
    );
    this._frame = null; // one at a time: each change of state asks for one
    this._pause = null; // a timer until that is asked for
    this._isRecording = false;
    this._kept = readKept();
    this._showLater = () => this._showSession();
    this._wirePlayer();
    this._wireTools();
    this._wireKeys();
    this._fold();
    this._show();
    const keep = (isWorded) => this._keep({ isWorded });
    new Karaoke(element, { isWanted: this._kept.isWorded, keep }); // after this view, so that it sees whether the player is shown
  }

  _wirePlayer() {
    const drawings = [this.waveform, this.picture];
    player.addEventListener("start", () => {
      const { sampleRate, about } = player.session;
      for (const drawing of drawings) drawing.clear(sampleRate);
      const expected = about?.recording?.seconds ?? (about?.text?.length ?? 0) / CHARACTERS_PER_SECOND;
      this.waveform.expectedSeconds = Math.max(this.waveform.expectedSeconds, expected);
    });
    player.addEventListener(
      "chunk",
      /** @param {CustomEvent<Int16Array>} event */
      ({ detail }) => {
        for (const drawing of drawings) drawing.add(detail);
      },
    );
    player.addEventListener("received", () => {
      this.waveform.expectedSeconds = 0; // it is as long as it is
      this._show();
    });
    player.addEventListener("change", () => this._show());
    document.addEventListener("studio-recording", ({ detail }) => {
      this._isRecording = detail;
      this._show();
    });
    new MutationObserver(() => this._draw()).observe(document.body, { attributes: true, attributeFilter: ["class"] }); // dark or light
  }

  _wireTools() {
    this._speed.append(...SPEEDS.map((n) => make("option", { value: n, textContent: words("player.times", { n }) })));
    this._play.addEventListener("click", () => (player.state === "playing" ? player.pause() : player.resume()));
    this._back.addEventListener("click", () => player.seek(player.heardSeconds - BACK_SECONDS));
    this._stop.addEventListener("click", () => player.stop());
    this._speed.addEventListener("change", () => {
      player.speed = Number(this._speed.value);
    });
    this._download.addEventListener("click", () => openDownloads(this._download));
    this._unfold.addEventListener("click", () => this._keep({ isUnfolded: !this._kept.isUnfolded }));
    this._views.addEventListener(
      "click",
      ({ target }) => target.closest("button") && this._keep({ view: target.closest("button").dataset.view }),
    );
    this._volume.addEventListener("input", () => {
      player.volume = this._volume.valueAsNumber / 100;
      this._volume.style.setProperty("--at", `${this._volume.value}%`);
    });
    this._volume.style.setProperty("--at", "100%");
  }

  // After whoever else takes the key for itself.
  _wireKeys() {
    window.addEventListener("keydown", (event) => {
      if (event.key === "Escape") player.stop();
      const isFree = !event.defaultPrevented && !event.repeat && !event.target.closest?.(TAKES_SPACE);
      if (event.key !== " " || !isFree || !["playing", "paused"].includes(player.state)) return;
      event.preventDefault();
      this._play.click();
    });
  }

  _keep(changed) {
    Object.assign(this._kept, changed);
    try {
      localStorage.setItem(KEPT, JSON.stringify(this._kept));
    } catch {
      // a browser that keeps nothing
    }
    this._fold();
  }

  _fold() {
    const { isUnfolded, view } = this._kept;
    this._section.dataset.unfolded = String(isUnfolded);
    this._section.dataset.view = view;
    this._play.classList.toggle("small", !isUnfolded);
    for (const button of this._views.children) button.setAttribute("aria-pressed", String(button.dataset.view === view));
    label(this._unfold, isUnfolded ? "down" : "up", words(isUnfolded ? "player.fold" : "player.unfold"));
    this._unfold.setAttribute("aria-expanded", String(isUnfolded));
    this._draw();
  }

  _show() {
    const { state, session } = player;
    const said = statusOf(state, session ?? {});
    if (this._status.textContent !== said) this._status.textContent = said; // the same words again would be spoken again
    const wasSeen = !this._section.hidden;
    this._section.dataset.blind = Boolean(session?.about?.isBlind); // a wave would tell which it is
    this._section.hidden = this._isRecording || !(session?.samples || (wasSeen && state === "waiting"));
    this._section.dataset.state = state;
    if (session) later(this._showLater);
  }

  _showSession() {
    const { state, session } = player;
    const isPlaying = state === "playing";
    label(this._play, isPlaying ? "pause" : "play", words(isPlaying ? "player.pause" : "player.play"));
    this._play.classList.toggle("strong", isPlaying);
    for (const button of [this._play, this._download, this._back]) button.disabled = !session.samples;
    this._stop.disabled = !["waiting", "playing", "paused"].includes(state);
    this._speed.value = String(session.speed);
    this._showPrint(session.about?.print ?? "");
    const lines = [nameOf(session), lineOf(session), figuresOf(session)];
    [this._name, this._about, this._figures].forEach((line, index) => {
      if (line.textContent !== lines[index]) line.textContent = lines[index];
    });
    this._figures.title = detailsOf(session);
    this._draw();
  }

  _showPrint(digest) {
    if (this._print.dataset.digest === digest) return;
    this._print.dataset.digest = digest;
    this._print.replaceChildren(...(digest ? [printOf(digest, PRINT_PIXELS)] : []));
  }

  // While somebody waits for the first sound, whatever can be drawn later is.
  _draw() {
    if (this._frame !== null) cancelAnimationFrame(this._frame);
    clearTimeout(this._pause);
    this._frame = null;
    if (SOUNDING.includes(player.state)) this._frame = requestAnimationFrame(() => this._tick());
    else this._tick();
  }

  _tick() {
    this._frame = null;
    const { seconds } = this._seek;
    const all = player.session?.seconds ?? 0;
    const isSpectrum = this.picture.isSeen;
    const shown = isSpectrum ? this.picture : this.waveform;
    shown.playedSeconds = seconds;
    this.picture.shownSeconds = this.waveform.shownSeconds;
    shown.draw();
    this._seek.show();
    this._line.style.transform = `scaleX(${all ? seconds / all : 0})`;
    const isUnderWay = ["playing", "paused"].includes(player.state);
    const time = isUnderWay ? `${clock(seconds)} / ${clock(all)}` : clock(all);
    if (this._time.textContent !== time) this._time.textContent = time; // it changes six times less often than the picture
    if (isSpectrum && this.picture.behind) this._frame = requestAnimationFrame(() => this._tick());
    else if (player.state === "playing") this._goOn();
  }

  // Whole, it has a playhead, which moves in every frame.
  _goOn() {
    if (this._kept.isUnfolded) this._frame = requestAnimationFrame(() => this._tick());
    else this._pause = setTimeout(() => this._draw(), FOLDED_MILLISECONDS);
  }
}

function label(button, sign, said) {
  if (button.title === said) return;
  button.title = said;
  button.setAttribute("aria-label", said);
  button.replaceChildren(icon(sign));
}

function readKept() {
  const usual = { isUnfolded: false, view: "wave", isWorded: false };
  try {
    return { ...usual, ...JSON.parse(localStorage.getItem(KEPT)) };
  } catch {
    return usual;
  }
}

onMount("player", ({ element }) => {
  mountStrip(element.querySelector("#strip"));
  spectrogram = new PlayerView(element).picture;
});
