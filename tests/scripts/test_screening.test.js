// Rules of screening: what a field of the builder says, and how results say who listened how.
import assert from "node:assert/strict";
import { test } from "node:test";
import { usualAttention } from "../../assets/web/builder/test_methods.js";
import { limitOf, limitText } from "../../assets/web/builder/test_screening_rules.js";
import { conditionWords, ruleRows } from "../../assets/web/tests/test_screening.js";

test("a limit is a share of what stands in its field, and an empty field asks nothing", () => {
  assert.deepEqual(
    ["25", "-30", "250", "", "x"].map((text) => limitOf("least_agreement", text)),
    [0.25, -0.3, 1, null, null],
  );
  assert.deepEqual([limitOf("most_early", "-5"), limitOf("min_answered", "")], [0, 0]);
  assert.deepEqual([limitText("most_gold_missed", 1 / 3), limitText("most_early", null), limitText("min_answered", 0)], ["33", "", ""]);
  assert.equal(limitText("most_early", 0), "0", "no answer at all may be early");
});

test("a crowd is asked about gold and traps, and a few colleagues are not", () => {
  assert.deepEqual(
    [20, 21].map((listeners) => usualAttention({ listeners }).gold),
    [0, 2],
  );
});

test("who listened how is said in words, and what nobody knows is left out", () => {
  const known = { device: "earphones", place: "some noise", check: "left out", agreement: 0.618 };
  assert.equal(conditionWords(known), "earphones, some noise, no headphone check, agreement 0.62");
  assert.equal(conditionWords({ device: "", place: "", check: "", agreement: null }), "");
  const [[said, figures]] = ruleRows([{ rule: "early", values: { limit: 10 }, n_out: 2, n_doubted: 1 }]);
  assert.match(said, /10 % of the questions/);
  assert.deepEqual(figures, ["2", "1"]);
});
