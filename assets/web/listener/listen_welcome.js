// What comes before the first trial: consent, volume, headphones, and where somebody is. Each is a screen and resolves with what was said.

import { make } from "../kit/frame.js";
import { SwitchedSounds } from "../sound/switched_sounds.js";
import { words } from "../words/words.js";
import { ownCode, withdrawLink } from "./listen_endings.js";
import { button, careNotice, picks, showScreen, stepCard, told, verbs } from "./listen_parts.js";
import { murmur, shuffled, triplet } from "./listen_tones.js";

const N_TRIPLETS = 3; // all of them right by chance: 1 in 27
const KINDS = ["plain", "quiet", "opposite"];
const PLACES = { quiet: "quiet", "some noise": "some_noise", noisy: "noisy" };
const DEVICES = ["headphones", "earphones", "loudspeakers"];

function bufferOf(context, channels) {
  const buffer = context.createBuffer(channels.length, channels[0].length, context.sampleRate);
  for (const [index, samples] of channels.entries()) buffer.copyToChannel(samples, index);
  return buffer;
}

/** test: the invitation. isRecruited: a service's numbers come along, and are kept. isPreview: nobody can begin. withdraw(): somebody who
 *  was here wants their answers back. Resolves once somebody agrees. */
export function askConsent(test, { isRecruited, isPreview, withdraw }) {
  return new Promise((resolve) => {
    const facts = words("listen.about", { n: test.n_trials, minutes: Math.max(1, Math.round(test.minutes)) });
    const sentences = [test.consent || words("listen.consent"), ...(isRecruited ? [words("listen.recruited")] : [])];
    const agree = button(words("listen.agree"), resolve, { look: "primary big" });
    const end = isPreview ? careNotice(words("listen.only_preview")) : verbs(agree);
    const card = stepCard(...sentences.flatMap((sentence) => sentence.split(/\n+/)).map(told), end);
    showScreen(words("listen.welcome"), isPreview ? [told(facts), card] : [told(facts), card, withdrawLink(withdraw)]);
  });
}

/** Shown before the first sound, so that it is kept. Resolves when somebody goes on. */
export function showOwnCode(code) {
  return new Promise((resolve) => {
    const goOn = button(words("listen.go_on"), resolve, { look: "primary big" });
    showScreen(words("listen.own_code"), [stepCard(...ownCode(code), verbs(goOn))]);
  });
}

/** A murmur as loud as the test, over and over, until the volume is right. isBack: they have been here before.
 *  @returns {Promise<void>} */
export function setVolume(context, isBack) {
  const sounds = new SwitchedSounds(context);
  sounds.load("murmur", bufferOf(context, [murmur(context.sampleRate)]));
  sounds.repeat(0, 1);
  return new Promise((resolve) => {
    const play = button(words("listen.volume_play"), press, { look: "big", sign: "volume" });
    const next = button(words("listen.volume_done"), done, { look: "primary big" });
    sounds.onchange = () => {
      play.setAttribute("aria-pressed", String(sounds.playing !== null));
      play.lastChild.textContent = words(sounds.playing === null ? "listen.volume_play" : "listen.volume_stop");
    };
    function press() {
      next.disabled = false;
      if (sounds.playing === null) sounds.switchTo("murmur");
      else sounds.pause();
    }
    function done() {
      sounds.stop();
      resolve();
    }
    next.disabled = true;
    const title = words(isBack ? "listen.back" : "listen.volume");
    const lines = [words(isBack ? "listen.back_told" : "listen.volume_told"), words("listen.volume_once")];
    showScreen(title, [stepCard(...lines.map(told), verbs(play, next))]);
  });
}

/** Which of three tones is the quietest, three times: "passed" or "failed", which stops nobody. */
export async function checkHeadphones(context) {
  for (;;) {
    let n = 0;
    let nRight = 0;
    while (n < N_TRIPLETS) {
      n += 1;
      if (await askTriplet(context, n)) nRight += 1;
    }
    if (nRight === N_TRIPLETS) return "passed";
    if (!(await wantsAgain())) return "failed";
  }
}

function askTriplet(context, n) {
  const kinds = shuffled(KINDS);
  const sounds = new SwitchedSounds(context);
  sounds.load("tones", bufferOf(context, triplet(context.sampleRate, kinds)));
  return new Promise((resolve) => {
    const play = button(words("listen.tones_play"), press, { look: "big", sign: "headphones" });
    const choices = kinds.map((kind, index) => button(words("listen.tone", { n: index + 1 }), () => choose(kind), { look: "big" }));
    const allow = (isAllowed) => {
      for (const choice of choices) choice.disabled = !isAllowed;
    };
    let wasHeard = false;
    sounds.onchange = () => {
      const isPlaying = sounds.playing !== null;
      play.setAttribute("aria-pressed", String(isPlaying));
      wasHeard ||= !isPlaying;
      allow(wasHeard && !isPlaying);
    };
    function press() {
      if (sounds.playing === null) sounds.play("tones");
    }
    function choose(kind) {
      sounds.onchange = () => {};
      sounds.stop();
      resolve(kind === "quiet");
    }
    allow(false);
    const parts = [told(words("listen.tones_told")), verbs(play), make("div", { className: "verbs" }, ...choices)];
    showScreen(words("listen.tones", { n, of: N_TRIPLETS }), [stepCard(...parts)]);
  });
}

function wantsAgain() {
  return new Promise((resolve) => {
    const again = button(words("listen.tones_again"), () => resolve(true), { look: "big" });
    const goOn = button(words("listen.go_on"), () => resolve(false), { look: "primary big" });
    showScreen(words("listen.tones_failed"), [stepCard(told(words("listen.tones_hint")), verbs(again, goOn))]);
  });
}

/** {device, place}: with what somebody listens, and where. */
export function askDevice() {
  return new Promise((resolve) => {
    const said = { device: "", place: "" };
    const next = button(words("listen.begin"), () => resolve(said), { look: "primary big" });
    const pick = (name) => (value) => {
      said[name] = value;
      next.disabled = !(said.device && said.place);
    };
    next.disabled = true;
    const devices = picks(
      words("listen.device"),
      "device",
      DEVICES.map((device) => [device, words(`listen.${device}`)]),
      pick("device"),
    );
    const places = picks(
      words("listen.place"),
      "place",
      Object.entries(PLACES).map(([place, word]) => [place, words(`listen.${word}`)]),
      pick("place"),
    );
    showScreen(words("listen.device_title"), [stepCard(devices, places, verbs(next))]);
  });
}
