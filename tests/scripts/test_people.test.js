// What the builder takes for an address to go back to, and for names of parameters.

import "./standing_page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { isAddress, namesOf } from "../../assets/web/builder/test_people.js";

test("an address to go back to is https, and has fields in its query alone", () => {
  const good = [
    "",
    "https://a.example",
    "https://app.prolific.com/submissions/complete?cc={code}",
    "https://a.example/?p={PROLIFIC_PID}&q=1?2",
  ];
  const bad = [
    "http://a.example",
    "a.example",
    "javascript:alert(1)",
    "https://{code}.example",
    "https://a@b.example/",
    "https://a.example/?c={",
    "?cc=1",
  ];
  assert.deepEqual(
    good.map(isAddress),
    good.map(() => true),
  );
  assert.deepEqual(
    bad.map(isAddress),
    bad.map(() => false),
  );
});

test("names of parameters are as a plan takes them, each once", () => {
  assert.deepEqual(namesOf(" panel, src;src\n1x, a-b  c_2"), ["panel", "src", "c_2"]);
});
