// The cast of a script: who is counted, what a change makes stale, and which voices are given to whom.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  castRows,
  makesStale,
  memberOf,
  staleByJoining,
  staleLines,
  withMember,
  without,
} from "../../assets/web/script_cast/cast_edits.js";
import { givenVoices } from "../../assets/web/script_cast/give_voices.js";

const member = (name, more = {}) => ({ ...memberOf(name), ...more });
const counts = (name, n_lines, n_said = 0) => ({ name, n_lines, n_characters: 9 * n_lines, n_said, n_stale: 0, seconds: 2 * n_said });
const SCRIPT = {
  cast: [member("ANNA", { voice: "Rosa" }), member("BEN")],
  cast_counts: [counts("ANNA", 12, 7), counts("", 3, 1), counts("CARL", 2, 2)],
};
const VOICES = [
  { name: "Rosa", is_stored: true, language: "en", sex: "" },
  { name: "af_one", is_stored: false, language: "en-us", sex: "female" },
  { name: "af_two", is_stored: false, language: "en-gb", sex: "female" },
  { name: "am_one", is_stored: false, language: "en-us", sex: "male" },
  { name: "ff_one", is_stored: false, language: "fr", sex: "female" },
  { name: "designed", is_stored: false, language: "", sex: "" },
];

test("every name that speaks is in the cast, the narrator first, with or without a voice of its own", () => {
  assert.deepEqual(
    castRows(SCRIPT).map(({ name, member: own, counts: { n_lines } }) => [name, own?.voice ?? null, n_lines]),
    [
      ["", null, 3],
      ["ANNA", "Rosa", 12],
      ["BEN", null, 0],
      ["CARL", null, 2],
    ],
  );
  const lines = [{ who: "EVE", text: "Hi", state: "said", seconds: 2.5, is_silent: false }];
  assert.equal(castRows({ cast: [] }, lines)[0].counts.n_said, 1);
});

test("another voice makes lines stale, another gain or the same options in another order do not", () => {
  const before = member("ANNA", { voice: "Rosa", options: { a: 1, b: 2 } });
  assert.ok(!makesStale(before, { ...before, gain_db: 3, options: { b: 2, a: 1 } }));
  for (const change of [{ voice: "Max" }, { speed: 1.1 }, { options: { a: 1 } }, { language: "de" }])
    assert.ok(makesStale(before, { ...before, ...change }));
  assert.equal(staleLines(castRows(SCRIPT), [member("ANNA", { voice: "Max" }), member("BEN", { voice: "Max" })]), 7);
});

test("who becomes one with another takes its voice, and only then are lines said again", () => {
  const rows = castRows(SCRIPT);
  assert.deepEqual(
    [staleByJoining(rows, "CARL", "ANNA"), staleByJoining(rows, "CARL", "BEN"), staleByJoining(rows, "ANNA", "NEW")],
    [2, 0, 0],
  );
});

test("a member keeps its place in the cast, a new one comes last", () => {
  assert.deepEqual(
    withMember(withMember(SCRIPT.cast, member("Anna"), "ANNA"), member("DORA")).map(({ name }) => name),
    ["Anna", "BEN", "DORA"],
  );
  assert.deepEqual(without(SCRIPT.cast, "ANNA").length, 1);
});

test("who has no voice gets a built-in one of the script's language that nobody has, women and men in turn; nobody's is replaced", () => {
  const known = { voices: VOICES, engine: "kokoro", designed: "designed" };
  const { given, left } = givenVoices(castRows(SCRIPT), known, "en-us");
  assert.deepEqual(
    given.map(({ name, voice, model }) => [name, voice, model]),
    [
      ["", "af_one", "kokoro"],
      ["CARL", "am_one", "kokoro"],
    ],
  );
  assert.deepEqual(left, []);
  const many = castRows({
    cast: [member("A", { voice: "af_one" })],
    cast_counts: [counts("A", 1), counts("B", 1), counts("C", 1), counts("D", 1)],
  });
  const short = givenVoices(many, known, "en");
  assert.deepEqual([short.given.map(({ voice }) => voice), short.left], [["af_two", "am_one"], ["D"]]);
});
