// Capture: raw PCM from the microphone, with everything off that browsers do to voices. No page elements here.

const UNTOUCHED = { echoCancellation: false, noiseSuppression: false, autoGainControl: false, channelCount: 1 };
const BLOCK_SAMPLES = 1024;

// Runs on the audio thread: collects the 128-frame quanta into blocks.
const WORKLET = `registerProcessor("capture", class extends AudioWorkletProcessor {
  constructor() { super(); this.block = new Float32Array(${BLOCK_SAMPLES}); this.filled = 0; }
  process([[channel]]) {
    if (!channel) return true;
    for (const sample of channel) {
      this.block[this.filled++] = sample;
      if (this.filled === this.block.length) { this.port.postMessage(this.block.slice()); this.filled = 0; }
    }
    return true;
  }
})`;

// code, values: of its sentence in assets/words/.
export class MicrophoneRefused extends Error {
  constructor(code, values = {}) {
    super(code);
    this.code = code;
    this.values = values;
  }
}

// null where the microphone can be asked for, else why not.
export const microphoneProblem = () => {
  if (!window.isSecureContext) return new MicrophoneRefused("E-MIC-1", { address: location.origin });
  return navigator.mediaDevices?.getUserMedia ? null : new MicrophoneRefused("E-MIC-4");
};

const REFUSALS = { NotAllowedError: "E-MIC-2", NotFoundError: "E-MIC-5", OverconstrainedError: "E-MIC-6" };
const refusalOf = (error) => new MicrophoneRefused(REFUSALS[error.name] ?? "E-MIC-7");

// What there is to record from: [{ id, name }]. Browsers tell names, and often ids, only once the microphone was allowed.
export const microphones = async () => {
  if (microphoneProblem()) return [];
  const devices = await navigator.mediaDevices.enumerateDevices().catch(() => []);
  const inputs = devices.filter(({ kind, deviceId, label }) => kind === "audioinput" && deviceId && label);
  return inputs.map(({ deviceId, label }) => ({ id: deviceId, name: label }));
};

// Asks for the microphone and hands every block of Float32 samples to onBlock. Throws MicrophoneRefused.
// device: id of one of microphones(); "" for the browser's choice.
export class Capture {
  static async open(onBlock, device = "") {
    const wanted = device ? { ...UNTOUCHED, deviceId: { exact: device } } : UNTOUCHED;
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: wanted });
    } catch (error) {
      throw refusalOf(error);
    }
    const capture = new Capture(stream);
    await capture._connect(onBlock);
    return capture;
  }

  constructor(stream) {
    this._stream = stream;
    const [track] = stream.getAudioTracks();
    this.settings = track.getSettings(); // what the browser really does, read back
    this.device = track.label;
    // The microphone's own rate, so that nothing is resampled.
    const { sampleRate } = this.settings;
    this._context = new AudioContext(sampleRate ? { sampleRate } : {});
    this.sampleRate = this._context.sampleRate;
  }

  // Which of the three processings the browser would not switch off.
  get processing() {
    return ["echoCancellation", "noiseSuppression", "autoGainControl"].filter((name) => this.settings[name]);
  }

  async _connect(onBlock) {
    const source = this._context.createMediaStreamSource(this._stream);
    const silence = this._context.createGain();
    silence.gain.value = 0; // a node that leads nowhere is not pulled
    this._node = await this._listener(onBlock);
    source.connect(this._node).connect(silence).connect(this._context.destination);
    await this._context.resume();
  }

  async _listener(onBlock) {
    if (this._context.audioWorklet) {
      const address = URL.createObjectURL(new Blob([WORKLET], { type: "text/javascript" }));
      await this._context.audioWorklet.addModule(address);
      URL.revokeObjectURL(address);
      const node = new AudioWorkletNode(this._context, "capture", { channelCount: 1, channelCountMode: "explicit" });
      node.port.onmessage = (event) => onBlock(event.data);
      return node;
    }
    const node = this._context.createScriptProcessor(BLOCK_SAMPLES, 1, 1);
    node.onaudioprocess = (event) => onBlock(event.inputBuffer.getChannelData(0).slice());
    return node;
  }

  close() {
    for (const track of this._stream.getTracks()) track.stop();
    return this._context.close();
  }
}
