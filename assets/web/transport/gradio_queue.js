// Gradio's queue without Gradio's page: an event goes in by one request, and what it yields comes back over an event stream. Gradio's own
// client asks for that stream once the queue has answered, and takes every message through all components; a first sound cannot wait for it.

import { doubtConnection } from "./connection.js";
import { eventsOf, SpeechRefused } from "./speech_transport.js";

const HUB = "https://huggingface.co";
const BUSY = 503;

// Where ZeroGPU serves the visitor, the Hub's frame around the page signs each event; Gradio's client asks it in the same way.
export function visitorHeaders(page = window, host = page.location.hostname) {
  if (page.parent === page || !page.supports_zerogpu_headers || !host.endsWith(".hf.space")) return {};
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => {
      port1.close();
      resolve(data ?? {});
    };
    page.parent.postMessage("zerogpu-headers", HUB, [port2]);
  });
}

// Of an event that yields text: the first output is the text, each later one says how it differs from the one before.
const textOf = (output) => (typeof output === "string" ? output : output[0]?.[2]);

async function refusalOf(response) {
  if (response.status === 401) return new SpeechRefused("signed_out");
  if (response.status === BUSY) return new SpeechRefused("queue_full");
  return new SpeechRefused("answer_unexpected", { status: String(response.status) });
}

// Before there was sound, and in the midst of it.
const lost = () => new SpeechRefused("studio_away");
const broken = () => new SpeechRefused("connection_lost");

export class GradioQueue {
  // root: address of Gradio's routes. session: a name of our own, since a session's messages go to whoever reads first.
  constructor(root, session) {
    this._root = root;
    this._session = session;
    this._events = new Map(); // by Gradio's id: { take, resolve, reject }
    this._early = new Map(); // by id: messages that overtook the answer to their event
    this._joining = 0;
    this._isKnown = false; // to the server, which has a stream for sessions it knows
    this._isReading = false;
  }

  // Puts an event in. take: gets each text that it yields. Resolves at its end; rejects with what kept it from it.
  async ask(number, details, take) {
    this._joining += 1;
    const headers = await visitorHeaders();
    const joined = this._join(number, details, headers).finally(() => {
      this._joining -= 1;
    });
    if (this._isKnown) this._read(); // meanwhile, which saves the way there and back; second, since the engine waits for the first
    const id = await joined;
    this._isKnown = true;
    const over = new Promise((resolve, reject) => this._events.set(id, { take, resolve, reject }));
    for (const message of this._early.get(id) ?? []) this._deliver(message);
    this._early.delete(id);
    if (this._events.size) this._read();
    return over;
  }

  async _join(number, details, more) {
    const body = { data: [], event_data: details, fn_index: number, session_hash: this._session };
    const headers = { "Content-Type": "application/json", "x-gradio-user": "app", ...more };
    const response = await this._fetch(`queue/join${location.search}`, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()).event_id;
  }

  async _read() {
    if (this._isReading) return;
    this._isReading = true;
    let failure = null;
    try {
      const response = await this._fetch(`queue/data?session_hash=${encodeURIComponent(this._session)}`);
      for await (const message of eventsOf(response.body)) {
        if (message.msg === "unexpected_error") failure = lost();
        else if (message.event_id) this._deliver(message);
      }
    } catch (error) {
      failure = error instanceof SpeechRefused ? error : broken();
      doubtConnection();
    }
    this._isReading = false;
    if (failure) this._giveUp(failure);
    else if (this._events.size) this._read(); // an event came in while the server closed the stream
  }

  // The server may have forgotten the session; whoever is still joining opens the stream again.
  _giveUp(failure) {
    this._isKnown = false;
    for (const { reject } of this._events.values()) reject(failure);
    this._events.clear();
  }

  _deliver(message) {
    const event = this._events.get(message.event_id);
    if (!event) return this._keep(message);
    const { msg, output, success } = message;
    if (msg === "process_generating" && success) {
      const text = textOf(output.data[0]);
      if (text !== undefined) event.take(text);
    } else if (msg === "process_completed") {
      this._events.delete(message.event_id);
      if (success) event.resolve();
      else event.reject(new SpeechRefused("defect"));
    }
    return undefined;
  }

  _keep(message) {
    if (!this._joining) return this._early.clear(); // nobody will ask for them
    return this._early.set(message.event_id, [...(this._early.get(message.event_id) ?? []), message]);
  }

  async _fetch(path, init) {
    let response;
    try {
      response = await fetch(`${this._root}/${path}`, init);
    } catch {
      doubtConnection();
      throw lost();
    }
    if (!response.ok) throw await refusalOf(response);
    return response;
  }
}
