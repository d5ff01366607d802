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

class MicrophoneRefused extends Error {
  constructor(fact, hint, code = "") {
    super(fact);
    this.hint = hint;
    this.code = code;
  }
}

// null where the microphone can be asked for, else why not.
export const microphoneProblem = () => {
  if (!window.isSecureContext) {
    return new MicrophoneRefused(
      `Your browser allows the microphone only on https or localhost. This page is ${location.origin}.`,
      "Upload a file instead, or open the https address.",
      "E-MIC-1",
    );
  }
  if (!navigator.mediaDevices?.getUserMedia) return new MicrophoneRefused("This browser offers no microphone.", "Upload a file instead.");
  return null;
};

function refusalOf(error) {
  if (error.name === "NotFoundError") return new MicrophoneRefused("No microphone was found.", "Connect one, or upload a file.");
  if (error.name === "OverconstrainedError") return new MicrophoneRefused("That microphone is gone.", "Choose another one.");
  if (error.name === "NotAllowedError") {
    return new MicrophoneRefused(
      "Microphone access was refused.",
      "Allow the microphone in the address bar, then press Record again; or upload a file.",
      "E-MIC-2",
    );
  }
  return new MicrophoneRefused(`The microphone could not be opened: ${error.message}.`, "Is another program using it?");
}

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
    const names = { echoCancellation: "echo cancellation", noiseSuppression: "noise suppression", autoGainControl: "gain control" };
    return Object.keys(names).flatMap((key) => (this.settings[key] ? [names[key]] : []));
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
