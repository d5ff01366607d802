// What the listener's page knows without a page: what was heard, what is still to be sent, what a key means, which sounds it makes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { covered, Heard } from "../../assets/web/listener/listen_heard.js";
import {
  answersOf,
  faderScaleOf,
  hasFaders,
  padsOf,
  SCALE,
  scalesOf,
  scaleWord,
  typedNow,
} from "../../assets/web/listener/listen_methods.js";
import { Outbox } from "../../assets/web/listener/listen_outbox.js";
import { murmur, shuffled, TRIPLET, triplet } from "../../assets/web/listener/listen_tones.js";

const METHODS = ["abx", "ab", "cmos", "mos", "smos", "mushra", "mushra-like", "dcr", "ccr", "bs1116"];
const said = JSON.parse(readFileSync(new URL("../../assets/words/en.json", import.meta.url))).listen;

test("a sound is heard after 3 s or four fifths of it, in pieces too, and a pause is no play", () => {
  const heard = new Heard({ A: 10, B: 1 }, { share: 0.8, seconds: 3 });
  heard.begin("A", 100);
  assert.equal(heard.isEnough("A", 102.9), false);
  heard.begin(null, 102);
  heard.begin("A", 200, false);
  assert.equal(heard.isEnough("A", 200.9), false);
  assert.equal(heard.isEnough("A", 201), true);
  heard.begin("B", 201);
  assert.deepEqual(heard.missing(201.7), ["B"]);
  assert.deepEqual(heard.missing(201.8), []);
  heard.begin("A", 202);
  assert.deepEqual(heard.plays, { A: 2, B: 1 });
  assert.deepEqual(heard.seconds(202.5), { A: 3.5, B: 1 });
});

test("where all of a sound has to be heard, parts that cover it do, and the same part again does not", () => {
  const heard = new Heard({ A: 10, B: 4 }, { share: 0.8, seconds: 3, isWhole: true });
  heard.begin("A", 0);
  assert.equal(heard.isEnough("A", 9.7), false);
  assert.equal(heard.isEnough("A", 9.9), true);
  const loop = { share: 0.2, part: { from: 0, to: 0.5 } };
  heard.begin("B", 10, true, loop);
  assert.equal(heard.isEnough("B", 100), false); // round and round the first half
  heard.begin("B", 20, true, { share: 0.5, part: { from: 0.5, to: 1 } });
  assert.deepEqual(heard.missing(21.8), ["B"]);
  heard.begin(null, 22);
  assert.deepEqual(heard.missing(23), []);
  assert.equal(
    covered([
      [0.5, 0.8],
      [0, 0.2],
      [0.1, 0.3],
    ]).toFixed(3),
    "0.600",
  );
});

function outbox(results, written = []) {
  const [sent, waits, refused] = [[], [], []];
  const send = async (answer) => {
    sent.push(answer.trial);
    const problem = results.shift();
    if (problem) throw problem;
  };
  const kept = { read: () => [...written], write: (list) => written.splice(0, written.length, ...list) };
  const wait = async (seconds) => waits.push(seconds);
  return {
    box: new Outbox({ kept, send, wait, onRefused: (_error, answer) => refused.push(answer.trial) }),
    sent,
    waits,
    refused,
    written,
  };
}

test("an answer is kept until the studio has it, and sent again after longer and longer", async () => {
  const lost = { isFinal: false };
  const { box, sent, waits, written } = outbox([lost, lost, lost, lost, lost, lost, null, null]);
  box.put({ trial: 1 });
  box.put({ trial: 1 });
  box.put({ trial: 2 });
  assert.deepEqual(written, [{ trial: 1 }, { trial: 2 }]);
  await box.flush();
  assert.deepEqual(sent, [1, 1, 1, 1, 1, 1, 1, 2]);
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 30]);
  assert.deepEqual([written, box.size, box.isStuck], [[], 0, false]);
});

test("what was kept before is sent, and what the studio does not take is told and not sent again", async () => {
  const { box, sent, refused } = outbox([{ isFinal: true }, null], [{ trial: 4 }, { trial: 5 }]);
  await box.flush();
  assert.deepEqual([sent, refused, box.trials], [[4, 5], [4], []]);
});

test("each method asks in words that are there, and R stands first and X between A and B", () => {
  for (const method of METHODS) {
    const words = [`${method.replace("-", "_")}_question`, ...answersOf(method, true).map(({ word }) => word)];
    for (const word of words) assert.ok(said[word], word);
  }
  assert.deepEqual(
    answersOf("cmos").map(({ value }) => value),
    [-3, -2, -1, 0, 1, 2, 3],
  );
  assert.deepEqual([answersOf("ab", false).length, answersOf("ab", true)[1].value], [2, "none"]);
  const order = (labels) => padsOf(labels.map((label) => ({ label }))).map(({ label }) => label);
  assert.deepEqual(order(["B", "X", "A"]), ["A", "X", "B"]);
  assert.deepEqual(order(["10", "2", "R", "1"]), ["R", "1", "2", "10"]);
});

test("two keys soon after one another are one number, and the words of a score are five of 20 points", () => {
  const known = ["1", "2", "10", "12", "-3", "3"];
  const one = typedNow(null, "1", 5, known);
  assert.equal(one.text, "1");
  assert.equal(typedNow(one, "2", 5.4, known).text, "12");
  assert.equal(typedNow(one, "2", 6.4, known).text, "2");
  assert.equal(typedNow(typedNow(null, "-", 1, known), "3", 1.2, known).text, "-3");
  assert.deepEqual([0, 19, 20, 50, 79, 80, 100].map(scaleWord), ["bad", "bad", "poor", "fair", "good", "excellent", "excellent"]);
  assert.equal(SCALE[0], "excellent");
});

test("scales are asked in the order given, each with its words or those of its ends", () => {
  const say = (key, values) => (values ? `${values.n}, ${values.word}` : said[key]);
  const [background, overall] = scalesOf({ method: "p835", scales: ["background", "overall"] }, [], say);
  assert.deepEqual([background.question, background.points.at(-1)], [said.p835_background, { value: 5, said: said.not_noticeable }]);
  assert.equal(overall.points[0].said, said.bad);
  const own = [
    { id: "age", question: "How old?", labels: ["Young", "Old"], points: 4 },
    { id: "pace", question: "How fast?", labels: ["Slow", "Right", "Fast"], points: 3 },
  ];
  const [pace, age] = scalesOf({ method: "mos", scales: ["pace", "age"] }, own, say);
  assert.deepEqual(
    [pace, age].map(({ points }) => points.map((point) => point.said)),
    [
      ["Slow", "Right", "Fast"],
      ["1, Young", "2", "3", "4, Old"],
    ],
  );
  assert.deepEqual(scalesOf({ method: "mos", scales: [] }, own, say), []);
});

test("grades have their words at the points, in tenths", () => {
  const { least, most, step, words, wordOf } = faderScaleOf("bs1116");
  assert.ok(hasFaders("bs1116"));
  assert.deepEqual([least, most, step, words.length], [1, 5, 0.1, 5]);
  assert.deepEqual([5, 4.4, 2.6, 1].map(wordOf), ["imperceptible", "perceptible", "slightly_annoying", "very_annoying"]);
  assert.ok(words.every((word) => said[word]));
});

test("the murmur is as loud as the test and repeats without a click", () => {
  const samples = murmur(16_000, 1);
  const rms = Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);
  assert.ok(Math.abs(20 * Math.log10(rms) + 23) < 0.01);
  assert.ok(Math.abs(samples[0] - samples.at(-1)) < 0.01);
  assert.ok(Math.max(...samples.map(Math.abs)) < 1);
});

test("of three tones one is 6 dB lower, and the one in opposite phase cancels between loudspeakers", () => {
  const rate = 4000;
  const [left, right] = triplet(rate, ["plain", "opposite", "quiet"]);
  const step = (TRIPLET.toneSeconds + TRIPLET.gapSeconds) * rate;
  const level = (samples, place) => {
    const tone = samples.slice(place * step + rate * 0.2, place * step + rate * 0.8);
    return 10 * Math.log10(tone.reduce((sum, sample) => sum + sample ** 2, 1e-12) / tone.length);
  };
  const both = left.map((sample, index) => (sample + right[index]) / 2);
  assert.ok(Math.abs(level(left, 0) - level(left, 2) - 6) < 0.1);
  assert.ok(Math.abs(level(left, 0) - level(left, 1)) < 0.1);
  assert.ok(level(both, 1) < -80 && level(both, 0) > -25);
});

test("an order of chance holds each once, and every order comes", () => {
  const orders = new Set(Array.from({ length: 200 }, () => shuffled(["a", "b", "c"]).join("")));
  assert.equal(orders.size, 6);
});
