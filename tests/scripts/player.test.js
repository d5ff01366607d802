// The player over an audio clock that stands still: what it tells while a stream arrives.
import assert from "node:assert/strict";
import { mock, test } from "node:test";

class StandingContext {
  constructor() {
    Object.assign(this, { state: "running", currentTime: 0, sampleRate: 24000, destination: {} });
  }
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

// As far as the modules ask for a page while they are loaded.
async function loadedPlayer() {
  const page = { addEventListener() {}, querySelector: () => ({ src: "" }), querySelectorAll: () => [] };
  Object.assign(globalThis, { document: page, window: { addEventListener() {}, fetch }, AudioContext: StandingContext });
  const { player } = await import("../../assets/web/sound/player.js");
  return player;
}

test("while a stream arrives, length and words are told again and again, and its last piece is too", async () => {
  const player = await loadedPlayer();
  const { lineOf } = await import("../../assets/web/sound/player_words.js");
  mock.timers.enable({ apis: ["setTimeout"] });
  const told = [];
  let more;
  async function* chunks() {
    for (;;) {
      const samples = await new Promise((resolve) => {
        more = resolve;
      });
      if (!samples) return;
      yield samples;
    }
  }
  const arrived = async (seconds) => {
    more(new Int16Array(24000 * seconds).fill(9000));
    for (let i = 0; i < 5; i += 1) await null;
    await new Promise(setImmediate);
  };
  player.play({ sampleRate: 24000, chunks: chunks(), facts: null }, { label: "Ana" });
  await new Promise(setImmediate);
  player.addEventListener("change", () => told.push(lineOf(player.session)));
  await arrived(0.25);
  told.length = 0;
  mock.timers.tick(250);
  for (const _ of "12345678") await arrived(1); // a burst is told of once, when it is over
  mock.timers.tick(250);
  mock.timers.tick(1000); // nothing more came
  assert.deepEqual(told, ["250 ms", "8.3 s"]);
  player.stop();
  mock.timers.reset();
});
