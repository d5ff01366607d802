// The Gradio transport: one event of Gradio's queue becomes { sampleRate, chunks, facts }, the same as the fetch transport gives.
// For hosts where only Gradio's events reach the engine. Each message repeats the last blocks, numbered, so that a missed one is no gap.
(() => {
  const studio = (window.studio ??= {});

  const CODE_POINT_OF_BYTE = (letter) => letter.charCodeAt(0);

  function samplesOf(encoded) {
    const bytes = Uint8Array.from(atob(encoded), CODE_POINT_OF_BYTE);
    return new Int16Array(bytes.buffer);
  }

  function factsOf({ cache, stages }) {
    const map = new Map(Object.entries(stages));
    return { cache, requestId: "", ttfpMilliseconds: map.get("first_audio")?.milliseconds ?? null, stages: map };
  }

  // One run as both sides see it: messages come in, chunks go out.
  class RelayedSpeech {
    constructor(run) {
      this.run = run;
      this._next = 0; // number of the block that comes next
      this._ready = []; // Int16Arrays
      this._over = false;
      this._failure = null;
      this._wake = () => {};
      this.opened = new Promise((resolve, reject) => Object.assign(this, { _open: resolve, _refuse: reject }));
    }

    take({ sampleRate, facts, blocks = [], over = false, refusal = null }) {
      if (this._over) return;
      if (refusal) return this.fail(new studio.SpeechRefused(refusal.fact, refusal.hint));
      for (const [number, encoded] of blocks) {
        if (number < this._next) continue;
        if (number > this._next) return this.fail(new studio.SpeechRefused("Part of the sound was lost on its way.", "Speak once more."));
        this._next += 1;
        this._ready.push(samplesOf(encoded));
      }
      this._over = over;
      if (sampleRate) this._open({ sampleRate, chunks: this._chunks(), facts: factsOf(facts) });
      this._wake();
    }

    fail(error) {
      this._over = true;
      this._failure = error;
      this._refuse(error); // nothing where it has opened
      this._wake();
    }

    async *_chunks() {
      for (;;) {
        while (this._ready.length) yield this._ready.shift();
        if (this._failure) throw this._failure;
        if (this._over) return;
        await new Promise((resolve) => (this._wake = resolve));
      }
    }
  }

  // Not crypto.randomUUID, which insecure origins lack.
  const newRun = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(16)).join("-");

  studio.onMount("relay", ({ props, watch, trigger }) => {
    const speeches = new Map();

    // A test may ask for the other transport in the address; else the studio knows where it runs.
    studio.transport = new URLSearchParams(location.search).get("transport") ?? props.value?.transport ?? "fetch";

    watch("value", () => speeches.get(props.value?.run)?.take(props.value));

    studio.relaySpeech = async (request, signal) => {
      const speech = new RelayedSpeech(newRun());
      const hangUp = () => {
        trigger("hang_up", { run: speech.run });
        speech.fail(new DOMException("hung up", "AbortError"));
      };
      signal?.addEventListener("abort", hangUp, { once: true });
      speeches.clear(); // one player, one speech
      speeches.set(speech.run, speech);
      trigger("ask", { run: speech.run, request });
      return speech.opened;
    };
  });

  studio.RelayedSpeech = RelayedSpeech;

  // The one way to speak: request as in speech_transport.js; resolves to { sampleRate, chunks, facts }.
  studio.speech = (request, signal) => (studio.transport === "gradio" ? studio.relaySpeech(request, signal) : studio.openSpeech(request, signal));
})();
