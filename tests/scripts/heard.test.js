// The time to first sound of a take: one figure wherever it is told, and the server's share under its own name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstSoundWords, noteHeard, serverShareWords, untold, withHeard } from "../../assets/web/sound/heard.js";

test("what was measured here is told of the take, and to the studio where it does not know it", () => {
  noteHeard("one", 108);
  noteHeard("one", 900); // heard again
  noteHeard("", 5); // not kept
  noteHeard("two", null); // not heard yet
  const entries = ["one", "two"].map((id) => ({ id, heard_ms: null, server_ms: 17 }));
  assert.deepEqual(entries.map(withHeard), [{ id: "one", heard_ms: 108, server_ms: 17 }, entries[1]]);
  assert.deepEqual(untold(entries), [{ entry: "one", seconds: 0.108 }]);
  assert.deepEqual(untold(entries.map(withHeard)), []);
});

test("the figure is the one from the press to the sound, and the server's alone is called so", () => {
  const [heard, alone] = [
    { heard_ms: 108, server_ms: 17 },
    { heard_ms: null, server_ms: 17 },
  ];
  assert.equal(firstSoundWords(heard), "108 ms");
  assert.equal(serverShareWords(heard), "17 ms of it at the server");
  assert.equal(firstSoundWords(alone), "17 ms at the server");
  assert.equal(serverShareWords(alone), "");
  assert.equal(firstSoundWords({ heard_ms: null, server_ms: null }), "");
});
