// One evaluation on the page, with a studio whose answers the test gives by hand.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { small } from "./small_page.js";

const { EvaluationPage } = await import("../../assets/web/evaluations/evaluation_page.js");

const fetchBefore = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = fetchBefore;
});

const settle = () => new Promise((resolve) => setTimeout(resolve));
const PLAN = { systems: [], voices: [], texts: [], seeds: [0], measures: null };
const row = (id, more = {}) => ({
  id,
  title: `Title of ${id}`,
  state: "done",
  n_cells: 4,
  n_said: 4,
  n_measured: 4,
  systems: ["One", "Two"],
  n_voices: 1,
  n_texts: 2,
  is_running: false,
  seconds_left: null,
  progress: null,
  plan: PLAN,
  ...more,
});
const found = (said) => ({ figures: [], systems: [], pairs: [], verdict: [{ said }] });

// A page, what was asked of the studio (each with answer(value)), what was refused and how it was named.
function opened(id) {
  const heard = { asked: [], refused: [], named: [] };
  globalThis.fetch = (address, { method = "GET" } = {}) =>
    new Promise((resolve) => {
      const path = address.pathname.replace("/v1/studio/evaluations", "");
      const respond = (value, status) => resolve(new Response(JSON.stringify(value), { status }));
      const answer = async (value, status = 200) => {
        heard.asked.splice(heard.asked.indexOf(one), 1);
        respond(value, status);
        await settle();
      };
      const one = { path, method, answer };
      heard.asked.push(one);
    });
  const element = small("div");
  const page = new EvaluationPage(element, {
    create: (plan) => heard.named.push(plan),
    toList() {},
    refuse: (problem) => heard.refused.push(problem.message),
    named: ({ title }) => heard.named.push(title),
    isSeen: () => true,
  });
  heard.of = (path, method = "GET") => heard.asked.find((one) => one.path === path && one.method === method);
  heard.button = (said) => element.querySelectorAll("button").find(({ textContent }) => textContent === said);
  heard.claims = () => element.querySelectorAll(".claim").map(({ textContent }) => textContent);
  heard.title = () => element.querySelector("h2").textContent;
  page.open(id);
  return { page, heard };
}

test("an answer about another evaluation is never shown", async () => {
  const { page, heard } = opened("a");
  const late = heard.of("/a");
  page.open("b");
  assert.ok(heard.of("/b"), "asked at once, whatever is under way");
  await heard.of("/b").answer(row("b"));
  await late.answer(row("a"));
  assert.deepEqual([heard.title(), heard.named], ["Title of b", ["Title of b"]]);
  await heard.of("/b/results").answer(found("b is better"));
  assert.deepEqual(heard.claims(), ["b is better"]);
  page.open("c");
  assert.deepEqual([heard.title(), heard.claims()], ["", []], "what is no longer seen is gone at once");
});

test("late results of another evaluation are thrown away", async () => {
  const { page, heard } = opened("a");
  await heard.of("/a").answer(row("a"));
  const late = heard.of("/a/results");
  page.open("b");
  await heard.of("/b").answer(row("b", { n_said: 0, n_measured: 0, state: "ready" }));
  await late.answer(found("a is better"));
  assert.deepEqual(heard.claims(), []);
  page.end();
});

test("what runs can be stopped, what was stopped goes on, and what is done does neither", async () => {
  const { page, heard } = opened("a");
  const running = { state: "running", is_running: true, n_said: 0, n_measured: 0, progress: { phase: "say", seconds_left: 100 } };
  await heard.of("/a").answer(row("a", running));
  assert.deepEqual([heard.button("Stop").hidden, heard.button("Go on").hidden], [false, true]);
  heard.button("Stop").click();
  await heard.of("/a/run", "DELETE").answer({});
  await heard.of("/a").answer(row("a", { state: "stopped", n_said: 0, n_measured: 0 }));
  assert.deepEqual([heard.button("Stop").hidden, heard.button("Go on").hidden], [true, false]);
  heard.button("Go on").click();
  await heard.of("/a/run", "POST").answer({ error: { message: "No.", reason_code: "none" } }, 409);
  assert.deepEqual(heard.refused, ["No."]);
  await heard.of("/a").answer(row("a"));
  assert.deepEqual([heard.button("Stop").hidden, heard.button("Go on").hidden], [true, true]);
  page.end();
});

test("one that is gone is told, and is not asked for again", async () => {
  const { page, heard } = opened("a");
  await heard.of("/a").answer({ error: { message: "There is none.", reason_code: "none" } }, 404);
  assert.deepEqual([heard.refused, heard.asked], [["There is none."], []]);
  page.end();
});
