// The demo voice is what Speak has, from the press on that makes it heard.
import "./standing_page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { choice } from "../../assets/web/choice/choice.js";
import { player } from "../../assets/web/sound/player.js";
import { DemoPress } from "../../assets/web/voices/demo.js";

const settle = () => new Promise(setImmediate);

test("whoever looks at Speak before the demo sounds finds the voice that will", async () => {
  choice.open({ show_choice: async (asked) => ({ voice: "preset", engine: "tone", languages: [], seen: "1", ...asked }) }, {});
  await choice.settled;
  const presses = [];
  const button = {
    addEventListener: (_, heard) => presses.push(heard),
    lastElementChild: {},
    setAttribute() {},
    removeAttribute() {},
  };
  const make = async () => ({ voice: "Demo", engine: "tone", title: "Tone", text: "Hello.", language: "en" });
  const demo = new DemoPress(button, { make, onPress() {}, onSound: assert.fail, onProblem: assert.fail });
  assert.notEqual(choice.voice, "Demo");
  presses[0]({ timeStamp: 0 });
  await settle();
  assert.ok(demo.isUnderWay);
  assert.deepEqual([choice.voice, choice.engine, choice.isChosen], ["Demo", "tone", true]);
  player.stop();
  await settle();
  assert.ok(!demo.isUnderWay);
});
