// The dialogs of the casting board: who speaks and how, another name, two names in one, voices for all. What a change makes stale is said in
// them before it is made.

import { make } from "../kit/frame.js";
import { fill } from "../kit/notices.js";
import { cancelButton, closing, opened, selectField, sheet, textField } from "../script_sheets/sheet.js";
import { playFace } from "../script_sheets/side_parts.js";
import { PlayButton } from "../sound/play_button.js";
import { words } from "../words/words.js";
import { makesStale, nameTyped, staleByJoining, staleLines } from "./cast_edits.js";
import { MemberFields } from "./member_fields.js";
import { hearMember, sampleKey } from "./member_sample.js";
import { memberName } from "./member_words.js";

const MEMBER = "script-member";

/** "37 lines will be said again." */
export const staleWords = (n) => words(n ? "scripts.cast_stale" : "scripts.cast_stale_none", { n });

/** Resolves to the member as it is to be, null where it stays. rows: of castRows. isNew: its name is asked for, too. */
export async function askMember(state, member, rows, { isNew = false } = {}) {
  const told = make("p", { className: "note", role: "status" });
  const name = isNew ? textField(`${MEMBER}-new`, words("scripts.cast_name"), "", { required: true, maxLength: 64 }) : null;
  const fields = new MemberFields(member, { id: MEMBER, onChange: () => show() });
  const read = () => ({ ...fields.read(), ...(name && { name: nameTyped(name.input.value) }) });
  const hear = playFace(words("scripts.cast_hear"));
  const acts = [hear, make("span", { className: "grow" }), cancelButton(), closing("yes", words("scripts.cast_save"), "primary")];
  const title = isNew ? words("scripts.cast_new") : words("scripts.cast_title", { name: memberName(member) });
  const dialog = sheet(`${MEMBER}-dialog`, title, [...(name ? [name.element] : []), fields.element, told], acts);
  const complain = (problem) => fill(dialog.notice, { ...problem, kind: "problem" });
  new PlayButton(hear, { key: () => sampleKey(state, fields.read()), start: () => hearMember(state, fields.read(), complain) });
  function show() {
    if (!fields.element) return;
    const said = isNew ? "" : staleWords(staleLines(rows, [fields.read()]));
    if (told.textContent !== said) told.textContent = said;
  }
  dialog.form.addEventListener("submit", (event) => {
    const isTaken = name && event.submitter?.value === "yes" && rows.some((row) => row.name === nameTyped(name.input.value));
    if (!isTaken) return;
    event.preventDefault();
    complain({ fact: words("scripts.cast_name_taken", { name: nameTyped(name.input.value) }), hint: words("scripts.cast_name_other") });
  });
  return (await opened(dialog)) === "yes" ? read() : null;
}

/** Resolves to another name of a member; null where it stays. */
export async function askName(row, rows) {
  const name = textField("script-rename-name", words("scripts.cast_name"), row.name, { required: true, maxLength: 64 });
  const told = make("p", { className: "note", role: "status" });
  const acts = [cancelButton(), closing("yes", words("scripts.cast_rename_yes"), "primary")];
  const dialog = sheet("script-rename", words("scripts.cast_rename_title", { name: memberName(row) }), [name.element, told], acts);
  const show = () => {
    const to = nameTyped(name.input.value);
    const other = to !== row.name && rows.some((one) => one.name === to);
    const joins = `${words("scripts.cast_joins", { name: to })} ${staleWords(staleByJoining(rows, row.name, to))}`;
    told.textContent = other ? joins : words("scripts.cast_follow", { n: row.counts.n_lines });
  };
  name.input.addEventListener("input", show);
  show();
  const isMeant = (await opened(dialog)) === "yes";
  const to = nameTyped(name.input.value);
  return isMeant && to && to !== row.name ? to : null;
}

/** Resolves to the name of which `row` becomes a part; null where it stays. */
export async function askJoined(row, rows) {
  const others = rows.filter(({ name }) => name !== row.name);
  const choices = others.map((other) => [other.name, memberName(other)]);
  const into = selectField("script-join-name", words("scripts.cast_join_with"), choices, choices[0]?.[0]);
  const told = make("p", { className: "note", role: "status" });
  const show = () => {
    told.textContent = staleWords(staleByJoining(rows, row.name, into.select.value));
  };
  into.select.addEventListener("change", show);
  show();
  const acts = [cancelButton(), closing("yes", words("scripts.cast_join_yes"), "primary")];
  const about = make("p", {
    className: "note",
    textContent: words("scripts.cast_join_about", { n: row.counts.n_lines, name: memberName(row) }),
  });
  const dialog = sheet("script-join", words("scripts.cast_join_title", { name: memberName(row) }), [about, into.element, told], acts);
  return (await opened(dialog)) === "yes" ? into.select.value : null;
}

/** Whether these members get these voices. left: names for which there is none. */
export async function askGiven({ given, left }, rows) {
  const items = given.map((member) =>
    make("li", { dir: "auto", textContent: words("scripts.cast_gets", { name: memberName(member), voice: member.voice }) }),
  );
  const list = make("ul", { className: "voice-tests" }, ...items);
  const n = staleLines(
    rows,
    given.filter((member) => makesStale(rows.find(({ name }) => name === member.name)?.member, member)),
  );
  const told = [
    staleWords(n),
    ...(left.length ? [words("scripts.cast_too_few", { names: left.map((name) => memberName({ name })) })] : []),
  ].join(" ");
  const acts = [cancelButton(), closing("yes", words("scripts.cast_give_yes"), "primary")];
  const parts = [list, make("p", { className: "note", textContent: told })];
  return (await opened(sheet("script-give", words("scripts.cast_give_title"), parts, acts))) === "yes";
}
