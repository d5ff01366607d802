// The clip of a new voice: recorded here or chosen as a file. It stays in the browser until Create sends it, so a failed attempt loses nothing.
(() => {
  const studio = (window.studio ??= {});

  const MOST_SECONDS = 120;
  const MOST_BYTES = 25 * 1024 * 1024;
  const CLIPPED = 0.999;
  const FLOOR_DB = -60;
  const SILENT_SECONDS = 3;
  const DECODE_HZ = 48000;

  const say = (message) => studio.say("create-message", message);
  const complain = (fact, hint) => say({ kind: "problem", fact, hint });

  class Recorder {
    // tools: what Gradio gives a gr.HTML: element, upload, props, watch.
    constructor({ element, upload, watch }) {
      this._element = element;
      this._upload = upload;
      this._clip = null; // { file, sampleRate, pieces, seconds, about }
      this._capture = null;
      this._busy = false;
      this._find("toggle").addEventListener("click", () => this._toggle());
      this._find("file").addEventListener("change", (event) => this._choose(event.target.files[0]));
      this._find("play").addEventListener("click", () => this._play());
      this._find("remove").addEventListener("click", () => this.clear());
      this._waveform = new studio.Waveform(this._find("wave"));
      watch("value", () => this.clear()); // Python says so when the voice was created
      this._show();
    }

    get clip() {
      return this._clip;
    }

    // Sends the clip to the server. Gives what Python's read_upload takes: { path, name, type }, or { problem, hint }, or null without a clip.
    async send() {
      if (this._capture) await this._finish();
      if (!this._clip) return null;
      const { file } = this._clip;
      if (file.size > MOST_BYTES) return tooLarge(file);
      try {
        const { path } = await this._upload(file);
        return { path, name: file.name, type: file.type };
      } catch (error) {
        return { problem: `The clip did not reach the studio: ${error.message ?? error}.`, hint: "Try again." };
      }
    }

    clear() {
      this._clip = null;
      this._find("file").value = "";
      this._waveform.clear();
      this._show();
    }

    _find(name) {
      return this._element.querySelector(`#clip-${name}`);
    }

    async _toggle() {
      if (this._busy) return;
      const problem = studio.microphoneProblem();
      if (problem) return complain(problem.message, problem.hint);
      this._busy = true;
      try {
        await (this._capture ? this._finish() : this._begin());
      } catch (error) {
        complain(error.message, error.hint);
      }
      this._busy = false;
      this._show();
    }

    async _begin() {
      studio.player.stop(); // the loudspeaker must not be recorded
      const capture = await studio.Capture.open((block) => this._take(block));
      say(); // only now: whoever refuses the microphone keeps the clip that is there
      this.clear();
      this._blocks = [];
      this._samples = 0;
      this._clipped = 0;
      this._loudest = 0;
      this._find("lamp").dataset.on = "false";
      this._waveform.clear(capture.sampleRate);
      this._capture = capture;
    }

    _take(block) {
      if (!this._capture) return; // blocks under way when the microphone was closed
      const words = studio.int16Of(block);
      this._blocks.push(words);
      this._samples += words.length;
      this._waveform.add(words);
      this._waveform.draw();
      const peak = block.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
      this._loudest = Math.max(this._loudest, peak);
      if (peak >= CLIPPED) {
        this._clipped += 1;
        this._find("lamp").dataset.on = "true";
      }
      this._showLevel(peak);
      const seconds = this._samples / this._capture.sampleRate;
      this._find("seconds").textContent = `${seconds.toFixed(1)} s`;
      if (seconds > SILENT_SECONDS && this._loudest === 0) {
        complain(`No sound arrived for ${SILENT_SECONDS} seconds.`, `Is "${this._capture.device}" muted?`);
      }
      if (seconds >= MOST_SECONDS) this._toggle();
    }

    async _finish() {
      const capture = this._capture;
      const { sampleRate, processing } = capture;
      this._capture = null;
      await capture.close();
      const file = new File([studio.wavOf(this._blocks, sampleRate)], "recording.wav", { type: "audio/wav" });
      const raw = processing.length ? `the browser kept ${processing.join(", ")} on` : "raw, no browser processing";
      this._clip = { file, sampleRate, pieces: this._blocks, seconds: this._samples / sampleRate, about: raw, settings: capture.settings };
      if (this._clipped) {
        complain("Parts of the recording are clipped.", "Move back or lower the input, then record again. You may also go on.");
      }
      this._show();
    }

    async _choose(file) {
      if (!file) return;
      say();
      if (file.size > MOST_BYTES) {
        this._find("file").value = "";
        const { problem, hint } = tooLarge(file);
        return complain(problem, hint);
      }
      const heard = await decoded(file);
      this._clip = { file, about: heard ? "" : "this browser cannot play it; the studio may still read it", ...heard };
      this._waveform.clear(DECODE_HZ);
      if (heard) this._waveform.add(heard.pieces[0]);
      this._show();
    }

    _play() {
      const { sampleRate, pieces, file } = this._clip;
      studio.player.play({ sampleRate, chunks: pieces }, { label: file.name });
    }

    _showLevel(peak) {
      const db = Math.max(FLOOR_DB, 20 * Math.log10(peak || 1e-9));
      const meter = this._find("meter");
      meter.style.setProperty("--level", `${100 * (1 - db / FLOOR_DB)}%`);
      meter.setAttribute("aria-valuenow", Math.round(db));
    }

    _show() {
      const toggle = this._find("toggle");
      const recording = Boolean(this._capture);
      const clip = this._clip;
      toggle.setAttribute("aria-pressed", String(recording));
      toggle.querySelector(".words").textContent = recording ? "Stop recording" : clip ? "Record again" : "Record";
      this._element.dataset.state = recording ? "recording" : clip ? "clip" : "empty";
      for (const name of ["play", "remove"]) this._find(name).disabled = !clip || (name === "play" && !clip.pieces);
      this._find("about").textContent = clip ? describe(clip) : "";
      if (!recording) this._showLevel(0);
      if (!recording) this._find("seconds").textContent = `${(clip?.seconds ?? 0).toFixed(1)} s`;
      this._waveform.draw();
    }
  }

  function tooLarge(file) {
    const problem = `The file has ${(file.size / 1e6).toFixed(1)} MB; the limit is ${(MOST_BYTES / 1e6).toFixed(1)} MB.`;
    return { problem, hint: "A 20-second WAV is about 2 MB." };
  }

  function describe({ file, seconds, about }) {
    return [file.name, seconds === undefined ? "" : `${seconds.toFixed(1)} s`, about].filter(Boolean).join(" · ");
  }

  // A file's samples for listening and drawing; null where this browser lacks the decoder.
  async function decoded(file) {
    try {
      const buffer = await new OfflineAudioContext(1, 1, DECODE_HZ).decodeAudioData(await file.arrayBuffer());
      return { sampleRate: DECODE_HZ, pieces: [studio.int16Of(buffer.getChannelData(0))], seconds: buffer.duration };
    } catch {
      return null;
    }
  }

  studio.onMount("recorder", (tools) => {
    studio.recorder = new Recorder(tools);
  });
})();
