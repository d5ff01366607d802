// The keys of scripts, on the sheet "Keys and help".

import { make } from "../kit/frame.js";
import { words } from "../words/words.js";

// Keys -> what they do, as keys of the words.
/** @type {[string[], string][]} */
const KEYS = [
  [["↑", "↓"], "key_lines"],
  [["Space"], "key_play"],
  [["Enter"], "key_write"],
  [["Esc"], "key_leave"],
  [["Shift", "Tab"], "key_who"],
  [["Alt", "↑"], "key_move"],
  [["Shift", "↓"], "key_select"],
  [["R"], "key_again"],
  [["S"], "key_silent"],
  [["H"], "key_heading"],
  [["T"], "takes_of_line"],
  [["M"], "key_menu"],
  [["Ctrl", "Enter"], "key_say"],
  [["Ctrl", "Shift", "Enter"], "key_say_all"],
  [["Ctrl", "Z"], "key_undo"],
  [["Ctrl", "F"], "key_find"],
  [["Ctrl", "E"], "key_export"],
];

/** Puts them on the sheet, behind those of the page. */
export function addKeys() {
  const before = document.querySelector("#help .keys");
  if (!before || before.parentElement.querySelector(".script-keys")) return;
  const rows = KEYS.map(([keys, said]) => {
    const drawn = keys.flatMap((key) => [make("kbd", { textContent: key }), " "]);
    return make("div", {}, make("dt", {}, ...drawn), make("dd", { textContent: words(`scripts.${said}`) }));
  });
  before.after(make("h3", { textContent: words("scripts.keys") }), make("dl", { className: "keys script-keys" }, ...rows));
}
