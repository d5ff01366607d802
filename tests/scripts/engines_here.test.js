// Which engines a list shows, and what it says in place of the others.

import "./standing_page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstEngine } from "../../assets/web/builder/test_pair.js";
import { engineRowId, hereOf, moreWords } from "../../assets/web/choice/engines_here.js";
import { insteadOf } from "../../assets/web/speak/engine_notice.js";
import { knownOf } from "../../assets/web/voices/voice_chips.js";

const ENGINES = [
  { id: "small", is_here: true },
  { id: "large", is_here: false },
  { id: "other", is_here: false },
];
const idsOf = (engines) => engines.map(({ id }) => id);

test("a list has the engines that can speak now, and the one that somebody chose", () => {
  assert.deepEqual(idsOf(hereOf(ENGINES)), ["small"]);
  assert.deepEqual(idsOf(hereOf(ENGINES, "other")), ["small", "other"]);
  assert.deepEqual(hereOf([{ engine: "large", is_here: false }], undefined), []); // lists that know engines by another name have no chosen one
});

test("one line says how many more there are, and nothing where all are here", () => {
  assert.equal(moreWords(ENGINES), "2 more engines");
  assert.equal(moreWords(ENGINES.slice(0, 2)), "1 more engine");
  assert.equal(moreWords(ENGINES.slice(0, 1)), "");
  assert.equal(moreWords([]), "");
});

test("each engine has a row of its own to lead to", () => {
  assert.equal(engineRowId("small"), "engine-card-small");
});

test("a listening test begins with an engine that can speak, whatever is chosen elsewhere", () => {
  const here = hereOf([{ id: "first", is_here: true }, ...ENGINES]);
  assert.equal(firstEngine(here, ["large", "small"]).id, "small");
  assert.equal(firstEngine(here, ["large", null]).id, "first");
  assert.equal(firstEngine([], ["large"]), undefined);
});

test("a voice's chips say nothing of engines that are not here", () => {
  const standing = (engine, state, isHere) => ({ engine, state, is_here: isHere });
  const engines = [
    standing("cannot", "unsupported", true),
    standing("away", "unsupported", false),
    standing("gone", "disk", false),
    standing("unlearned", "none", true),
    standing("knows", "memory", true),
  ];
  assert.deepEqual(
    knownOf(engines).map(({ engine }) => engine),
    ["knows", "cannot"],
  );
});

test("in place of an engine that cannot speak the one that sounds natural is offered, or one that is loaded", () => {
  const gone = { id: "gone", state: "absent" };
  const [first, loaded, natural] = [
    ["first", "idle"],
    ["loaded", "ready"],
    ["natural", "idle"],
  ].map(([id, state]) => ({ id, state }));
  const far = { id: "natural", state: "ready", elsewhere: { health: "down" } };
  assert.equal(insteadOf(gone, [gone, first, loaded, natural], "natural"), natural);
  assert.equal(insteadOf(gone, [gone, first, loaded, far], "natural"), loaded);
  assert.equal(insteadOf(gone, [gone, first], undefined), first);
  assert.equal(insteadOf(natural, [gone, natural], "natural"), undefined, "it is the one that cannot");
});
