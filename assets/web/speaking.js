// One run: from the press of Speak over the request to the player, the timing card and the table. Speak is Stop while there is something
// to stop.

import { copyText, snippets } from "./clipboard.js";
import { onMount } from "./frame.js";
import { speech } from "./gradio_transport.js";
import { offerUndo, say } from "./notices.js";
import { speakOptions } from "./options.js";
import { player } from "./player.js";
import { runsTable } from "./runs.js";
import { dropPrompt, SpeechRefused } from "./speech_transport.js";
import { showTiming } from "./timing.js";

export let speaking;

const TOP_LEVEL = ["speed", "seed", "language", "max_new_tokens"]; // fields of the request itself; other options go as extra_params
const LOOK_MILLISECONDS = 1000; // between two looks at the queue, while nothing is heard
const isActive = () => ["waiting", "playing"].includes(player.state);
const complain = (fact, hint = "") => say("speak-message", { kind: "problem", fact, hint });

class Speaking {
  constructor({ element, trigger }) {
    this._trigger = trigger;
    const part = (name) => element.querySelector(`#${name}`);
    [this._speak, this._cold, this._compare, this._stage] = ["speak-button", "cold-button", "compare-button", "speak-stage"].map(part);
    this._speak.addEventListener("click", (event) => (isActive() ? player.stop() : this._press(event, ["warm"])));
    this._cold.addEventListener("click", (event) => this._press(event, ["cold"]));
    this._compare.addEventListener("click", (event) => this._press(event, ["cold", "warm"]));
    this._copies = ["curl", "python"].map((kind) => {
      part(`copy-${kind}`).addEventListener("click", () => this._begin("copy", { kind }));
      return part(`copy-${kind}`);
    });
    // Whoever touches the section will speak soon: a running AudioContext saves the first run its start, some 50 ms.
    const section = element.closest("#speak-section") ?? element;
    for (const touch of ["pointerdown", "keydown"]) section.addEventListener(touch, () => isActive() || this._unlock());
    player.addEventListener("change", () => this._show());
    player.addEventListener("received", () => player.session.facts && this._trigger("ran"));
    document.addEventListener("studio-choice", () => this._show());
    this._show();
  }

  // Inside the click: unlock the sound, then let Gradio hand over its fields. plan: "cold" and "warm" runs, one after the other.
  _press(event, plan) {
    if (isActive()) return;
    say("speak-message");
    this._unlock();
    showTiming([]); // of the last run; this one may be refused
    player.wait("Speech");
    this._say("Asking the studio");
    this._begin("speak", { at: event.timeStamp, plan });
  }

  // With the fields at hand, which spares some 10 ms; else Gradio collects them and calls start().
  _begin(purpose, details) {
    this._pressed = { purpose, ...details };
    const fields = fieldsAtHand();
    if (fields) this.start(fields);
    else this._trigger("speak");
  }

  _unlock() {
    player.unlock(speakOptions?.choice.sample_rate);
  }

  start(fields) {
    const { purpose, kind, at, plan } = this._pressed;
    if (purpose === "copy") return this._copy(kind, fields);
    return this._speakPlanned(fields, at, plan);
  }

  async _speakPlanned(fields, at, plan) {
    if (player.state !== "waiting") return; // stopped before Gradio had the fields together
    const problem = missing(fields);
    if (problem) {
      complain(...problem);
      runsTable.addRefused(fields.voice, speakOptions.choice.title);
      return player.fail();
    }
    speakOptions.drawSeed();
    const runs = [];
    for (const start of plan) {
      const run = await this._run(fields, start, runs.length ? performance.now() : at, runs);
      if (!run || run.session.stopped) return;
      runs.push(run);
    }
  }

  // One request until it was heard; null where nothing began. before: the runs it is shown beside.
  async _run({ voice, engine, language, text }, start, pressedAt, before) {
    const run = { voice, engine: speakOptions.choice.title ?? engine };
    const controller = new AbortController();
    const hangUp = () => controller.abort();
    const label = `${run.voice}, ${run.engine}`;
    const explain = (error) => {
      if (controller.signal.aborted || error === run.told) return;
      run.told = error;
      this._explain(error);
    };
    player.wait(label, hangUp);
    this._say(stageOf(speakOptions.choice, start));
    const looking = setInterval(() => this._showQueue(engine), LOOK_MILLISECONDS);
    try {
      if (start === "cold") await dropPrompt(voice, engine, controller.signal);
      const startedAt = start === "cold" ? performance.now() : pressedAt; // dropping the prompt is no part of what is measured
      const sentAt = performance.now();
      const stream = await speech(requestOf({ voice, engine, language, text }), controller.signal);
      if (controller.signal.aborted) return null;
      const openedAt = performance.now();
      const heard = player.play(stream, { label, startedAt, cancel: hangUp, onBreak: explain });
      Object.assign(run, { facts: stream.facts, session: player.session, sentAt, openedAt, start: kindOf(stream.facts) });
      runsTable.add(run);
      showTiming([...before, run]);
      await heard;
      if (!run.session.stopped) sayEnding(stream.ending() ?? {});
      return run;
    } catch (error) {
      if (!run.session) runsTable.addRefused(run.voice, run.engine);
      explain(error);
      return null;
    } finally {
      clearInterval(looking);
    }
  }

  // Who else the engine is busy with, as long as there is no sound. A look that fails says nothing: the run itself will.
  async _showQueue(engine) {
    if (player.state !== "waiting") return;
    const { data = [] } = await fetch(new URL("v1/models", document.baseURI))
      .then((answer) => answer.json())
      .catch(() => ({}));
    const { waiting = 0, streaming = 0 } = data.find(({ id }) => id === engine) ?? {};
    const others = waiting + streaming - 1; // one of them is this run
    if (player.state !== "waiting" || others < 1) return;
    this._say(`Waiting: the engine has ${others === 1 ? "one other" : `${others} others`} to serve. You can keep editing.`);
  }

  _copy(kind, fields) {
    const problem = missing(fields);
    if (problem) return complain(...problem);
    return copyAndSay(kind === "curl" ? "The curl command" : "The Python code", snippets()[kind](requestOf(fields)));
  }

  _explain(error) {
    player.fail();
    this._trigger("ran"); // the voice or the engine may be gone: show what there is
    const refused = error instanceof SpeechRefused;
    const { samples, seconds } = player.session ?? {};
    if (!samples) {
      return refused ? complain(error.message, error.hint) : complain("The stream broke before there was any sound.", "Speak once more.");
    }
    const why = refused ? `${error.message} ` : "";
    return complain(
      `The stream broke after ${seconds.toFixed(1)} s of audio.`,
      `${why}What arrived can be played again and downloaded; then speak once more.`,
    );
  }

  _say(words) {
    this._stage.textContent = words;
  }

  _show() {
    const active = isActive();
    this._speak.textContent = active ? "Stop" : "Speak";
    this._speak.dataset.active = String(active);
    if (player.state === "playing") this._say("Playing");
    else if (!active) this._say("");
    const isKnown = Boolean(speakOptions?.choice.engine); // until the first list has come there is nothing to choose
    this._speak.disabled = !active && !isKnown;
    for (const button of this._copies) button.disabled = !isKnown;
    const { voice_is_stored: stored = false, voice_is_own: own = false } = speakOptions?.choice ?? {};
    for (const button of [this._cold, this._compare]) button.disabled = active || !own;
    const not = stored ? "Only for voices of your own; this one is everybody's." : "Only for stored voices.";
    this._cold.title = own ? "Drops the voice's cached prompt first, so that this run extracts it again." : not;
    this._compare.title = own ? "One run with the cached prompt dropped, then one that finds it; side by side." : not;
  }
}

// What there is to know of a speech that did not simply end.
function sayEnding({ reason = "", warning = "" }) {
  if (warning) say("speak-message", { fact: warning, code: reason });
}

// What the fields hold, where the lists show what the page knows to be chosen; null while a choice is under way.
function fieldsAtHand() {
  const { voice, engine, shown } = speakOptions?.choice ?? {};
  const text = document.querySelector("#text textarea");
  const agrees = ["voice", "engine"].every((name) => document.querySelector(`#${name} input`)?.value === shown?.[name]);
  return text && agrees ? { voice, engine, text: text.value, language: speakOptions.language.value } : null;
}

function missing({ voice, text }) {
  const { gone_words: gone } = speakOptions.choice;
  if (!voice && gone) return [gone];
  if (!voice) return ["No voice is chosen.", "Create one, or choose a built-in voice."];
  if (!text?.trim()) return ["There is nothing to say: the text is empty.", "Type a sentence."];
  return null;
}

// What the studio will be busy with until there is sound, as far as it is known before.
function stageOf({ title, state, voice_is_stored: isStored, place }, start) {
  if (state !== "ready") return `Loading ${title}`;
  if (isStored && (start === "cold" || !place)) return "Learning the voice";
  if (isStored && place === "disk") return "Reading what was learned";
  return "Waiting for the first sound";
}

const kindOf = ({ cache, stages }) => (cache === "hit" && !stages.has("load") ? "warm" : "cold");

function requestOf({ voice, engine, language, text }) {
  const request = { input: text, voice, model: engine };
  if (language) request.language = language;
  const extra = {};
  for (const [name, value] of Object.entries(speakOptions.read())) (TOP_LEVEL.includes(name) ? request : extra)[name] = value;
  if (Object.keys(extra).length) request.extra_params = extra;
  return request;
}

// Copies, and says so where the person looks.
export const copyAndSay = async (what, text) => {
  try {
    await copyText(text);
    say("speak-message", { kind: "done", fact: `${what} is copied.` });
  } catch (error) {
    complain(error.message, "Choose the text on the tab API and copy it by hand.");
  }
};

// What was deleted in the Speak tab: its value is the deletion.
onMount("speak-undo", ({ props, trigger, watch }) => {
  watch("value", () => props.value?.undo && offerUndo(props.value, (undo) => trigger("undo", { undo })));
});
onMount("speaking", (tools) => {
  speaking = new Speaking(tools);
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || isActive()) return;
  event.preventDefault();
  document.querySelector("#speak-button")?.click();
});
