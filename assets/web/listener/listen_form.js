// The questions beside the sounds, as whoever made the test wrote them.

import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { button, formCard, showScreen, verbs } from "./listen_parts.js";

const MOST_PICKS = 5; // choices that are all seen; more of them fold into a list
const MOST_TEXT = 1000; // characters, as the studio takes them

/** questions: as the invitation has them. Resolves with the answers by their ids, without those that are empty. */
export function askForm(questions, title) {
  return new Promise((resolve) => {
    const fields = questions.map(fieldOf);
    const answers = () => Object.fromEntries(fields.map(({ id, value }) => [id, value()]).filter(([, value]) => !isEmpty(value)));
    const next = button(words("listen.go_on"), () => resolve(answers()), { look: "primary big" });
    const allow = () => {
      next.disabled = !fields.every(({ isRight }) => isRight());
    };
    const card = formCard(...fields.map(({ element }) => element), verbs(next));
    for (const event of ["input", "change"]) card.addEventListener(event, allow);
    allow();
    showScreen(title, [card]);
  });
}

const isEmpty = (value) => value === "" || value === null || (Array.isArray(value) && !value.length);

const nameOf = ({ text, required }) => (required ? text : words("listen.form_optional", { question: text }));

// { id, element, value(), isRight() }
function fieldOf(question) {
  const { element, value, isFitting = () => true } = KINDS[question.kind](question);
  const isRight = () => isFitting() && (!question.required || !isEmpty(value()));
  return { id: question.id, element, value, isRight };
}

const KINDS = {
  choice: (question) => (question.choices.length > MOST_PICKS ? list(question) : ticks(question, "radio")),
  several: (question) => ticks(question, "checkbox"),
  number: (question) => {
    const input = make("input", {
      type: "number",
      className: "input num",
      step: "any",
      min: question.least ?? "",
      max: question.most ?? "",
    });
    const value = () => (Number.isNaN(input.valueAsNumber) ? null : input.valueAsNumber);
    return { element: labelled(question, input), value, isFitting: () => input.checkValidity() };
  },
  text: (question) => {
    const input = make("input", { className: "input", dir: "auto", maxLength: MOST_TEXT });
    return { element: labelled(question, input), value: () => input.value.trim() };
  },
};

function labelled(question, input) {
  return make("label", { className: "field" }, make("span", { className: "name", textContent: nameOf(question), dir: "auto" }), input);
}

function list(question) {
  const options = question.choices.map((choice) => make("option", { value: choice, textContent: choice }));
  const select = make(
    "select",
    { className: "select" },
    make("option", { value: "", textContent: words("listen.form_choose") }),
    ...options,
  );
  return { element: labelled(question, select), value: () => select.value };
}

function ticks(question, type) {
  const inputs = question.choices.map((choice) => make("input", { dir: "auto", type, name: question.id, value: choice }));
  const labels = inputs.map((input) =>
    make("label", { className: "check" }, input, make("span", { textContent: input.value, dir: "auto" })),
  );
  const legend = make("legend", { textContent: nameOf(question), dir: "auto" });
  const element = make("fieldset", { className: "form-question" }, legend, ...labels);
  const chosen = () => inputs.filter(({ checked }) => checked).map(({ value }) => value);
  return { element, value: () => (type === "radio" ? (chosen()[0] ?? "") : chosen()) };
}
