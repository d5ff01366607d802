// The print of a voice: the drawing that Python makes of the same digest, byte for byte.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { voiceprint } from "../../assets/web/drawings/voiceprint.js";

const GOLDEN = JSON.parse(readFileSync(new URL("voiceprints.json", import.meta.url), "utf8"));
const SIZES = [16, 28, 40, 56, 96];
const sha256 = (text) => createHash("sha256").update(text).digest("hex");

test("the drawing is the golden one that Python draws too", () => {
  for (const { digest, pixels, svg } of GOLDEN.drawings) assert.equal(voiceprint(digest, pixels), svg);
  const digests = Array.from({ length: 200 }, (_, i) => sha256(`recording ${i}`));
  const drawn = digests.flatMap((digest) => SIZES.map((pixels) => voiceprint(digest, pixels)));
  assert.equal(sha256(drawn.join("\n")), GOLDEN.sha256_of_200_in_5_sizes);
});

test("two recordings are drawn differently, and what has none is an empty tile", () => {
  assert.notEqual(voiceprint(sha256("one"), 40), voiceprint(sha256("other"), 40));
  assert.ok(!voiceprint("", 40).includes("<path"));
});
