// A comparison as one file, the runs that its times come from, and its names while they are hidden.
import "./small_page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { drawnOrder } from "../../assets/web/compare/compare_blind.js";
import { csvOf, filesOf, laneFigures } from "../../assets/web/compare/compare_export.js";
import { comparedRuns, timesOf, wantsRun } from "../../assets/web/compare/compare_runs.js";
import { crc32 as ours, zipOf } from "../../assets/web/compare/compare_zip.js";

const run = (start, firstSound, speed = 2, isQuick = true) => ({ start, firstSound, ttfp: 40, speed, isQuick });
const lane = (more = {}) => ({
  isHeard: true,
  name: "Ana, Tone",
  voice: "Ana",
  engine: "tone",
  language: "",
  options: { seed: 7, speed: 1.5 },
  seed: { default: 0 },
  seconds: 0.5,
  sampleRate: 8000,
  pieces: [Int16Array.of(1, 2), Int16Array.of(-3)],
  failure: null,
  ending: {},
  lufs: -20.123,
  estimates: { likeness: 0.8, word_errors: 1, n_words: 4, dnsmos: { overall: 3.5 }, distillmos: null },
  runs: [run("warm", 100), run("warm", 120)],
  ...more,
});

test("an archive has each file whole, where its directory says", async () => {
  const bytes = (text) => new TextEncoder().encode(text);
  const files = [
    { name: "a.txt", bytes: bytes("one") },
    { name: "é.bin", bytes: Uint8Array.from({ length: 70000 }, (_, at) => at % 251) },
    { name: "empty", bytes: bytes("") },
  ];
  for (const file of files) assert.equal(ours(file.bytes), crc32(file.bytes));
  const zip = new DataView(await zipOf(files).arrayBuffer());
  const end = zip.byteLength - 22;
  assert.equal(zip.getUint32(end, true), 0x06054b50);
  assert.equal(zip.getUint16(end + 10, true), files.length);
  let entry = zip.getUint32(end + 16, true);
  for (const file of files) {
    const named = bytes(file.name);
    assert.equal(zip.getUint32(entry, true), 0x02014b50);
    assert.deepEqual(new Uint8Array(zip.buffer, entry + 46, zip.getUint16(entry + 28, true)), named);
    const head = zip.getUint32(entry + 42, true);
    assert.equal(zip.getUint32(head, true), 0x04034b50);
    assert.deepEqual([zip.getUint32(head + 14, true), zip.getUint32(entry + 16, true)], [ours(file.bytes), ours(file.bytes)]);
    assert.deepEqual(new Uint8Array(zip.buffer, head + 30 + named.length, zip.getUint32(head + 18, true)), file.bytes);
    entry += 46 + named.length;
  }
  assert.equal(entry, end);
});

test("all of a comparison is its sounds and what made them, and a lane that failed has a row", async () => {
  const failed = lane({
    isHeard: false,
    name: "=cmd, Tone",
    failure: new Error("gone"),
    runs: [],
    lufs: null,
    estimates: null,
    facts: null,
  });
  const files = await filesOf([lane(), failed], "Hello, you");
  assert.deepEqual(
    files.map(({ name }) => name),
    ["figures.json", "figures.csv", "A.wav"],
  );
  const { text, lanes } = JSON.parse(new TextDecoder().decode(files[0].bytes));
  assert.equal(text, "Hello, you");
  const { seed, options, first_sound_ms: sound, rtf, n_runs: n, likeness, ttfp_ms: ttfp } = lanes[0];
  assert.deepEqual([seed, options, sound, rtf, n, likeness, ttfp], [7, { speed: 1.5 }, 110, 0.5, 2, 0.8, 40]);
  assert.deepEqual([lanes[1].file, lanes[1].error, lanes[1].seed], [null, "gone", 7]);
  assert.equal(files[2].bytes.length, 44 + 6);
  const [head, first, second] = csvOf([lane(), failed].map(laneFigures)).split("\r\n");
  assert.ok(head.startsWith("lane,file,label,voice,engine,seed"));
  assert.ok(first.startsWith('A,A.wav,"Ana, Tone",Ana,tone,7,speed=1.5'));
  assert.ok(second.startsWith(`B,,"'=cmd, Tone"`));
});

test("a lane is timed again while its runs of one kind tell nothing, unless it is slow, or a server elsewhere is paid for it", () => {
  assert.ok(wantsRun([run("cold", 900)]) && wantsRun([run("cold", 900), run("warm", 100)]));
  assert.ok(!wantsRun([run("warm", 90), run("warm", 100)]) && !wantsRun([run("warm", 90, 2, false)]));
  assert.ok(!wantsRun([run("cold", 9), run("disk", 9), run("warm", 9)]) && !wantsRun([]));
  const mixed = [run("cold", 900), run("warm", 100), run("warm", 120)];
  assert.deepEqual(
    comparedRuns(mixed).map(({ firstSound }) => firstSound),
    [100, 120],
  );
  assert.deepEqual(timesOf([{ runs: mixed }, { runs: [run("warm", 50)] }, { runs: [] }], "firstSound"), [[100, 120], [50], null]);
  const cold = [run("cold", 10), run("cold", 11)];
  assert.deepEqual(timesOf([{ runs: mixed }, { runs: cold }], "firstSound"), [[100], [10]], "cold beside warm is no contest");
});

test("hidden lanes stand in any order, each as likely", () => {
  const seen = new Set();
  for (let first = 0; first < 6; first += 1) {
    const draws = [[0, 0.4, 0.9][first % 3], [0, 0.9][Math.floor(first / 3)]];
    seen.add(drawnOrder(3, () => draws.shift()).join(""));
  }
  assert.deepEqual([...seen].sort(), ["012", "021", "102", "120", "201", "210"]);
});
