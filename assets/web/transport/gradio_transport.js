// The Gradio transport: one event of Gradio's queue becomes { sampleRate, chunks, ending, facts }, the same as the fetch transport gives.
// For hosts where only Gradio's events reach the engine.

import { onMount } from "../kit/frame.js";
import { GradioQueue } from "./gradio_queue.js";
import { beginSession, keepsCookie, pageSession } from "./page_session.js";
import { Arriving, openSpeech, SpeechRefused, samplesOf } from "./speech_transport.js";

const whole = document.querySelector("#first-screen")?.dataset?.transport; // before the component says so, too
export let transport = whole && (new URLSearchParams(location.search).get("transport") ?? whole);
export let queued;
let relaySpeech, greet, tellOpen;
const opened = new Promise((resolve) => {
  tellOpen = resolve;
}); // the relay is there, and the page's session known

function factsOf({ cache, stages, kept = "" }) {
  const map = new Map(Object.entries(stages));
  return { cache, requestId: "", kept, ttfpMilliseconds: map.get("first_audio")?.milliseconds ?? null, stages: map };
}

// One run as both sides see it: messages come in, chunks go out.
export class RelayedSpeech {
  constructor(run) {
    this.run = run;
    this._next = 0; // number of the block that comes next
    this._arriving = new Arriving();
    this.opened = new Promise((resolve, reject) => {
      this._open = resolve;
      this._refuse = reject;
    });
    this.opened.catch(() => {}); // whoever waits for it hears of it
  }

  take({ number, samples, sampleRate, facts, over = false, end = null, refusal = null }) {
    if (refusal) return this.fail(new SpeechRefused(refusal.code, refusal.values, refusal));
    if (samples !== undefined && number !== this._next) {
      return this.fail(new SpeechRefused("sound_incomplete"));
    }
    if (samples !== undefined) {
      this._next += 1;
      this._arriving.add(samplesOf(samples));
    }
    if (over) this._arriving.end(null, end);
    const ending = () => this._arriving.ending;
    if (sampleRate) this._open({ sampleRate, chunks: this._arriving.chunks(), ending, facts: factsOf(facts) });
  }

  // Changes nothing where it is over.
  fail(error) {
    this._refuse(error);
    this._arriving.end(error);
  }
}

// Not crypto.randomUUID, which insecure origins lack.
const newRun = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(16)).join("-");

// The numbers by which Gradio's queue knows the events of our component.
function eventsOf({ components, dependencies }) {
  const relay = components.find(({ props }) => props?.elem_id === "relay");
  const numberOf = (name) => dependencies.find(({ targets }) => targets.some(([id, event]) => id === relay.id && event === name)).id;
  return { ask: numberOf("ask"), learn: numberOf("learn"), greet: numberOf("greet") };
}

onMount("relay", ({ props, watch, trigger }) => {
  const { root, api_prefix: prefix = "" } = window.gradio_config;
  const events = eventsOf(window.gradio_config);

  // A test may ask for the other transport in the address; else the studio knows where it runs.
  transport = new URLSearchParams(location.search).get("transport") ?? props.value?.transport ?? "fetch";

  // The page's session in Gradio, known once it is loaded. Ours is named after it, so that the server ends ours with the page's.
  const page = new Promise((resolve) => {
    const told = () => {
      if (!props.value?.page) return;
      beginSession(props.value.page);
      resolve(pageSession);
    };
    watch("value", told);
    told();
  });
  page.then(tellOpen);
  const queue = page.then((name) => new GradioQueue(`${root}${prefix}`, `${name}.relay`));
  // Gradio takes some 10 ms to make a session; better now than when somebody waits for a sound.
  greet = () => {
    queue.then((open) => open.ask(events.greet, null, () => {})).catch(() => {});
    greet = () => {};
  };
  if (transport === "gradio") greet();

  // The answer of one that is no stream of sound. Learning a voice may want a GPU too, which the Hub lends to whom its frame signs for.
  const answerOf = async (event, details) => {
    let answer = null;
    await (await queue).ask(event, details, (text) => {
      answer = JSON.parse(text);
    });
    return answer;
  };
  if (transport === "gradio") {
    queued = {
      extract_voice: (asked) => answerOf(events.learn, asked),
      keep_design: (design) => answerOf(events.learn, { design }),
      say_part: (part) => answerOf(events.learn, { part }),
      say_script: (script) => answerOf(events.learn, { script }),
    };
  }

  relaySpeech = async (request, signal, clip, isKept) => {
    const speech = new RelayedSpeech(newRun());
    const hangUp = () => {
      trigger("hang_up", { run: speech.run });
      speech.fail(new DOMException("hung up", "AbortError"));
    };
    signal?.addEventListener("abort", hangUp, { once: true });
    const open = await queue;
    if (!signal?.aborted) {
      const details = { run: speech.run, request, keep: isKept, ...(clip && { clip }) };
      const asked = open.ask(events.ask, details, (text) => speech.take(JSON.parse(text)));
      asked.then(
        () => speech.fail(new SpeechRefused("stream_ended")),
        (error) => speech.fail(error),
      );
    }
    return speech.opened;
  };
});

/** Makes the session in the queue, where there is none, before somebody waits for it. */
export const openRelay = () => greet?.();

// The one way to speak: request as in speech_transport.js; resolves to { sampleRate, chunks, facts }. clip: { draft, start, end } of a recording
// that is said again, null where a text is spoken. Drafts are known to the page's events alone, so a recording goes by the queue everywhere.
// isKept: it goes into the history.
// Where it is not by a plain request, or the browser may keep no cookie, it waits for Gradio.
export const speech = async (request, signal, clip = null, { isKept = true } = {}) => {
  if (whole && (clip || transport === "gradio" || !keepsCookie)) await opened;
  const isPlain = !clip && transport !== "gradio";
  signal?.throwIfAborted();
  return isPlain ? openSpeech(request, signal, isKept) : relaySpeech(request, signal, clip, isKept);
};
