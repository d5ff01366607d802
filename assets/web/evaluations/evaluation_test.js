// A blind listening test of the texts in which systems differ most: how many, and how it is asked.

import { evaluationAnswer, evaluationBody } from "../evaluation_state/evaluation_calls.js";
import { titleOf } from "../evaluation_state/evaluation_words.js";
import { make } from "../kit/frame.js";
import { ask as agreeTo } from "../kit/library.js";
import { strip } from "../kit/notices.js";
import { hashOf } from "../navigation/address.js";
import { words } from "../words/words.js";

const METHODS = ["ab", "cmos", "mos", "mushra-like"];
const USUAL = 20;
const MOST = 100;
const BACK_MILLISECONDS = 300; // until the browser has taken the dialog out of its history

/** Asks what it is to be, has it made, and offers to open it. Throws SpeechRefused. */
export async function openEvaluationTest(evaluation) {
  const { id, plan, systems } = evaluation;
  const known = plan?.systems ?? systems.map((label) => ({ id: label, label }));
  const n = make("input", { type: "number", className: "input num", min: "1", max: String(MOST), step: "1", value: String(USUAL) });
  const method = make(
    "select",
    { className: "select" },
    ...METHODS.map((value) => make("option", { value, textContent: methodWords(value) })),
  );
  const boxes = known.map(({ id: value, label }) => {
    const box = make("input", { type: "checkbox", value, checked: true });
    return make("label", { className: "check" }, box, make("span", { dir: "auto", textContent: label }));
  });
  const fields = [
    field(words("evaluations.page_test_n"), n),
    field(words("evaluations.page_test_method"), method),
    ...(known.length > 2 ? [group(words("evaluations.page_test_systems"), boxes)] : []),
  ];
  const more = make("div", { className: "evaluation-question stack" }, ...fields);
  const yes = words("evaluations.page_test_make");
  if (!(await agreeTo(words("evaluations.page_test_about"), yes, words("evaluations.page_cancel"), [more], "primary"))) return;
  const chosen = boxes.map((label) => label.querySelector("input")).filter(({ checked }) => checked);
  const order = {
    n: Math.max(1, Math.min(MOST, Math.round(n.valueAsNumber) || USUAL)),
    method: method.value,
    name: titleOf(evaluation),
    ...(chosen.length < known.length && { systems: chosen.map(({ value }) => value) }),
  };
  const { test } = await evaluationAnswer(`/${id}/test`, {}, evaluationBody(order));
  const press = () => setTimeout(() => Object.assign(location, { hash: hashOf({ room: "tests", thing: test }) }), BACK_MILLISECONDS);
  const act = { words: words("evaluations.page_test_open"), press };
  strip({
    text: words("evaluations.page_test_made"),
    hint: words("evaluations.page_test_made_hint"),
    act,
    seconds: Number.POSITIVE_INFINITY,
  });
}

const methodWords = (method) => words(`tests.method_${method.replace("-", "_")}`);

const field = (name, control) => make("label", { className: "field" }, make("span", { className: "name", textContent: name }), control);

function group(name, boxes) {
  const element = make("fieldset", { className: "choices" }, make("legend", { textContent: name }), ...boxes);
  return element;
}
