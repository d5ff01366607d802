// What stands beside the editor of a script: find and replace, the cast, the current line, the dictionary. And the dialogs that it opens.

import { make } from "../kit/frame.js";
import { CastBoard } from "../script_cast/cast_board.js";
import { openCastTest } from "../script_cast/cast_test.js";
import { words } from "../words/words.js";
import { openExport } from "./export_dialog.js";
import { FindBar } from "./find_bar.js";
import { LineSettings } from "./line_settings.js";
import { ScriptWords } from "./script_words.js";

/** state: ScriptState. tools: {say(notice)} of the tab. Gives what the tab opens by keys and buttons. */
export function mountSide(state, element, tools) {
  const find = new FindBar(state);
  const cast = new CastBoard(state, tools);
  const line = new LineSettings(state);
  const dictionary = new ScriptWords(state, tools);
  const test = make("button", { type: "button", className: "button small", textContent: words("scripts.blind_title") });
  test.addEventListener("click", () => openCastTest(state, cast.rows));
  const folds = make("div", { className: "side-folds card" }, cast.element, line.element, dictionary.element);
  element.replaceChildren(find.element, folds, make("div", { className: "beside wraps" }, test));
  const show = () => {
    for (const part of [cast, line, dictionary]) part.show();
  };
  state.addEventListener("changed", ({ detail: { lines, isScript, isReordered } }) => {
    if (isScript || isReordered) return show();
    if (lines.includes(state.current)) line.show();
    return undefined;
  });
  state.addEventListener("selected", () => line.show());
  show();
  return {
    openFind: (sought = "") => find.open(sought),
    openExport: () => openExport(state, tools),
    openSayAs: (word) => dictionary.ask(word),
    openCastTest: () => openCastTest(state, cast.rows),
  };
}
