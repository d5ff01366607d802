// Where a system stands: an anchor is the lowest only where nothing is as low.
import assert from "node:assert/strict";
import { test } from "node:test";
import { placeWords } from "../../assets/web/tests/test_places.js";

const system = (mean, rank) => ({ role: "system", mean, rank });
const anchor = (mean, role = "lowpass-3.5") => ({ role, mean, rank: null });
const reference = (mean) => ({ role: "reference", mean, rank: null });

test("an anchor is the lowest where nothing is as low, the reference included", () => {
  const found = anchor(18);
  assert.equal(placeWords(found, [found, system(40, 1), reference(97)]), "lowest, as it should be");
  assert.equal(placeWords(found, [found, system(40, 1), reference(10)]), "not the lowest");
  assert.equal(placeWords(found, [found, system(18, 1), reference(97)]), "not the lowest");
  assert.equal(placeWords(found, [found, anchor(9, "other-voice"), system(40, 1)]), "");
  const mid = anchor(50, "lowpass-7");
  assert.equal(placeWords(mid, [mid, found, system(40, 1), reference(97)]), "");
});

test("a reference and systems have their places", () => {
  const [best, first, second] = [reference(97), system(80, 1), system(60, 2)];
  const all = [best, first, second];
  assert.deepEqual(
    all.map((one) => placeWords(one, all)),
    ["found as the best, as it should be", "first place", "place 2"],
  );
  assert.equal(placeWords(reference(70), all), "not found as the best");
});
