// What a search field finds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { finder } from "../../assets/web/kit/search.js";

const finds = (typed, ...texts) => finder(typed)(...texts);

test("case, accents and other spellings of a letter are no difference, typed or found", () => {
  const same = [
    ["zoe", "Zoë"],
    ["ZOË", "zoe"],
    ["zoe\u0308", "Zo\u00eb"], // one letter or two
    ["strasse", "Straße"],
    ["ΟΔΥΣΣΕΥΣ", "Οδυσσεύς"], // a sigma at the end of a word
    ["istanbul", "İstanbul"],
    ["film", "ﬁlm"],
    ["ａｎａ", "Ana"],
    ["한", "한국어"],
    ["中文", "中文（简体）"],
    ["й", "Й"],
  ];
  for (const [typed, name] of same) assert.ok(finds(typed, name), `${typed} finds ${name}`);
});

test("every word has to be there, in whatever order and field, and a part of one is enough", () => {
  assert.ok(finds("warm  ana", "Ana Kovač", "a warm reader"));
  assert.ok(finds("kov", "Ana Kovač"));
  assert.ok(!finds("ana cold", "Ana Kovač", "a warm reader"));
});

test("no word reaches from one field into the next, and nothing typed finds everything", () => {
  assert.ok(!finds("anaben", "Ana", "Ben"));
  for (const nothing of ["", "  ", "\n"]) assert.ok(finds(nothing, "Ana"), JSON.stringify(nothing));
});

test("what means something to a pattern is text", () => assert.ok(finds("(a.*", "x(a.*b") && !finds("a.c", "abc")));
