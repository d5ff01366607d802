// Fields of what a kind of change takes beside words: an emotion, a pace, a pause. As the engine declares it.

import { field, numberField, selectField, textField } from "../script_sheets/sheet.js";
import { number, words } from "../words/words.js";

const MOST_STEPS = 9; // of a whole number that is chosen from a list

/** What a kind is called, in the language of the page where it has words for it. */
export const kindWords = ({ name, summary = name }) => own(`mend_kind_${name}`) ?? summary;

/** {element, read} of one option. read(): its value, null for the engine's own. */
export function optionField(id, option) {
  const { name, kind, default: usual, minimum, maximum, choices } = option;
  const said = own(`mend_option_${name}`) ?? name;
  if (kind === "choice") return choiceField(id, said, option, choices);
  if (kind === "int" && maximum - minimum < MOST_STEPS) {
    const steps = Array.from({ length: maximum - minimum + 1 }, (_, at) => String(minimum + at));
    const { select, element } = selectField(
      id,
      said,
      steps.map((step) => [step, step]),
      String(usual),
    );
    return { element, read: () => Number(select.value) };
  }
  if (kind === "int" || kind === "float") {
    const hint = words("scripts.mend_bounds", { least: number(minimum, 0, 2), most: number(maximum, 0, 2) });
    return numberField(id, said, usual, { min: minimum, max: maximum, step: kind === "int" ? 1 : "any", hint });
  }
  if (kind === "bool") return switchField(id, said, usual);
  const { input, element } = textField(id, said, usual ?? "", { maxLength: maximum ?? undefined });
  return { element, read: () => input.value.trim() };
}

function choiceField(id, said, { default: usual, labels }, choices) {
  const names = choices.map((choice, at) => [choice, own(`mend_value_${choice || "none"}`) ?? labels[at] ?? choice]);
  const { select, element } = selectField(id, said, names, usual ?? choices[0]);
  return { element, read: () => select.value };
}

function switchField(id, said, usual) {
  const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: Boolean(usual) });
  return { element: field(id, said, box), read: () => box.checked };
}

function own(key) {
  try {
    return words(`scripts.${key}`);
  } catch {
    return null;
  }
}
