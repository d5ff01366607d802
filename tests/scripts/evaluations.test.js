// What evaluations are asked for and told in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { evaluationOf } from "../../assets/web/compare/compare_evaluations.js";
import {
  draftLack,
  draftOfPlan,
  evaluationOrder,
  freshDraft,
  systemLabels,
  systemsOf,
} from "../../assets/web/evaluation_plan/evaluation_order.js";
import { voicesFound, voicesToChoose } from "../../assets/web/evaluation_plan/voices_found.js";
import { aboutWords, countWords, figureWords, rangeWords, shareOf, whyLine } from "../../assets/web/evaluation_state/evaluation_words.js";
import { placeOnScale, scaleOf } from "../../assets/web/evaluations/figure_plots.js";
import { isBest } from "../../assets/web/evaluations/figure_tables.js";

const SPEED = { name: "speed", kind: "float", default: 1, unit: "x" };
const ENGINES = [
  { id: "one", title: "One", options: [SPEED], voices: ["Ana", "eva"], voice_languages: { eva: "de" } },
  { id: "two", title: "Two", options: [], voices: ["eva"] },
];
const FRESH = freshDraft({ systems: [{ engine: "one", options: {} }], voices: ["Ana"], language: "en" });

test("systems are those of Compare once each, without what is no part of one", () => {
  const lanes = [
    { engine: "one", options: { seed: 4, speed: 2 } },
    { engine: "one", options: { speed: 2, seed: 9 } },
    { engine: "two", options: {} },
  ];
  assert.deepEqual(systemsOf(lanes), [
    { engine: "one", options: { speed: 2 } },
    { engine: "two", options: {} },
  ]);
});

test("a system is called by its engine and what is otherwise; alike ones get a letter", () => {
  const [plain, fast] = [
    { engine: "one", options: {} },
    { engine: "one", options: { speed: 2 } },
  ];
  assert.deepEqual(systemLabels([plain, fast], ENGINES), ["One", "One · Speed 2"]);
  assert.deepEqual(systemLabels([plain, plain], ENGINES), ["One (A)", "One (B)"]);
});

test("an order has speed beside the options, a seed for each time, and says nothing of what is left to the studio", () => {
  const draft = { ...FRESH, systems: [{ engine: "one", options: { speed: 2, warmth: 0.5 } }], n_seeds: 2 };
  assert.deepEqual(evaluationOrder(draft, ENGINES), {
    systems: [{ engine: "one", label: "One · Speed 2", speed: 2, options: { warmth: 0.5 } }],
    voices: ["Ana"],
    texts: { builtin: { languages: ["en"], n: 10 } },
    seeds: [0, 1],
    learn: "best",
  });
  const lines = { ...FRESH, kind: "lines", lines: " One.\n\nTwo. ", language: "de", title: " Mine ", measures: ["words"] };
  const order = evaluationOrder(lines, ENGINES);
  assert.deepEqual([order.texts, order.title, order.measures], [{ lines: ["One.", "Two."], language: "de" }, "Mine", ["words"]]);
  const list = evaluationOrder({ ...FRESH, kind: "list", list: { text: "a|b", name: "meta.lst" } }, ENGINES);
  assert.deepEqual(list.texts, { list: "a|b", filename: "meta.lst" });
});

test("what is lacking is told before anybody is asked", () => {
  const lack = (values) => draftLack({ ...FRESH, ...values });
  assert.equal(lack({}), "");
  assert.deepEqual(
    [lack({ systems: [] }), lack({ voices: [] }), lack({ builtin: { languages: [], n: 1 } }), lack({ measures: [] })],
    ["systems", "voices", "languages", "measures"],
  );
  assert.deepEqual([lack({ kind: "lines", lines: " \n" }), lack({ kind: "list" })], ["lines", "list"]);
});

test("a plan that was run becomes a draft; texts that the page does not have are chosen anew, and none is lost unsaid", () => {
  const plan = {
    systems: [{ engine: "one", options: { warmth: 1 }, speed: 2, instructions: null }, { engine: null }],
    voices: [{ name: "Ana", label: "Ana" }],
    seeds: [0, 1, 2],
    learn: "now",
    measures: null,
    languages: ["en", "de"],
    texts: [{ id: "en-01", text: "One." }],
    n_texts: 100,
  };
  const draft = draftOfPlan(plan, FRESH);
  assert.deepEqual(draft.systems, [{ engine: "one", options: { warmth: 1, speed: 2 } }]);
  assert.deepEqual([draft.builtin, draft.n_seeds, draft.learn], [{ languages: ["en", "de"], n: 50 }, 3, "now"]);
  const own = { ...plan, texts: [{ id: "t1", text: "Mine." }] };
  assert.equal(draftLack(draftOfPlan(own, FRESH)), "list");
  const [few] = [draftOfPlan({ ...own, n_texts: 1, languages: ["de"] }, FRESH)];
  assert.deepEqual([few.kind, few.lines, few.language], ["lines", "Mine.", "de"]);
});

test("a voice is listed once, by who has it, and found by name, language and engine", () => {
  const stored = [{ name: "Ana", print: "ab", language: "en-us" }];
  const voices = voicesToChoose(stored, ENGINES);
  assert.deepEqual(
    voices.map(({ name, isStored, engines }) => [name, isStored, engines.map(({ id }) => id)]),
    [
      ["Ana", true, []],
      ["eva", false, ["one", "two"]],
    ],
  );
  const nameOf = (code) => ({ de: "German" })[code] ?? code;
  const found = (asked, chosen = new Set()) => voicesFound(voices, asked, chosen, nameOf).map(({ name }) => name);
  assert.deepEqual([found({}), found({ typed: "GERM" }), found({ of: "two" })], [["Ana", "eva"], ["eva"], ["eva"]]);
  assert.deepEqual([found({ of: "stored" }), found({ language: "en" })], [["Ana"], ["Ana"]]);
  assert.deepEqual(found({ of: "chosen" }, new Set(["eva"])), ["eva"]);
});

test("figures have their decimals and units, times are about, and what is not known is a dash", () => {
  assert.deepEqual(
    [figureWords({ unit: "%", decimals: 1 }, 3), figureWords({ unit: "x", decimals: 2 }, 1), figureWords({ decimals: 3 }, null)],
    ["3.0 %", "1.00×", "–"],
  );
  assert.deepEqual([rangeWords({ decimals: 1 }, 1, 2.25), rangeWords({}, null, 2)], ["1.0 to 2.3", ""]);
  assert.deepEqual([aboutWords(2), aboutWords(310), aboutWords(7300)], ["about 5 s", "about 5 min", "about 2 h 2 min"]);
  const evaluation = { n_cells: 10, n_said: 10, n_measured: 5, state: "running" };
  assert.deepEqual([shareOf(evaluation), countWords(evaluation)], [0.75, "5 of 10 sounds measured"]);
  assert.equal(countWords({ ...evaluation, n_said: 1, n_measured: 0 }), "1 of 10 sounds said");
  assert.equal(whyLine({ message: "No.", hint: "Ask." }), "No. Ask.");
});

test("bold is what is better than each other one beyond chance, a toy apart", () => {
  const system = (id, value, isToy = false) => ({ id, is_toy: isToy, means: { words: { value } } });
  const pair = (one, other, better, isClear = true) => ({ system: one, other, figure: "words", is_clear: isClear, better });
  const systems = [system("a", 1), system("b", 2), system("c", 3)];
  const pairs = [pair("a", "b", "a"), pair("a", "c", "a"), pair("b", "c", null, false)];
  assert.deepEqual(
    ["a", "b", "c"].map((id) => isBest(id, "words", { pairs, systems })),
    [true, false, false],
  );
  assert.ok(!isBest("a", "words", { pairs: [pair("a", "b", "a")], systems }), "of c nothing is known");
  assert.ok(isBest("a", "words", { pairs: [pair("a", "b", "a")], systems: [...systems.slice(0, 2), system("c", 3, true)] }));
  assert.ok(!isBest("a", "words", { pairs: [], systems: [systems[0], system("c", 3, true)] }), "better than a toy alone is nothing");
});

test("a scale holds all that lies on it; by factors the middle is the geometric mean", () => {
  const scale = scaleOf([1, 100, null], true);
  assert.ok(Math.abs(placeOnScale(10, scale, true) - 0.5) < 1e-9);
  assert.ok(placeOnScale(1, scale, true) > 0 && placeOnScale(100, scale, true) < 1);
  assert.equal(scaleOf([null], false), null);
  assert.equal(placeOnScale(5, scaleOf([5, 5], false), false), 0.5);
});

test("an address of Compare is one of evaluations or of a comparison", () => {
  assert.deepEqual(["evaluations", "evaluations/ab12", "text=evaluations", ""].map(evaluationOf), ["", "ab12", null, null]);
});
