// The line below a transcript: the studio is asked once the typing rests, and only its answer to what stands there now is shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { TranscriptCheck } from "../../assets/web/create/transcript.js";

// A check whose timer is moved by hand. asked: what the studio was asked, with the promise's resolve as `answer`.
function checking(context) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const line = { textContent: "", dataset: {} };
  const asked = [];
  const ask = (name, values) => {
    const { promise, resolve } = Promise.withResolvers();
    asked.push({ name, ...values, answer: resolve });
    return promise;
  };
  return { line, asked, check: new TranscriptCheck(line, ask), wait: () => context.mock.timers.tick(1000) };
}

const settled = () => new Promise(setImmediate);

test("one question is asked when the typing rests, and its answer is said", async (context) => {
  const { line, asked, check, wait } = checking(context);
  for (const text of ["H", "He", "Hello"]) check.show(text, 2.5);
  assert.equal(asked.length, 0);
  wait();
  assert.deepEqual(
    asked.map(({ name, text, seconds }) => [name, text, seconds]),
    [["judge_words", "Hello", 2.5]],
  );
  asked[0].answer({ case: "words_missing", values: { n: 0.4, spoken: 2.5 }, is_doubtful: true });
  await settled();
  assert.match(line.textContent, /^These words take about 0.4 s to say, and 2.5 s are spoken. Are some missing/);
  assert.equal(line.dataset.kind, "doubt");
});

test("engines that take their pace from the words are named", async (context) => {
  const { line, asked, check, wait } = checking(context);
  check.show("A few words", 2.5);
  wait();
  asked[0].answer({ case: "words_slow", values: { n: 0.8, spoken: 2.5, engines: ["One", "Other"] }, is_doubtful: true });
  await settled();
  assert.match(line.textContent, /said as slowly by One, Other\. Are some missing/);
});

test("an answer to what stood there before says nothing", async (context) => {
  const { line, asked, check, wait } = checking(context);
  check.show("Before", 2);
  wait();
  check.show("After", 2);
  wait();
  asked[1].answer({ case: "words_good", values: { n: 2, spoken: 2 }, is_doubtful: false });
  asked[0].answer({ case: "words_extra", values: { n: 9, spoken: 2 }, is_doubtful: true });
  await settled();
  assert.match(line.textContent, /that fits.$/);
  assert.equal(line.dataset.kind, "");
});

test("without words or without a known length nothing is asked, and an empty field says that it may stay so", (context) => {
  const { line, asked, check, wait } = checking(context);
  check.show("Words", 0);
  assert.equal(line.textContent, "");
  check.show("", 3);
  assert.notEqual(line.textContent, "");
  wait();
  assert.equal(asked.length, 0);
});

test("what was typed and taken back is not asked about", (context) => {
  const { asked, check, wait } = checking(context);
  check.show("Words", 2);
  check.show("", 2);
  wait();
  assert.equal(asked.length, 0);
});
