// Which notice the dock's strip shows, second by second.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StripQueue } from "../../assets/web/kit/strip_queue.js";

const STANDING = { key: "connection", seconds: Number.POSITIVE_INFINITY };
const shown = (queue, now, isHeld) => queue.at(now, isHeld)?.key ?? null;

test("a notice is there for six seconds, and for as long as somebody is at it", () => {
  const queue = new StripQueue();
  queue.add({ key: "saved" }, 10);
  assert.deepEqual([shown(queue, 10), queue.waits(10), shown(queue, 15.9), shown(queue, 16)], ["saved", 6, "saved", null]);
  queue.add({ key: "saved" }, 20);
  assert.deepEqual([shown(queue, 20), shown(queue, 40, true), shown(queue, 41, false)], ["saved", "saved", null]);
  assert.equal(queue.waits(41), Number.POSITIVE_INFINITY);
});

test("a new one waits until the one before was read, and one of the same key does not", () => {
  const queue = new StripQueue();
  queue.add({ key: "one" }, 0);
  assert.equal(shown(queue, 0), "one");
  queue.add({ key: "two" }, 1);
  assert.deepEqual([shown(queue, 1), queue.waits(1), shown(queue, 2)], ["one", 1, "two"]);
  const again = queue.add({ key: "two", text: "other words" }, 3);
  assert.equal(queue.at(3), again);
});

test("what can be undone comes back for the time that is left of it, and not after that", () => {
  const queue = new StripQueue();
  queue.add({ key: "undo", seconds: 30, isLimited: true }, 0);
  assert.equal(shown(queue, 0), "undo");
  queue.add({ key: "saved" }, 10);
  assert.deepEqual([shown(queue, 10), shown(queue, 16), queue.waits(16), shown(queue, 30)], ["saved", "undo", 14, null]);
});

test("how the page is stands as long as it is so, under what is newer", () => {
  const queue = new StripQueue();
  queue.add(STANDING, 0);
  assert.deepEqual([shown(queue, 0), shown(queue, 9999)], ["connection", "connection"]);
  queue.add({ key: "saved" }, 10_000);
  assert.deepEqual([shown(queue, 10_000), shown(queue, 10_006)], ["saved", "connection"]);
  queue.remove("connection");
  assert.equal(shown(queue, 10_007), null);
});
