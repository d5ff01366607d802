// Keys of a section that is in sight: single ones, where nobody types and no control takes them for itself.

const FIELDS = "input:not([type=radio], [type=checkbox], [type=file]), textarea, select, [contenteditable], dialog";
const PRESSED_BY_SPACE = "button, a, label, input, summary, [role=tab]";

// acts: asked at each press; a function by the key's name in small letters.
export function onKeys(element, acts) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !element.offsetParent) return;
    if (event.target.closest?.(FIELDS) || (event.key === " " && event.target.closest?.(PRESSED_BY_SPACE))) return;
    const act = acts()[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
