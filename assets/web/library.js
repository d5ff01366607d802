// What the tables of voices and of kept speech have in common: cells, buttons, and what is asked of the person.
(() => {
  const studio = (window.studio ??= {});
  const { make } = studio;

  // A cell with its column's name beside it on narrow windows. parts: nodes or strings; strings become text.
  studio.cell = (label, ...parts) => {
    const cell = make("td", {}, ...parts);
    cell.dataset.label = label;
    return cell;
  };

  // A small button with a sign for the eye and words for everybody else. about: what it acts on.
  studio.signButton = (sign, words, data) => {
    const mark = make("span", { textContent: sign });
    mark.setAttribute("aria-hidden", "true");
    const button = make("button", { type: "button", className: "sign", title: words }, mark);
    button.setAttribute("aria-label", words);
    Object.assign(button.dataset, data);
    return button;
  };

  // Opens a <dialog> whose form closes it; resolves to the form where it was agreed to, else to null.
  studio.agreed = (dialog) =>
    new Promise((resolve) => {
      dialog.returnValue = "";
      dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes" ? dialog.querySelector("form") : null), { once: true });
      dialog.showModal();
    });

  // Draws rows again without taking the focus away from whoever works in them.
  studio.redraw = (body, rows) => {
    const { key, act } = document.activeElement?.dataset ?? {};
    const inside = body.contains(document.activeElement);
    body.replaceChildren(...rows);
    if (inside) body.querySelector(`[data-key="${CSS.escape(key ?? "")}"][data-act="${act}"]`)?.focus();
  };

  // Keys inside a field or a dialog belong to it: a letter there is a letter.
  studio.isTyping = () => document.activeElement?.matches("input, textarea, select, [contenteditable]") || Boolean(document.querySelector("dialog[open]"));
})();
