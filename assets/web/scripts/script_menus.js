// What can be done with a line, or with several, as items of a menu.

import { linkItem } from "../kit/clipboard.js";
import { canMend, openMend } from "../script_side/mend_dialog.js";
import { words } from "../words/words.js";

const PAUSES = [0, 0.25, 0.5, 1, 2, 4]; // seconds that are offered

/** Of one line. page: ScriptPage; state: ScriptState; acts: those of the editor. */
export function lineItems(state, page, acts, id) {
  const line = state.line(id);
  const n = state.indexOf(id) + 1;
  const { writing } = page;
  return [
    { key: "say", icon: "microphone", words: words("scripts.say_line"), act: () => acts.say({ lines: [id], only: "all" }) },
    { key: "say_from", icon: "down", words: words("scripts.say_from", { n }), act: () => acts.say({ from: id, only: "stale" }) },
    { key: "again", icon: "repeat", words: words("scripts.say_again"), note: "R", act: () => acts.again(id) },
    { key: "again_3", icon: "star", words: words("scripts.best_of_n", { n: 3 }), act: () => state.sayAgain(id, { takes: 3, best: true }) },
    ...(canMend(line) ? [{ key: "mend", icon: "pencil", words: words("scripts.mend_of_line"), act: () => openMend(state, id) }] : []),
    { key: "takes", icon: "list", words: words("scripts.takes_of_line"), note: "T", act: () => acts.takes() },
    null,
    { key: "insert", icon: "plus", words: words("scripts.insert_behind"), act: () => writing.insert(id, [{ who: line.who, text: "" }]) },
    { key: "split", icon: "scissors", words: words("scripts.split"), isDisabled: !line.text.trim(), act: () => splitAtCaret(page, id) },
    {
      key: "join",
      icon: "down",
      words: words("scripts.join"),
      isDisabled: !state.beside(id, 1),
      act: () => writing.join(id, state.beside(id, 1)),
    },
    ...moveItems(writing, [id]),
    ...kindItems(state, acts, [id]),
    { key: "pause", icon: "clock", words: words("scripts.pause_behind"), act: () => acts.pause([id]) },
    { ...linkItem("scripts", `${state.id}/${id}`), words: words("scripts.copy_link") },
    { key: "delete", icon: "trash", words: words("scripts.delete_lines", { n: 1 }), isDangerous: true, act: () => writing.remove([id]) },
  ];
}

/** Of the lines that are selected. */
export function selectionItems(state, page, acts) {
  const ids = state.chosenLines;
  const { writing } = page;
  return [
    { key: "best", icon: "star", words: words("scripts.choose_best"), act: () => state.chooseBest(ids) },
    ...moveItems(writing, ids),
    ...kindItems(state, acts, ids),
    { key: "pause", icon: "clock", words: words("scripts.pause_behind"), act: () => acts.pause(ids) },
    { key: "who", icon: "pencil", words: words("scripts.set_who"), act: () => acts.who(ids) },
    {
      key: "delete",
      icon: "trash",
      words: words("scripts.delete_lines", { n: ids.length }),
      isDangerous: true,
      act: () => writing.remove(ids),
    },
  ];
}

/** The pauses that are offered behind lines. */
export function pauseItems(state, ids) {
  const set = (pause) =>
    state.put(ids, { pause_seconds: pause }, { key: pause === null ? "did_pause_usual" : "did_pause", values: { n: ids.length, pause } });
  return [
    { key: "usual", words: words("scripts.pause_usual", { pause: state.script.pause_seconds }), act: () => set(null) },
    ...PAUSES.map((pause) => ({ key: `pause_${pause}`, words: words("scripts.pause_of", { pause }), act: () => set(pause) })),
  ];
}

function moveItems(writing, ids) {
  return [
    { key: "up", icon: "up", words: words("scripts.move_up"), note: "Alt ↑", act: () => writing.move(ids, -1) },
    { key: "down", icon: "down", words: words("scripts.move_down"), note: "Alt ↓", act: () => writing.move(ids, 1) },
  ];
}

function kindItems(state, acts, ids) {
  const [first] = ids.map((id) => state.line(id)).filter(Boolean);
  const silent = words(first?.is_silent ? "scripts.make_said" : "scripts.make_silent");
  const heading = words(first?.kind === "heading" ? "scripts.make_line" : "scripts.make_heading");
  return [
    { key: "silent", icon: "volume", words: silent, note: "S", act: () => acts.silent(ids) },
    { key: "heading", icon: "list", words: heading, note: "H", act: () => acts.heading(ids) },
  ];
}

function splitAtCaret(page, id) {
  const { selectionStart: at, value } = page.row(id).text;
  page.writing.split(id, at || value.length);
}
