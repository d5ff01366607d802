// The buttons of Compare: which can be pressed, and what they say.

import { icon } from "../drawings/icons.js";
import { words } from "../words/words.js";
import { keysWords } from "./compare_row.js";

const ICON_PIXELS = 18;

/** find(id): an element of the section. n: lanes; nReady: that can be heard. canAdd: whether there may be one more. */
export function showButtons(find, { n, nReady, isPlaying, isSpeaking, isTiming, isBlind, canAdd }) {
  const said = words(isSpeaking ? "compare.stop" : "compare.speak_all");
  const [face, word] = [".face", ".word"].map((part) => find("speak").querySelector(part));
  if (word.textContent !== said || !face.firstChild) {
    word.textContent = said;
    face.replaceChildren(icon(isSpeaking ? "stop" : "play", ICON_PIXELS));
  }
  showPlay(find("play"), isPlaying);
  const isDisabled = {
    speak: !n,
    link: !n,
    test: isBlind || !n,
    save: isBlind || isSpeaking || !nReady,
    "time-again": isSpeaking || isTiming || !nReady,
    play: !nReady,
    add: !canAdd,
  };
  for (const [id, is] of Object.entries(isDisabled)) find(id).disabled = is;
  find("keys").replaceChildren(...keysWords(n));
}

function showPlay(play, isPlaying) {
  play.classList.toggle("strong", isPlaying);
  const label = words(isPlaying ? "compare.pause" : "compare.play");
  if (play.title === label && play.firstElementChild.childElementCount) return;
  play.title = label;
  play.setAttribute("aria-label", label);
  play.replaceChildren(icon(isPlaying ? "pause" : "play"));
}
