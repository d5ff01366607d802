// The fetch transport: one POST /v1/audio/speech becomes { sampleRate, chunks, facts }, which is all the player wants of any transport, and
// ending(), which tells why it ended once the chunks are through.
// As server-sent events and not as bare samples: a bare stream can tell a failure only by breaking off, and then a browser throws away
// whatever the page has not read yet.

import { errorWords } from "../words/words.js";
import { doubtConnection } from "./connection.js";
import { pageSession } from "./page_session.js";
import { voterHeaders } from "./voter.js";

// Where a request went wrong. code, values: of the sentences, in assets/words/; otherwise: {fact, hint} where there are none.
// `message` is the fact, `hint` the next step.
export class SpeechRefused extends Error {
  constructor(code, values = {}, otherwise = {}) {
    const { fact, hint } = errorWords({ code, values, ...otherwise });
    super(fact);
    this.code = code;
    this.values = values;
    this.fact = fact;
    this.hint = hint;
  }
}

// Relative to the page, so that it works below a proxy's path.
const addressOf = (path) => new URL(path, document.baseURI);

// error: as the API tells it, or the page's own routes, whose `code` is the reason and not the status.
const refused = ({ code, reason_code = code, values, message: fact, hint }) => new SpeechRefused(reason_code, values, { fact, hint });

async function refusalOf(response) {
  if (response.status === 401) return new SpeechRefused("signed_out");
  const error = (await response.json().catch(() => null))?.error;
  if (!error?.reason_code && typeof error?.code !== "string")
    return new SpeechRefused("answer_unexpected", { status: String(response.status) });
  return refused(error);
}

export async function askServer(path, init) {
  let response;
  try {
    // Where a browser keeps no cookie, the page's own session says whose voices these are.
    const whose = { ...voterHeaders(path, init?.method), ...(pageSession && { "X-Studio-Page": pageSession }) };
    response = await fetch(addressOf(path), { ...init, headers: { ...init?.headers, ...whose } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    doubtConnection();
    throw new SpeechRefused("studio_away");
  }
  if (!response.ok) throw await refusalOf(response);
  return response;
}

// "prompt;dur=1.5;desc=\"hit\", queue;dur=0.1" -> Map of name to { milliseconds, description }
function readServerTiming(header) {
  const stages = new Map();
  for (const entry of (header ?? "").split(",")) {
    const [name, ...parameters] = entry.split(";").map((part) => part.trim());
    if (!name) continue;
    const found = Object.fromEntries(parameters.map((part) => part.split("=").map((side) => side.replace(/^"|"$/g, ""))));
    stages.set(name, { milliseconds: Number(found.dur), description: found.desc ?? "" });
  }
  return stages;
}

// Bytes of server-sent events, cut anywhere -> the objects in their data.
export async function* eventsOf(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (text + decoder.decode(value, { stream: true })).split("\n\n");
    text = blocks.pop();
    for (const block of blocks) {
      const data = block.split("\n").find((line) => line.startsWith("data: "));
      if (data) yield JSON.parse(data.slice(6)); // a block without data is a sign of life
    }
  }
}

const CODE_POINT_OF_BYTE = (letter) => letter.charCodeAt(0);

// base64 of int16 samples
export function samplesOf(encoded) {
  const bytes = Uint8Array.from(atob(encoded), CODE_POINT_OF_BYTE);
  return new Int16Array(bytes.buffer);
}

// Samples on their way: put in as they come, taken out as they are wanted. What came before a failure is taken out before it.
export class Arriving {
  constructor() {
    this._ready = []; // Int16Arrays
    this._over = false;
    this._failure = null;
    this.ending = null; // { reason, warning, values, left_out, directions, misread }, where it came to its end
    /** @type {(woken?: void) => void} */
    this._wake = () => {};
  }

  add(samples) {
    this._ready.push(samples);
    this._wake();
  }

  // What comes after the end, or after a failure, changes nothing.
  end(failure = null, ending = null) {
    if (!this._over) {
      this._failure = failure;
      this.ending = ending;
    }
    this._over = true;
    this._wake();
  }

  async *chunks() {
    for (;;) {
      while (this._ready.length) yield this._ready.shift();
      if (this._failure) throw this._failure;
      if (this._over) return;
      await new Promise((resolve) => {
        this._wake = resolve;
      });
    }
  }
}

const HEADER = 0; // the first delta of a WAV is its header

function endingOf({ end: reason, warning, end_values: values, left_out, directions, misread }) {
  return { reason, warning, values, left_out, directions, misread };
}

async function receive(body, arriving) {
  try {
    for await (const { type, audio, index, error, ...done } of eventsOf(body)) {
      if (type === "speech.audio.delta") index !== HEADER && arriving.add(samplesOf(audio));
      else if (type === "speech.audio.done") arriving.end(null, endingOf(done));
      else if (type === "speech.audio.error") arriving.end(refused(error));
    }
    arriving.end(new SpeechRefused("stream_ended"));
  } catch (error) {
    if (error.name !== "AbortError") doubtConnection();
    arriving.end(error.name === "AbortError" ? error : new SpeechRefused("connection_lost"));
  }
}

// A WAV and not pcm, which comes at 24 kHz whoever speaks: what is heard here has the engine's own rate.
// request: the JSON body without the fields of the stream. signal: aborting it hangs up, which stops the engine. isKept: it goes into the
// page's history.
export const openSpeech = async (request, signal, isKept = true) => {
  const response = await askServer("v1/audio/speech", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(isKept && { "X-Studio-Keep": "1" }) },
    body: JSON.stringify({ ...request, stream: true, stream_format: "sse", response_format: "wav" }),
    signal,
  });
  const stages = readServerTiming(response.headers.get("Server-Timing"));
  const arriving = new Arriving();
  receive(response.body, arriving);
  return {
    sampleRate: Number(response.headers.get("X-Sample-Rate")),
    chunks: arriving.chunks(),
    ending: () => arriving.ending,
    facts: {
      cache: response.headers.get("X-Speaker-Cache") ?? "",
      requestId: response.headers.get("X-Request-Id") ?? "",
      kept: response.headers.get("X-Studio-Kept") ?? "", // the id of its entry in the history
      ttfpMilliseconds: stages.get("first_audio")?.milliseconds ?? null,
      stages,
    },
  };
};

// Makes the next request cold: drops the voice's prompt for one engine.
export const dropPrompt = (voice, engine, signal) =>
  askServer(`v1/audio/voices/${encodeURIComponent(voice)}/cache?model=${encodeURIComponent(engine)}`, { method: "DELETE", signal });
