// One run: from the press of Speak over the request to the player, the result line and the list of runs. Speak is Stop while there is something
// to stop. Between the press and the request nothing is drawn that a frame would have to wait for, and nothing passes through Gradio.

import { choice } from "../choice/choice.js";
import { speakOptions } from "../choice/options.js";
import { noteVoice } from "../choice/voice_picker.js";
import { icon } from "../drawings/icons.js";
import { gettingActs } from "../engines/engine_get.js";
import { say } from "../kit/notices.js";
import { player } from "../sound/player.js";
import { kindOf } from "../sound/stages.js";
import { speech } from "../transport/gradio_transport.js";
import { requestOf } from "../transport/request.js";
import { dropPrompt, SpeechRefused } from "../transport/speech_transport.js";
import { errorWords, seconds, words } from "../words/words.js";
import { isLacking, sayLacking } from "./engine_notice.js";
import { isRefused, sayProblem } from "./refused.js";
import { showResult, showStage, showWaited } from "./result.js";
import { runs } from "./runs.js";
import { MoreMenu } from "./speak_more.js";

export let speaking;

const LINE = "speak-message";
const LOOK_MILLISECONDS = 1000; // between two looks at the queue, while nothing is heard
const LONG_WAIT_MILLISECONDS = 3000; // from which on it is told
const SECOND_PRESS_MILLISECONDS = 400; // so soon after Speak nobody means Stop
const ICON = 18;
const LOST = ["connection_lost", "stream_ended"]; // codes that say no more than that it broke
const isActive = () => ["waiting", "playing"].includes(player.state);
let n_runs = 0;

class Speaking {
  constructor(element, composer) {
    this._composer = composer;
    this._button = element.querySelector("#speak-button");
    this._word = this._button.querySelector(".word");
    this._face = this._button.querySelector(".face");
    this._face.append(icon("play", ICON));
    this.pressedAt = Number.NEGATIVE_INFINITY; // time stamp of the last press of Speak
    this._button.addEventListener("click", (event) => (isActive() ? this._stop(event) : this.begin(["warm"], event.timeStamp)));
    this.more = new MoreMenu(element.querySelector("#speak-more"), composer, this);
    // Whoever touches the section will speak soon: a running AudioContext saves the first run its start, some 50 ms.
    const section = element.closest("#speak-section, #first-screen .section") ?? element;
    for (const touch of ["pointerdown", "keydown"]) section.addEventListener(touch, () => isActive() || this._unlock());
    player.addEventListener("change", () => this._show());
    player.addEventListener("received", () => player.session.facts && choice.look()); // what was learned is known by now
    document.addEventListener("studio-choice", () => this._show());
    this._show();
  }

  /** As by a press of the button. */
  press() {
    if (!isActive()) this.begin(["warm"], performance.now());
  }

  /** Inside of the click: unlocks the sound, and asks. plan: "cold" and "warm" runs, one after the other. at: when it was pressed. */
  begin(plan, at) {
    if (isActive()) return;
    this.pressedAt = at;
    say(LINE);
    this._unlock();
    player.wait(words("speak.speech"));
    showStage(words("result.asking"));
    const { fields } = this._composer;
    if (fields) this._speakPlanned(fields, at, plan);
    else this._composer.settle().then((settled) => this._speakPlanned(settled, at, plan)); // choice or recording are under way
  }

  _stop({ timeStamp }) {
    if (timeStamp - this.pressedAt >= SECOND_PRESS_MILLISECONDS) player.stop();
  }

  _unlock() {
    player.unlock(choice.known.sample_rate);
  }

  async _speakPlanned(fields, at, plan) {
    if (player.state !== "waiting") return; // stopped before that was known
    if (isRefused(fields, this._composer.saying)) return this._refuse(fields);
    speakOptions.drawSeed();
    const before = [];
    for (const start of plan) {
      const run = await this._run(fields, start, before.length ? performance.now() : at, before);
      if (!run || run.session.stopped) return;
      before.push(run);
    }
  }

  _refuse({ voice, text }) {
    addRefused({ voice: voice ?? "", text });
    player.fail();
    showResult();
  }

  // One request until it was heard; null where nothing began. before: the runs it is shown beside.
  async _run(fields, start, pressedAt, before) {
    const { voice, engine, text, language, directions, recording } = fields;
    const run = {
      voice,
      engine,
      engineTitle: choice.known.title,
      text,
      language,
      directions,
      recording,
      options: speakOptions.read(),
      print: choice.voiceKnown.print,
      isStored: choice.voiceKnown.is_stored,
    };
    const controller = new AbortController();
    const hangUp = () => controller.abort();
    const label = `${voice}, ${run.engineTitle}`;
    let told = null;
    const explain = (error) => {
      if (controller.signal.aborted || error === told) return;
      told = error;
      this._explain(error, before);
    };
    player.wait(label, hangUp, { about: run });
    if (!before.length) showStage(stageOf(start));
    const waitsSince = performance.now();
    const looking = setInterval(() => this._lookOn(run, before.length ? null : start, waitsSince), LOOK_MILLISECONDS);
    try {
      if (start === "cold") await dropPrompt(voice, engine, controller.signal);
      const startedAt = start === "cold" ? performance.now() : pressedAt; // dropping the prompt is no part of what is measured
      const sentAt = performance.now();
      const open = (clip) => speech(requestOf(run), controller.signal, clip);
      const stream = await (recording ? this._composer.saying.opened(recording.clip, open) : open(null));
      if (controller.signal.aborted) return null;
      const openedAt = performance.now();
      const heard = player.play(stream, { label, startedAt, cancel: hangUp, onBreak: explain });
      n_runs += 1;
      Object.assign(run, {
        id: String(n_runs),
        facts: stream.facts,
        session: player.session,
        sentAt,
        openedAt,
        start: kindOf(stream.facts),
      });
      runs.add(run);
      showResult([...before, run]);
      await heard;
      noteVoice(voice);
      if (!run.session.stopped) sayEnding(stream.ending() ?? {});
      return run;
    } catch (error) {
      if (!run.session) addRefused(run);
      explain(error);
      return null;
    } finally {
      clearInterval(looking);
    }
  }

  // How long there has been no sound, where that is long, and who else the engine is busy with. A look that fails says nothing: the run
  // itself will. start: of the run, null of one that is shown beside the one before.
  async _lookOn({ voice, engine }, start, waitsSince) {
    if (player.state !== "waiting") return;
    const waited = performance.now() - waitsSince;
    if (start && waited >= LONG_WAIT_MILLISECONDS) showWaited(seconds(Math.round(waited / 1000)));
    const { data = [] } = await fetch(new URL("v1/models", document.baseURI))
      .then((answer) => answer.json())
      .catch(() => ({}));
    const { waiting = 0, streaming = 0 } = data.find(({ id }) => id === engine) ?? {};
    const others = waiting + streaming - 1; // one of them is this run
    if (player.state !== "waiting") return;
    const isChosen = choice.isSettled && choice.known.voice === voice && choice.known.engine === engine;
    if (others > 0) showStage(words("result.waiting", { n: others }));
    else if (start && isChosen) showStage(stageOf(start)); // an engine that was loading may be at work by now
  }

  _explain(error, before) {
    player.fail();
    showResult(before);
    choice.look(); // the voice or the engine may be gone
    const { samples, seconds: heard } = player.session ?? {};
    if (error.values?.option) speakOptions.refuse(error.values.option, `${error.message} ${error.hint}`.trim());
    if (samples) return this._sayBroken(error, seconds(heard));
    if (isLacking(choice.engineKnown)) return sayLacking(choice.engineKnown, choice.known.engines); // it became known meanwhile
    return error instanceof SpeechRefused
      ? sayProblem(error.message, error.hint, error, gettingActs(error, choice.engine, LINE))
      : sayProblem(words("speak.broke"), words("speak.broke_again"));
  }

  // After some of it was heard: what is lost, why where that says more, and that what came can be kept.
  _sayBroken({ code, message }, about) {
    const isLine = LOST.includes(code);
    const fact = words(isLine ? "speak.line_broke_after" : "speak.broke_after", { about });
    const hint = isLine ? words("speak.broke_hint") : `${message} ${words("speak.broke_hint")}`;
    say(LINE, {
      kind: "problem",
      fact,
      hint,
      code: isLine ? "" : code,
      acts: [{ words: words("speak.again"), press: () => this.press() }],
    });
  }

  _show() {
    const active = isActive();
    const word = words(active ? "speak.stop" : "speak.button");
    if (this._word.textContent !== word) {
      this._word.textContent = word;
      this._word.dataset.other = words(active ? "speak.button" : "speak.stop");
      this._face.replaceChildren(icon(active ? "stop" : "play", ICON));
    }
    this._button.dataset.active = String(active);
    this._button.querySelector("kbd").dataset.keys = active ? "Esc" : "Ctrl ↵";
    if (!active) showStage("");
    this._button.disabled = !active && !choice.known.engine; // until the first list has come there is nothing to choose
  }
}

// What there is to know of a speech that did not simply end, or was not heard as its text is written.
/** @param {{ reason?: string, warning?: string, values?: Record<string, any>, left_out?: string[], directions?: string[], misread?: string[] }} ending */
function sayEnding({ reason: code = "", warning = "", values = {}, ...told }) {
  const [first = warning, ...more] = toldWords(told);
  if (!values.sentence) return first ? say(LINE, { fact: first, hint: more.join(" "), code }) : undefined;
  const { fact, hint } = errorWords({ code, values, fact: warning });
  return say(LINE, { fact, hint: [hint, ...toldWords(told)].join(" "), code });
}

function toldWords({ left_out: marks = [], directions = [], misread: facts = [] }) {
  const said = [
    marks.length && words("speak.left_out", { marks }),
    directions.length && words("speak.followed", { marks: directions }),
    facts.length && words("speak.misread_after", { facts: facts.join(" ") }),
  ];
  return said.filter(Boolean);
}

function addRefused({ voice, text }) {
  n_runs += 1;
  const { engine, title: engineTitle } = choice.known;
  runs.add({ id: String(n_runs), voice, engine, engineTitle, text, language: choice.language, options: {}, print: "", start: "refused" });
}

// What the studio will be busy with until there is sound, as far as it is known before.
function stageOf(start) {
  const [engine, { name: voice, state, is_stored: isStored }] = [choice.engineKnown, choice.voiceKnown];
  if (engine.state !== "ready") return words("result.loading", { engine: engine.title });
  if (isStored && (start === "cold" || ["none", "learning", "stale", "failed"].includes(state))) return words("result.learning", { voice });
  if (isStored && state === "disk") return words("result.reading", { voice });
  return words("result.making");
}

export function mountSpeaking(element, composer) {
  speaking = new Speaking(element, composer);
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.repeat || isActive()) return;
  const button = document.querySelector("#speak-button");
  if (!button?.checkVisibility() || document.querySelector("dialog[open]")) return; // another tab is in sight
  event.preventDefault();
  button.click();
});
