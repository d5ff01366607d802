// What a run asks for: of a typed text all that was chosen, of a recording nothing that concerns a text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { requestOf } from "../../assets/web/transport/request.js";

const RUN = { voice: "Ana", engine: "tone", language: "de", text: "Hallo.", options: { seed: 7, instructions: "softly", level: 0.5 } };

test("a text goes with its language and all options, each in its place", () => {
  const extra_params = { level: 0.5 };
  assert.deepEqual(requestOf(RUN), {
    input: "Hallo.",
    voice: "Ana",
    model: "tone",
    language: "de",
    seed: 7,
    instructions: "softly",
    extra_params,
  });
});

test("a recording goes with the same voice, engine and options, and without a text and what is said of one", () => {
  const said = requestOf({ ...RUN, text: "", language: "", recording: { seconds: 2 } });
  assert.deepEqual(said, { voice: "Ana", model: "tone", seed: 7, extra_params: { level: 0.5 } });
});

test("directions are followed unless somebody has them said, and of a recording nobody asks", () => {
  assert.equal("directions" in requestOf({ ...RUN, directions: true }), false);
  assert.equal(requestOf({ ...RUN, directions: false }).directions, false);
  assert.equal("directions" in requestOf({ ...RUN, directions: false, recording: { seconds: 2 } }), false);
});
