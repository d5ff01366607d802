// The player over an audio clock that stands still: what it tells while a stream arrives.
import "./standing_page.js";
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { player } from "../../assets/web/sound/player.js";
import { lineOf } from "../../assets/web/sound/player_words.js";

test("while a stream arrives, length and words are told again and again, and its last piece is too", async () => {
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
