// What the tables of voices and of kept speech have in common: cells, buttons, and what is asked of the person.

import { make } from "./frame.js";

// A cell with its column's name beside it on narrow windows, where it is left out if it says "–". parts: nodes or strings; strings become text.
export const cell = (label, ...parts) => {
  const cell = make("td", {}, ...parts);
  cell.dataset.label = label;
  cell.dataset.empty = String(cell.textContent === "–");
  return cell;
};

// A small button with a sign for the eye and words for everybody else. about: what it acts on.
export const signButton = (sign, words, data) => {
  const mark = make("span", { textContent: sign });
  mark.setAttribute("aria-hidden", "true");
  const button = make("button", { type: "button", className: "sign", title: words }, mark);
  button.setAttribute("aria-label", words);
  Object.assign(button.dataset, data);
  return button;
};

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
    dialog.showModal();
  });

const sameButton = (within, { key, act }) => within.querySelector(`[data-key="${CSS.escape(key ?? "")}"][data-act="${act}"]`);

// Draws rows again without taking press or focus away from whoever works in them: a row that says the same stays the same element. Where
// the row with the focus is gone, that goes to the next one's button.
export const redraw = (body, rows) => {
  const focused = document.activeElement;
  const at = [...body.children].findIndex((row) => row.contains(focused));
  const known = new Map([...body.children].map((row) => [row.outerHTML, row]));
  rows.forEach((row, index) => {
    const drawn = known.get(row.outerHTML) ?? row;
    if (body.children[index] !== drawn) body.insertBefore(drawn, body.children[index] ?? null);
  });
  while (body.children.length > rows.length) body.lastElementChild.remove();
  if (at < 0 || document.activeElement === focused) return;
  const next = body.children[Math.min(at, rows.length - 1)]?.querySelector(`[data-act="${focused.dataset.act}"]`);
  (sameButton(body, focused.dataset) ?? next ?? body.closest(".library").querySelector("input"))?.focus();
};

// Keys inside a field or a dialog belong to it: a letter there is a letter.
export const isTyping = () =>
  document.activeElement?.matches("input, textarea, select, [contenteditable]") || Boolean(document.querySelector("dialog[open]"));
