// Whether the studio answers. Gradio gives a page up at the first request of its own that fails, and loads it again, which throws away what was
// heard. So what Gradio asks by itself waits here until the studio is back, and what somebody pressed meanwhile is refused in words.

import { endStrip, strip } from "../kit/notices.js";
import { words } from "../words/words.js";

const LOOK_MILLISECONDS = 1000; // between two looks whether the studio is back
const ASKED_BY_ITSELF = ["bring", "load", "hang_up"]; // events that nobody pressed, or that harm nobody later
const GONE_BEHIND_A_PROXY = [502, 503, 504];
/** @type {HTMLScriptElement} */
const { src: SCRIPT } = document.querySelector('script[src*="studio/web/"]'); // named by the content of all scripts
const ENDED_BY_A_RELOAD = ["changed", "locked"];
const fetchNow = window.fetch.bind(window);
let absence = null; // a promise, while the studio does not answer: resolved once it does

async function look() {
  const answer = await fetchNow(SCRIPT, { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (!answer || GONE_BEHIND_A_PROXY.includes(answer.status)) return "away";
  if (answer.ok) return "here";
  return answer.status === 401 ? "locked" : "changed";
}

// state: here, away, refused (something pressed was not done), changed (another version), locked (signed out).
function say(state) {
  const line = document.querySelector("#connection");
  if (!line || line.dataset.state === state || (state === "away" && line.dataset.state === "refused")) return;
  line.dataset.state = state;
  document.dispatchEvent(new CustomEvent("studio-connection", { detail: state }));
  if (state === "here") return endStrip("connection");
  const reload = { words: words("notices.reload"), press: () => location.reload() };
  const act = ENDED_BY_A_RELOAD.includes(state) ? reload : null;
  const [text, hint] = [words(`notices.${state}`), words(`notices.${state}_hint`)];
  strip({ kind: "care", text, hint, act, seconds: Number.POSITIVE_INFINITY, key: "connection", isState: true });
}

async function untilHere() {
  let state = await look();
  while (state === "away") {
    say(state);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
    state = await look();
  }
  say(state);
  if (state !== "here") await new Promise(() => {}); // only a reload helps
  document.dispatchEvent(new Event("studio-back"));
}

// Something did not arrive: look whether the studio is there, and say so at once if it is not. Resolves once it is.
export function doubtConnection() {
  absence ??= untilHere().finally(() => {
    absence = null;
  });
  return absence;
}

// Gradio's own event in a request, or null. Those of our own queue (gradio_queue.js) look after themselves.
function eventOf(address, body) {
  if (typeof body !== "string" || !/\/(run\/predict|queue\/join)(\?|$)/.test(address.url ?? address)) return null;
  const { fn_index: number, session_hash: session = "" } = JSON.parse(body);
  if (session.endsWith(".relay")) return null;
  const { targets = [] } = window.gradio_config.dependencies.find(({ id }) => id === number) ?? {};
  return { isByItself: targets.length > 0 && targets.every(([, name]) => ASKED_BY_ITSELF.includes(name)) };
}

window.fetch = async (address, init) => {
  const event = eventOf(address, init?.body);
  if (!event) return fetchNow(address, init);
  for (;;) {
    try {
      const answer = await fetchNow(address, init);
      if (!GONE_BEHIND_A_PROXY.includes(answer.status)) return answer;
    } catch (error) {
      if (error.name === "AbortError") throw error;
    }
    const back = doubtConnection();
    if (!event.isByItself) {
      say("refused");
      return new Response(JSON.stringify({ error: words("notices.away") }), {
        status: 500,
        headers: { "Content-Type": "application/json" },
      });
    }
    await back;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS)); // no faster, where it answers and yet serves no event
  }
};
