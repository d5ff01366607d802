// Creating a voice: what holds a step up, and what of a voice may be mended where engines fail at it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { mendingOf, obstacleOf } from "../../assets/web/create/obstacles.js";

const clip = {};
const asked = (more) => ({ clip, draft: {}, report: {}, nEarlier: 0, seconds: 4, mostSeconds: 30, permission: { code: "who" }, ...more });

test("each step is held up by what it lacks, and by nothing that another step lacks", () => {
  const codeOf = (more) => obstacleOf(asked(more))?.code ?? null;
  assert.equal(codeOf({ step: "clip", clip: null }), "clip_absent");
  assert.equal(codeOf({ step: "clip", clip: null, nEarlier: 1 }), null, "those before it were looked at");
  assert.equal(codeOf({ step: "clip", draft: null }), "E-REF-6");
  assert.equal(codeOf({ step: "check", report: { obstacle: { code: "clip_silent" } } }), "clip_silent");
  assert.equal(codeOf({ step: "check", seconds: 31 }), null, "a long clip of its own is cut");
  assert.equal(codeOf({ step: "check", seconds: 31, nEarlier: 1 }), "clips_too_long");
  assert.equal(codeOf({ step: "transcript", clip: null }), null);
  assert.equal(codeOf({ step: "consent" }), "who");
});

test("words that are not those of the recording lead to the words, or are left out", () => {
  const [silent, other, lacking] = [
    ["clip", "clip_silent"],
    ["transcript", "transcript_mismatch"],
    ["transcript", "transcript_required"],
  ].map(([parameter, code]) => ({ parameter, code }));
  assert.deepEqual(mendingOf([silent, other]), { parameter: "transcript", isLeftOut: true });
  assert.deepEqual(mendingOf([lacking]), { parameter: "transcript", isLeftOut: false });
  assert.deepEqual(mendingOf([silent]), { parameter: "clip", isLeftOut: false });
  assert.equal(mendingOf([{ parameter: "", code: "out_of_memory" }]), null, "no step mends that");
});
