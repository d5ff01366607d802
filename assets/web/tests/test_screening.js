// How listeners were chosen: what each rule did, how each of them listened, and what the result would be with everybody. Pure but for elements.

import { make } from "../kit/frame.js";
import { number, words } from "../words/words.js";

/** With what and where somebody listened, what the headphone check said, and how well they agree with the others; "" where nobody knows. */
export function conditionWords({ device, place, check, agreement }) {
  const told = [device, place, check && `check_${check}`].filter(Boolean).map((one) => words(`tests.listened_${one.replaceAll(" ", "_")}`));
  if (agreement !== null) told.push(words("tests.listened_agreement", { r: number(agreement, 2, 2) }));
  return told.join(", ");
}

/** Rows of a table: each rule with its limit, how many it leaves out, how many are within it. */
export function ruleRows(rules) {
  return rules.map(({ rule, values, n_out: out, n_doubted: doubted }) => [
    words(`tests.rule_${rule}`, values),
    [number(out), number(doubted)],
  ]);
}

/** What the result would be if nobody had been left out. said(line): in words; table: its figures. */
export function everybodyParts({ verdict }, found, said, table) {
  const [without, whole] = [found.verdict.map(said).join(" "), verdict.map(said).join(" ")];
  const note = make("p", { className: "note", textContent: words("tests.everybody_about") });
  const line = make("p", { className: "strong", textContent: whole });
  const same = without === whole ? [make("p", { className: "note", textContent: words("tests.everybody_same") })] : [];
  return [note, line, ...same, table];
}
