// "Get it" gets the engine that it speaks of, or leads to that engine's own row.
import "./standing_page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { choice } from "../../assets/web/choice/choice.js";
import { gettingActs, gettingButtons } from "../../assets/web/engines/engine_get.js";
import { seeAsVisitor } from "../../assets/web/words/words.js";

const ABSENT = { code: "engine_unavailable", values: { sentence: "weights_absent", name: "Large" } };
const engines = [
  { id: "small", title: "Small", bytes: 1e6, can_get: true },
  { id: "large", title: "Large", bytes: 4e9, can_get: false },
];

test("the press gets what nothing else is asked for, and leads to the row of what has terms", async (context) => {
  const asked = [];
  context.mock.method(choice, "ask", async (name, { engine }) => asked.push([name, engine]) && {});
  context.mock.method(choice, "look", () => {});
  const before = choice.known;
  context.after(() => Object.assign(choice, { known: before }));
  choice.known = { engines };
  const row = { checkVisibility: () => true, scrollIntoView: () => asked.push("seen"), focus: () => asked.push("focused") };
  const looked = [];
  context.mock.method(document, "querySelector", (selector) => looked.push(selector) && row);

  const [get] = gettingActs(ABSENT, "small", "speak-message");
  assert.equal(get.words, "Get it, 1.0 MB");
  await get.press();
  assert.deepEqual(asked, [["fetch_weights", "small"]]);
  gettingActs(ABSENT, "large", "speak-message")[0].press();
  assert.deepEqual(asked.slice(1), ["seen", "focused"]);
  assert.ok(
    looked.some((selector) => selector.includes("engine-card-large")),
    "its own row, and no other",
  );

  assert.deepEqual(gettingActs({ code: "engine_busy" }, "small", "speak-message"), []);
  seeAsVisitor(true);
  try {
    assert.deepEqual(gettingActs(ABSENT, "small", "speak-message"), [], "a visitor may not");
  } finally {
    seeAsVisitor(false);
  }
});

test("a button of its own first closes what it stands in", (context) => {
  const before = choice.known;
  context.after(() => Object.assign(choice, { known: before }));
  choice.known = { engines };
  const order = [];
  context.mock.method(choice, "ask", async () => order.push("get") && {});
  context.mock.method(choice, "look", () => {});
  const pressed = [];
  const button = { append: () => {}, addEventListener: (_name, act) => pressed.push(act) };
  const { createElement } = document;
  context.after(() => Object.assign(document, { createElement }));
  document.createElement = () => button;
  const [get] = gettingButtons(ABSENT, "small", "voices-message", () => order.push("close"));
  assert.equal(get.textContent, "Get it, 1.0 MB");
  pressed[0]();
  assert.deepEqual(order, ["close", "get"]);
  assert.deepEqual(gettingButtons({ code: "engine_busy" }, "small", "voices-message"), []);
});
