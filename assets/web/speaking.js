// One run: from the press of Speak over the request to the player and the table. Speak is Stop while there is something to stop.
(() => {
  const studio = (window.studio ??= {});
  const { player } = studio;

  const TOP_LEVEL = ["speed", "seed", "language", "max_new_tokens"]; // fields of the request itself; other options go as extra_params
  const isActive = () => ["waiting", "playing"].includes(player.state);
  const complain = (fact, hint = "") => studio.say("speak-message", { kind: "problem", fact, hint });

  class Speaking {
    constructor({ element, trigger }) {
      this._trigger = trigger;
      this._speak = element.querySelector("#speak-button");
      this._cold = element.querySelector("#cold-button");
      this._speak.addEventListener("click", (event) => (isActive() ? player.stop() : this._press(event, false)));
      this._cold.addEventListener("click", (event) => this._press(event, true));
      // Whoever touches the section will speak soon: a running AudioContext saves the first run its start, some 50 ms.
      const section = element.closest("#speak-section") ?? element;
      for (const touch of ["pointerdown", "keydown"]) section.addEventListener(touch, () => isActive() || this._unlock());
      player.addEventListener("change", () => this._show());
      player.addEventListener("received", () => player.session.facts && this._trigger("ran"));
      document.addEventListener("studio-choice", () => this._show());
      this._show();
    }

    // Inside the click: unlock the sound, then let Gradio hand over its fields, which ends in start().
    _press(event, cold) {
      if (isActive()) return;
      studio.say("speak-message");
      this._pressed = { at: event.timeStamp, cold };
      this._unlock();
      player.wait("Speech");
      this._trigger("speak");
    }

    _unlock() {
      player.unlock(studio.options?.choice.sample_rate);
    }

    async start({ voice, engine, language, text }) {
      if (player.state !== "waiting") return; // stopped before Gradio had the fields together
      const { at, cold } = this._pressed;
      const problem = missing(voice, text);
      if (problem) {
        complain(...problem);
        return player.fail();
      }
      const run = { voice, engine: studio.options.choice.title ?? engine };
      const controller = new AbortController();
      const hangUp = () => controller.abort();
      const label = `${run.voice}, ${run.engine}`;
      player.wait(label, hangUp);
      try {
        if (cold) await studio.dropPrompt(voice, engine, controller.signal);
        const startedAt = cold ? performance.now() : at; // dropping the prompt is no part of what is measured
        const stream = await studio.openSpeech(requestOf({ voice, engine, language, text }), controller.signal);
        if (controller.signal.aborted) return;
        const heard = player.play(stream, { label, startedAt, cancel: hangUp });
        studio.runs.add({ ...run, facts: stream.facts, session: player.session });
        await heard;
      } catch (error) {
        if (!controller.signal.aborted) this._explain(error);
      }
    }

    _explain(error) {
      player.fail();
      this._trigger("ran"); // the voice or the engine may be gone: show what there is
      if (error instanceof studio.SpeechRefused) return complain(error.message, error.hint);
      const seconds = player.session?.seconds ?? 0;
      complain(`The stream broke after ${seconds.toFixed(1)} s of audio.`, "What arrived can be played again and downloaded.");
    }

    _show() {
      const active = isActive();
      this._speak.textContent = active ? "Stop" : "Speak";
      this._speak.dataset.active = String(active);
      const stored = Boolean(studio.options?.choice.voice_is_stored);
      this._cold.disabled = active || !stored;
      this._cold.title = stored ? "Drops the voice's cached prompt first, so that this run extracts it again." : "Only for stored voices.";
    }
  }

  function missing(voice, text) {
    if (!voice) return ["No voice is chosen.", "Create one, or choose a built-in voice."];
    if (!text?.trim()) return ["There is nothing to say: the text is empty.", "Type a sentence."];
    return null;
  }

  function requestOf({ voice, engine, language, text }) {
    const request = { input: text, voice, model: engine };
    if (language) request.language = language;
    const extra = {};
    for (const [name, value] of Object.entries(studio.options.read())) (TOP_LEVEL.includes(name) ? request : extra)[name] = value;
    if (Object.keys(extra).length) request.extra_params = extra;
    return request;
  }

  studio.onMount("speaking", (tools) => {
    studio.speaking = new Speaking(tools);
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || isActive()) return;
    event.preventDefault();
    document.querySelector("#speak-button")?.click();
  });
})();
