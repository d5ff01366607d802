// One thing that is heard: what it is, its samples as they came, and what was measured while it was heard for the first time.

const NONE = new Set();
const SPEED = 1; // each begins at its own pace

export class Session {
  // label: in words, for who listens to the page. key: whose play button this is. about: {voice, engine, engineTitle, text, language, options,
  // print}, as far as it is known. startedAt: performance.now() of the click.
  constructor({ label = "", key = null, about = null }, sampleRate, startedAt) {
    this.label = label;
    this.key = key;
    this.about = about;
    this.sampleRate = sampleRate;
    this.startedAt = startedAt;
    this.pieces = []; // Int16Arrays, everything received
    this.samples = 0;
    this.facts = null;
    this.cancel = null; // hangs up
    this.hearing = null; // while it sounds
    this.heardSeconds = 0; // until it was stopped
    this.head = 0; // seconds: where it goes on
    this.speed = SPEED;
    this.firstTime = null; // context seconds
    this.nextTime = 0;
    this.lead = 0; // seconds, set when it plays
    this.underruns = 0;
    this.gapSeconds = 0;
    this.firstSoundMilliseconds = null; // from the click to the first sample above -50 dBFS
    this.receivedMilliseconds = null; // from the click to the last byte
    this.failure = null; // what broke it
    this.complete = false;
    this.stopped = false; // before it was heard to its end
    this.isOver = false; // it was heard to its end, or stopped
    /** @type {Promise<void>} */
    this.ended = new Promise((resolve) => {
      this._resolve = resolve;
    });
  }

  get seconds() {
    return this.samples / this.sampleRate;
  }

  // What is scheduled and has not been heard.
  get sources() {
    return this.hearing?.sources ?? NONE;
  }

  keep(samples) {
    this.pieces.push(samples);
    this.samples += samples.length;
  }

  end() {
    this.isOver = true;
    this._resolve();
  }
}
