// What lists of voices and of takes have in common: rows that are drawn again, and what is asked of the person.

import { openDialog } from "../navigation/navigation.js";
import { words } from "../words/words.js";
import { make } from "./frame.js";

// Opens a <dialog> whose form closes it; resolves to the form where it was agreed to, else to null.
export const agreed = (dialog) =>
  new Promise((resolve) => {
    const opener = document.activeElement;
    dialog.returnValue = "";
    const closed = () => {
      if (!opener.isConnected) sameButton(document, opener.dataset)?.focus(); // rows were drawn again meanwhile
      resolve(dialog.returnValue === "yes" ? dialog.querySelector("form") : null);
    };
    dialog.addEventListener("close", closed, { once: true });
    openDialog(dialog);
  });

// Asks in the page: browsers suppress confirm() in a frame of another site, which is how a Space is shown. Resolves to true or false.
// more: what stands below the question. kind: of the button that agrees: what it does cannot be undone, or it is "primary".
export const ask = (question, yes, no = words("tests.keep"), more = [], kind = "danger") =>
  new Promise((resolve) => {
    const keep = make("button", { value: "", className: "button", textContent: no });
    const agree = make("button", { value: "yes", className: `button ${kind}`, textContent: yes });
    const form = make("form", { method: "dialog" }, make("p", { textContent: question }), ...more, make("div", {}, keep, agree));
    const dialog = make("dialog", { className: "question" }, form);
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    (document.querySelector(".gradio-container") ?? document.body).append(dialog);
    openDialog(dialog);
  });

// The button with the same data in rows that were drawn again, in sight: another room may have one as well.
/** @type {(within: ParentNode, data: DOMStringMap) => HTMLElement | undefined} */
export function sameButton(within, { key, act }) {
  const same = within.querySelectorAll(`[data-key="${CSS.escape(key ?? "")}"][data-act="${act}"]`);
  return [...same].find((button) => button.getClientRects().length);
}

// Facts for a dl, of those that say something: key -> what it says.
export function voiceFacts(facts) {
  const said = Object.entries(facts).filter(([, value]) => value);
  return said.flatMap(([key, value]) => [
    make("dt", { textContent: words(`voices.fact_${key}`) }),
    make("dd", { textContent: value, dir: "auto" }),
  ]);
}

function toldBy(row) {
  const live = row.querySelector(":scope > [data-live]");
  return live ? row.outerHTML.replace(live.outerHTML, "") : row.outerHTML;
}

// Draws rows again without taking press or focus away from whoever works in them: a row that says the same stays the same element. Where
// the row with the focus is gone, that goes to the next one's button, and where there is none to `elsewhere`, if that is given. What a row has of
// [data-live] is put in afterwards, and is no part of what it says.
export const redraw = (body, rows, elsewhere) => {
  const focused = document.activeElement;
  const at = [...body.children].findIndex((row) => row.contains(focused));
  const known = new Map([...body.children].map((row) => [toldBy(row), row]));
  rows.forEach((row, index) => {
    const drawn = known.get(row.outerHTML) ?? row;
    if (body.children[index] !== drawn) body.insertBefore(drawn, body.children[index] ?? null);
  });
  while (body.children.length > rows.length) body.lastElementChild.remove();
  if (at < 0 || document.activeElement === focused) return;
  const next = body.children[Math.min(at, rows.length - 1)]?.querySelector(`[data-act="${focused.dataset.act}"]`);
  (sameButton(body, focused.dataset) ?? next ?? elsewhere)?.focus();
};
