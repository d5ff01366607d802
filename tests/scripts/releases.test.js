// What each size of an engine is for stands on its button; the chosen one is pressed, and a setting that decides is named.
import assert from "node:assert/strict";
import { test } from "node:test";
import "./small_page.js";

const { releaseParts } = await import("../../assets/web/engines/engine_releases.js");

const SMALL = { repository: "makers/small", size: "0.6B", suits: "quick", weights_bytes: 2_500_000_000, is_chosen: true };
const LARGE = { repository: "makers/large", size: "1.7B", suits: "directed", weights_bytes: 4_500_000_000, is_chosen: false };
const RELEASES = [SMALL, LARGE];

test("each says what it is for, and one that is not chosen is asked for by its repository", () => {
  const asked = [];
  const [small, large] = releaseParts({ releases: RELEASES, fixed_by: "" }, (repository) => asked.push(repository));
  assert.equal(small.textContent, "0.6B: quicker, less memory, 2.5 GB");
  assert.equal(large.textContent, "1.7B: sounds better, told how to speak, 4.5 GB");
  assert.deepEqual([small.getAttribute("aria-pressed"), large.getAttribute("aria-pressed")], ["true", "false"]);
  for (const button of [small, large]) button.dispatchEvent(new Event("click"));
  assert.deepEqual(asked, ["makers/large"]);
});

test("where a setting decides, it is named and nothing can be pressed", () => {
  const [small, large, note] = releaseParts({ releases: RELEASES, fixed_by: "SIZED_CHECKPOINT" }, () => assert.fail());
  assert.ok(small.disabled && large.disabled);
  assert.equal(note.textContent, "SIZED_CHECKPOINT decides which is used.");
});
