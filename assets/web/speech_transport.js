// The fetch transport: one POST /v1/audio/speech becomes { sampleRate, chunks, facts }, which is all the player wants of any transport.
(() => {
  const studio = (window.studio ??= {});

  // Where a request went wrong: `message` is the fact, `hint` the next step.
  class SpeechRefused extends Error {
    constructor(fact, hint = "") {
      super(fact);
      this.hint = hint;
    }
  }

  // Relative to the page, so that it works below a proxy's path.
  const addressOf = (path) => new URL(path, document.baseURI);

  async function refusalOf(response) {
    if (response.status === 401) return new SpeechRefused("You are signed out.", "Reload the page and sign in again.");
    const body = await response.json().catch(() => null);
    const error = body?.error;
    return new SpeechRefused(error?.message ?? `The server answered ${response.status}.`, error?.hint ?? "");
  }

  async function ask(path, init) {
    let response;
    try {
      response = await fetch(addressOf(path), init);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new SpeechRefused("The studio does not answer.", "Check that it is still running, then try again.");
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

  // Bytes in pieces of any length -> Int16Arrays. A sample that was cut in two waits for its second byte.
  async function* samplesOf(reader) {
    let odd = null;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const joined = odd === null ? value : Uint8Array.of(odd, ...value);
      const whole = joined.length & ~1;
      odd = joined.length > whole ? joined[whole] : null;
      if (whole) yield new Int16Array(joined.slice(0, whole).buffer);
    }
  }

  // request: the JSON body without the fields of the stream. signal: aborting it hangs up, which stops the engine.
  studio.openSpeech = async (request, signal) => {
    const response = await ask("v1/audio/speech", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Studio-Keep": "1" }, // into the page's history
      body: JSON.stringify({ ...request, stream: true, stream_format: "audio", response_format: "pcm" }),
      signal,
    });
    const stages = readServerTiming(response.headers.get("Server-Timing"));
    return {
      sampleRate: Number(response.headers.get("X-Sample-Rate")),
      chunks: samplesOf(response.body.getReader()),
      facts: {
        cache: response.headers.get("X-Speaker-Cache") ?? "",
        requestId: response.headers.get("X-Request-Id") ?? "",
        ttfpMilliseconds: stages.get("first_audio")?.milliseconds ?? null,
        stages,
      },
    };
  };

  // Makes the next request cold: drops the voice's prompt for one engine.
  studio.dropPrompt = (voice, engine, signal) =>
    ask(`v1/audio/voices/${encodeURIComponent(voice)}/cache?model=${encodeURIComponent(engine)}`, { method: "DELETE", signal });

  studio.askServer = ask;
  studio.SpeechRefused = SpeechRefused;
})();
