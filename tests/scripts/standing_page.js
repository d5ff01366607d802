// As much of a page as modules ask for while they are loaded, and an audio clock that stands still. Requests wait until they are hung up.

class StandingContext {
  constructor() {
    Object.assign(this, { state: "running", currentTime: 0, sampleRate: 24000, destination: {} });
  }

  close() {}

  createGain() {
    return { gain: { setTargetAtTime() {}, cancelScheduledValues() {} }, connect() {} };
  }

  createAnalyser() {
    return { connect() {} };
  }

  createBuffer(_channels, n) {
    return { getChannelData: () => new Float32Array(n) };
  }

  createBufferSource() {
    return { connect() {}, start() {}, stop() {} };
  }
}

const untilHungUp = (_, { signal } = {}) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new DOMException("hung up", "AbortError"))));

const elsewhere = { hash: "", pathname: "/", search: "", href: "http://studio/" };
const standingHistory = { state: null, pushState() {}, replaceState() {}, go() {} };

const nothing = { addEventListener() {}, dispatchEvent() {}, querySelector: () => ({ src: "" }), querySelectorAll: () => [] };
Object.assign(globalThis, {
  document: { ...nothing, baseURI: "http://studio/", getElementById: () => null, documentElement: {} },
  window: { addEventListener() {}, fetch: untilHungUp, scrollTo() {} },
  location: elsewhere,
  history: standingHistory,
  matchMedia: () => ({ matches: false, addEventListener() {} }),
  requestAnimationFrame: (act) => setImmediate(act),
  CSS: { escape: (name) => name },
  fetch: untilHungUp,
  AudioContext: StandingContext,
});
