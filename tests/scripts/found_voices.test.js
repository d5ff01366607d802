// Which voices of the library are shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openHashOf, placeOf } from "../../assets/web/navigation/address.js";
import { enginesOf, foundVoices, languagesOf, NO_LANGUAGE, wantedOf, writtenOf } from "../../assets/web/voices/found_voices.js";

const TITLES = { tone: "Tone", far: "Far" };
// states: by engine; an engine with "!" cannot learn now.
function voice(name, language, states = {}, more = {}) {
  const engines = Object.entries(states).map(([engine, state]) => ({
    engine,
    title: TITLES[engine],
    state: state.replace("!", ""),
    can_learn: !state.includes("!"),
  }));
  return { name, language, engines, created_at: name.length, description: "", transcript: "", tags: [], obstacle: "", ...more };
}

const VOICES = [
  voice("Ana", "en", { tone: "memory", far: "none!" }, { tags: ["warm"] }),
  voice("Berta", "en-gb", { tone: "none", far: "none!" }, { tags: ["warm"], transcript: "Hello" }),
  voice("Cleo", "pt-pt", { tone: "unsupported", far: "none!" }),
  voice("Doro T", "", { tone: "stale", far: "none!" }),
  voice("Zoë", "cmn", { tone: "none", far: "disk!" }, { obstacle: "Nobody can." }),
];
const found = (wanted) => foundVoices(VOICES, { sort: "name", ...wanted }).map(({ name }) => name);

test("nothing wanted finds all, in the order that is wanted", () => {
  assert.deepEqual(found({}), ["Ana", "Berta", "Cleo", "Doro T", "Zoë"]);
  assert.deepEqual(
    foundVoices(VOICES, {}).map(({ name }) => name[0]),
    ["D", "B", "C", "A", "Z"],
  );
});

test("a language finds its accents and its other codes, and voices without one have a choice of their own", () => {
  assert.deepEqual(
    [...languagesOf(VOICES)],
    [
      ["en", 2],
      ["pt", 1],
      [NO_LANGUAGE, 1],
      ["zh", 1],
    ],
  );
  for (const [language, names] of [
    ["en", ["Ana", "Berta"]],
    ["zh", ["Zoë"]],
    [NO_LANGUAGE, ["Doro T"]],
    ["fr", []],
  ])
    assert.deepEqual(found({ language }), names);
});

test("an engine finds those that it has learned, or those that it can speak now", () => {
  assert.deepEqual(found({ engine: "learned tone" }), ["Ana"]);
  assert.deepEqual(found({ engine: "learned far" }), ["Zoë"]);
  assert.deepEqual(found({ engine: "speaks tone" }), ["Ana", "Berta", "Doro T"]);
  assert.deepEqual(found({ engine: "unlearned" }), ["Berta", "Cleo", "Doro T"]);
});

test("engines that are not there and have learned nobody are no choice, and each choice says how many it finds", () => {
  assert.deepEqual(enginesOf(VOICES.slice(0, 4)), [
    {
      way: "learned",
      choices: [["learned tone", "Tone", 1]],
    },
    { way: "speaks", choices: [["speaks tone", "Tone", 3]] },
    { way: "unlearned", choices: [["unlearned", "No engine has learned it yet", 3]] },
  ]);
  for (const { choices } of enginesOf(VOICES)) for (const [engine, , n] of choices) assert.equal(found({ engine }).length, n, engine);
});

test("filters and what is sought combine", () => {
  assert.deepEqual(found({ language: "en", engine: "speaks tone", tag: "warm" }), ["Ana", "Berta"]);
  assert.deepEqual(found({ language: "en", engine: "speaks tone", tag: "warm", sought: "hello" }), ["Berta"]);
  assert.deepEqual(found({ language: "en", engine: "learned far" }), []);
});

test("an address keeps what is chosen, tells nobody else of it, and is that of no voice", () => {
  const none = { sought: "", language: "", engine: "", tag: "", sort: "recent" };
  for (const chosen of [{}, { sought: "Ana & Søn 50 %" }, { language: NO_LANGUAGE, engine: "learned tone", tag: "a+b", sort: "name" }]) {
    const wanted = { ...none, ...chosen };
    const { thing } = placeOf(new URL(`#voices/${writtenOf(wanted)}`, "http://studio/").hash);
    assert.deepEqual(wantedOf(thing), wanted);
    assert.equal(openHashOf({ room: "voices", thing }), "#voices");
  }
  assert.equal(writtenOf(none), "");
  assert.equal(wantedOf("3f2a00ff"), null);
  assert.deepEqual(wantedOf("?sort=constructor&other=1"), none);
});
