// A blind test of two casts: the script's own and another one, of which each voice is chosen here. It becomes a listening test.

import { voicePicker } from "../choice/voice_picker.js";
import { printOf } from "../drawings/voiceprint.js";
import { make } from "../kit/frame.js";
import { fill } from "../kit/notices.js";
import { hashOf } from "../navigation/address.js";
import { closing, listField, opened, selectField, sheet, textField } from "../script_sheets/sheet.js";
import { askServer } from "../transport/speech_transport.js";
import { words } from "../words/words.js";
import { memberOf } from "./cast_edits.js";
import { MemberChoice } from "./member_choice.js";
import { memberName, printDigest } from "./member_words.js";

const ID = "script-test";
const JSON_TYPE = { "Content-Type": "application/json" };
const METHODS = ["ab", "abx", "cmos", "mos", "mushra-like"];
const LOOK_MILLISECONDS = 1000; // between two looks how far it is
const PRINT_PIXELS = 20;

/** rows: of castRows. */
export async function openCastTest(state, rows) {
  const speaking = rows.filter(({ counts }) => counts.n_lines);
  const others = speaking.map((row, at) => otherVoice(row, at));
  const method = selectField(
    `${ID}-method`,
    words("scripts.blind_method"),
    METHODS.map((one) => [one, words(`scripts.blind_${one.replace("-", "_")}`)]),
    "ab",
  );
  const name = textField(`${ID}-name`, words("tests.name"), state.script.title);
  const about = make("p", { className: "note", textContent: words("scripts.blind_about") });
  const list = make("div", { className: "stack test-voices" }, ...others.map(({ element }) => element));
  const progress = make("progress", { hidden: true });
  progress.setAttribute("aria-label", words("scripts.blind_title"));
  const go = make("button", { type: "button", className: "button primary", textContent: words("scripts.blind_go") });
  const made = sheet(
    ID,
    words("scripts.blind_title"),
    [about, list, method.element, name.element, progress],
    [closing("", words("scripts.export_close")), go],
  );
  go.addEventListener("click", async () => {
    go.disabled = true;
    progress.hidden = false;
    fill(made.notice, {});
    try {
      const cast = others
        .filter(({ choice, member }) => choice.voice !== member.voice)
        .map(({ choice, member }) => ({ ...member, voice: choice.voice, model: choice.engine }));
      if (!cast.length) throw Object.assign(new Error(words("scripts.blind_same")), { hint: words("scripts.blind_same_hint") });
      const test = await begun(
        state,
        { cast, method: method.select.value, name: name.input.value.trim() },
        (told) => show(progress, told),
        made.dialog,
      );
      if (test) tellMade(made, test);
    } catch (error) {
      fill(made.notice, { kind: "problem", fact: error.message, hint: error.hint ?? "" });
    }
    go.disabled = false;
    progress.hidden = true;
  });
  await opened(made);
}

function otherVoice(row, at) {
  const member = row.member ?? memberOf(row.name);
  const { button, element } = listField(`${ID}-voice-${at}`, memberName(row));
  const show = () => {
    const digest = printDigest(choice.known);
    const said = make("span", { className: "cut", dir: "auto", textContent: choice.voice ?? words("scripts.cast_voice_usual") });
    button.replaceChildren(...(choice.voice && digest ? [printOf(digest, PRINT_PIXELS)] : []), said);
    picker.refresh();
  };
  const choice = new MemberChoice(member, () => show());
  const picker = voicePicker(button, choice);
  show();
  choice.choose({});
  return { member, choice, element };
}

// Resolves to the id of the test once its sounds are made; null where nobody waits any more.
async function begun(state, order, tell, dialog) {
  const ask = async (init) => (await askServer(state.address("/test"), init)).json();
  let told = await ask({ method: "POST", headers: JSON_TYPE, body: JSON.stringify(order) });
  while (told.progress?.is_running && dialog.open) {
    tell(told.progress);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
    told = await ask();
  }
  if (told.progress?.failure) throw Object.assign(new Error(told.progress.failure.message), { hint: told.progress.failure.hint });
  return dialog.open ? told.test : null;
}

function show(progress, { done, total }) {
  if (total) Object.assign(progress, { max: total, value: done });
}

function tellMade(made, test) {
  const press = () => {
    made.dialog.addEventListener(
      "close",
      () => setTimeout(() => Object.assign(location, { hash: hashOf({ room: "tests", thing: test }) })),
      { once: true },
    );
    made.dialog.close();
  };
  fill(made.notice, {
    kind: "done",
    fact: words("scripts.blind_made"),
    hint: words("scripts.blind_made_hint"),
    acts: [{ words: words("scripts.blind_open"), press }],
  });
}
