// Addresses: parsed and built, and which of them other sites may see.

import assert from "node:assert/strict";
import { test } from "node:test";

import { comparisonOf, comparisonThing } from "../../assets/web/compare/compare_link.js";
import { hashOf, openHashOf, placeOf } from "../../assets/web/navigation/address.js";

const ANA = { id: "3f2a00ff", name: "Ana & Søn #1" };
const LANES = [
  { voice: ANA.name, engine: "small", language: "en", options: { speed: 1.5, instructions: "50 % calm/slow" } },
  { voice: "af_heart", engine: "large", language: "", options: {} },
  { voice: null, engine: "small", language: "", options: {} },
];
const TEXT = "One text: ä, 语音, #tag, a+b & 100 %.\nTwo lines.";

test("an address without a hash is Speak, and each that is built is read as what it was built from", () => {
  for (const bare of ["", "#"]) assert.deepEqual(placeOf(bare), { room: "speak", thing: "" });
  const places = [
    { room: "voices", thing: "" },
    { room: "voices", thing: ANA.id },
    { room: "tests", thing: "new" },
    { room: "scripts", thing: `${ANA.id}/50dbbf6f` },
    { room: "compare", thing: comparisonThing({ text: TEXT, lanes: LANES, voices: [ANA] }) },
  ];
  for (const place of places) assert.deepEqual(placeOf(new URL(hashOf(place), "http://studio/below/?__theme=dark").hash), place);
});

test("what is written as no address is none", () => {
  for (const hash of ["#/", "#Voices", "#voices?x", "# voices", "#speak/3f2a", "#api/x", "#<script>", "#voices.3f2a", "#%20"])
    assert.equal(placeOf(hash), null, hash);
});

test("other sites see rooms and ids, and no words of anybody", () => {
  assert.equal(openHashOf({ room: "history", thing: "3f2a_-b" }), "#history/3f2a_-b");
  assert.equal(openHashOf({ room: "scripts", thing: "3f2a/50db" }), "#scripts/3f2a/50db");
  assert.equal(openHashOf({ room: "compare", thing: comparisonThing({ text: TEXT, lanes: LANES, voices: [ANA] }) }), "#compare");
  assert.equal(openHashOf({ room: "voices", thing: "Ana Maria" }), "#voices");
});

test("a comparison is read as it was, and a stored voice goes by its id alone, whatever it is called by now", () => {
  const thing = comparisonThing({ text: TEXT, lanes: LANES, voices: [ANA] });
  assert.ok(!/ana/i.test(decodeURIComponent(thing)));
  assert.deepEqual(comparisonOf(thing, [ANA]), { text: TEXT, lanes: LANES, isWhole: true });
  assert.equal(comparisonOf(thing, [{ ...ANA, name: "Anna" }]).lanes[0].voice, "Anna");
  const { isWhole, lanes } = comparisonOf(thing, []);
  assert.equal(isWhole, false);
  assert.equal(lanes[0].voice, ANA.id);
});

test("a comparison that was cut or written by hand is none", () => {
  for (const thing of ["", "text=Hello", "lane=", "lane=%5B", "lane=7", "text=a&lane=null"])
    assert.equal(comparisonOf(thing, []), null, thing);
});
