// Dialogs of the tab "Scripts", made here: a title, parts and buttons in a form. One of each id on the page.

import { make } from "../kit/frame.js";
import { openDialog } from "../navigation/navigation.js";
import { words } from "../words/words.js";

/** {dialog, form, notice}. parts: what stands between title and buttons. acts: the buttons, at the end of the form. */
export function sheet(id, title, parts, acts) {
  document.getElementById(id)?.remove();
  const heading = make("h3", { id: `${id}-title`, textContent: title });
  const notice = noticeLine();
  const form = make("form", { method: "dialog" }, heading, ...parts, notice, make("div", { className: "panel-end" }, ...acts));
  const dialog = make("dialog", { id, className: "sheet dialog script-sheet" }, form);
  dialog.setAttribute("aria-labelledby", heading.id);
  (document.querySelector(".gradio-container") ?? document.body).append(dialog);
  return { dialog, form, notice };
}

/** Opens it; resolves to the value of the button that closed it, "" where it was only closed. */
export function opened({ dialog }) {
  return new Promise((resolve) => {
    dialog.returnValue = "";
    dialog.addEventListener(
      "close",
      () => {
        resolve(dialog.returnValue);
        dialog.remove();
      },
      { once: true },
    );
    openDialog(dialog);
  });
}

/** A `.notice` that kit/notices.js fills. */
export function noticeLine() {
  const notice = make("div", { className: "notice" }, paragraph("alert"), paragraph("status"));
  notice.dataset.kind = "";
  return notice;
}

function paragraph(role) {
  const line = make("p");
  line.setAttribute("role", role);
  return line;
}

/** A button of a form. value: what the dialog is closed with. */
export function closing(value, said, kind = "") {
  return make("button", { type: "submit", value, className: `button ${kind}`.trim(), textContent: said, formNoValidate: !value });
}

export const cancelButton = () => closing("", words("scripts.cast_cancel"));

/** A button that closes nothing. */
export function pressing(said, press, kind = "") {
  const button = make("button", { type: "button", className: `button ${kind}`.trim() }, said);
  button.addEventListener("click", press);
  return button;
}

/** A field: its name above, a hint below. The control gets the id by which the name belongs to it. */
export function field(id, name, control, hint = "") {
  control.id = id;
  const parts = [make("label", { className: "name", htmlFor: id, textContent: name }), control];
  if (hint) {
    parts.push(make("span", { className: "note", id: `${id}-hint`, textContent: hint }));
    control.setAttribute("aria-describedby", `${id}-hint`);
  }
  return make("div", { className: "field" }, ...parts);
}

/** A field whose control is a button that opens a list. */
export function listField(id, name, extra = "") {
  const button = make("button", { type: "button", id, className: `select ${extra}`.trim() });
  const said = make("span", { id: `${id}-name`, className: "name", textContent: name });
  for (const [key, value] of Object.entries({ "aria-haspopup": "dialog", "aria-expanded": "false", "aria-labelledby": `${said.id} ${id}` }))
    button.setAttribute(key, value);
  return { button, element: make("div", { className: "field" }, said, button) };
}

export function textField(id, name, value, more = {}) {
  const input = make("input", { className: "input", dir: "auto", autocomplete: "off", value: value ?? "", ...more });
  return { input, element: field(id, name, input) };
}

/** A number that may be left out: null then.
 *  @param {{ min: number, max: number, step?: number | string, hint?: string, placeholder?: string }} bounds */
export function numberField(id, name, value, bounds) {
  const { hint = "", step = "any", ...more } = bounds;
  const input = make("input", { className: "input num", type: "number", step, value: value ?? "", ...more });
  return { input, element: field(id, name, input, hint), read: () => (input.value === "" ? null : input.valueAsNumber) };
}

/** choices: [[value, said]]. */
export function selectField(id, name, choices, value, hint = "") {
  const options = choices.map(([one, said]) => make("option", { value: one, textContent: said }));
  const select = make("select", { className: "select" }, ...options);
  select.value = value;
  return { select, element: field(id, name, select, hint) };
}

export function checkField(said, isChecked, more = {}) {
  const box = make("input", { type: "checkbox", checked: isChecked, ...more });
  return { box, element: make("label", { className: "check" }, box, make("span", { textContent: said })) };
}
