// Native selects with many choices open a list that can be searched.
import "./standing_page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { isLong, sectionsOf } from "../../assets/web/kit/long_select.js";

const option = (value, textContent, group = null, selected = false) => ({ value, textContent, selected, closest: () => group });
const german = { label: "German" };
const options = [option("", "All voices"), option("ann", "Ann", german, true), option("ben", "Ben", german), option("zoe", "Zoë")];
const told = (typed) => sectionsOf({ options }, typed).map(({ title, items }) => [title, items.map(({ value }) => value)]);

test("a select is long that nobody wants to look through, and none that chooses nothing or several", () => {
  const of = (length, more = {}) => isLong({ disabled: false, multiple: false, options: { length }, ...more });
  assert.deepEqual([of(12), of(13), of(200)], [false, true, true]);
  assert.deepEqual([of(200, { disabled: true }), of(200, { multiple: true })], [false, false]);
});

test("its list has the groups in their order, and finds by choice and by group, whatever the accents", (context) => {
  const { createElement } = document;
  context.after(() => Object.assign(document, { createElement }));
  document.createElement = () => ({ append: () => {} });
  const all = [
    ["", [""]],
    ["German", ["ann", "ben"]],
    ["", ["zoe"]],
  ];
  assert.deepEqual(told(""), all);
  assert.deepEqual(told("german")[1], all[1]);
  assert.deepEqual(told("zoe").at(-1), all[2]);
  assert.deepEqual(told("zoe")[1], ["German", []]);
  assert.deepEqual(
    sectionsOf({ options }, "")[1].items.map(({ isChosen }) => isChosen),
    [true, false],
  );
});
