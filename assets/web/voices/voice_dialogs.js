// What is asked of a person about a voice before it is changed, taken away or brought in. Each resolves to what was said, or to null.

import { LanguageField } from "../choice/language_picker.js";
import { NameCheck } from "../create/voice_name.js";
import { make } from "../kit/frame.js";
import { agreed, voiceFacts } from "../kit/library.js";
import { fill } from "../kit/notices.js";
import { apart, bytes, number, seconds, words } from "../words/words.js";

export class VoiceDialogs {
  // part(id): an element of the tab. ask(name, values): the studio's answer.
  constructor(part, ask) {
    this._part = part;
    const field = part("voice-edit").querySelector("[name=name]");
    this._language = new LanguageField(part("voice-edit-language"), { more: () => [["", words("create.language_unset")]] });
    this._name = new NameCheck({ field, line: part("voice-edit-clash"), ask, but: () => this._edited });
  }

  // Of the studio. limits: {name_characters, who_characters}; languages: codes that its engines speak.
  prepare({ limits, languages, reasons }) {
    this._language.offer(languages);
    this._reasons = reasons;
    this._part("voice-edit").querySelector("[name=name]").maxLength = limits.name_characters;
    this._part("voice-replace").querySelector("[name=who]").maxLength = limits.who_characters;
  }

  // {name, description, tags, transcript, language, replace}. refused: what was said before, and the problem with it.
  async edit(voice, refused = {}) {
    const dialog = this._part("voice-edit");
    const fields = dialog.querySelector("form").elements;
    for (const name of ["name", "description", "transcript"]) fields[name].value = voice[name];
    this._language.value = refused.said?.language ?? voice.language;
    this._part("edit-written").hidden = !voice.by_transcriber;
    fields.tags.value = voice.tags.join(", ");
    for (const [name, value] of Object.entries(refused.said ?? {})) if (name in fields) fields[name].value = value;
    fill(this._part("voice-edit-message"), refused.problem ? { ...refused.problem, kind: "problem" } : {});
    this._edited = voice.name;
    this._name.look();
    const form = await agreed(dialog);
    return form && { ...Object.fromEntries(new FormData(form)), language: this._language.value, replace: this._name.replaces };
  }

  // {file, transcript, reason, who}
  async replace() {
    const dialog = this._part("voice-replace");
    const form = dialog.querySelector("form");
    form.reset();
    const choose = make("option", { value: "", textContent: words("voices.choose_reason") });
    const reasons = this._reasons.map((value) => make("option", { value, textContent: words(`create.reason_${value}`) }));
    form.elements.reason.replaceChildren(choose, ...reasons);
    return (await agreed(dialog)) && Object.fromEntries(new FormData(form));
  }

  // {tests, scripts, evaluations}: keep or delete the tests that the voice is heard in, its takes in scripts, its sounds in evaluations.
  // Asks only where there are any; keeps else.
  async delete(name, { tests, scripts, evaluations }) {
    if (!tests.length && !scripts.length && !evaluations.length) return { tests: "keep", scripts: "keep", evaluations: "keep" };
    const dialog = this._part("voice-delete");
    dialog.querySelector("h3").textContent = words("tests.voice_title", { name });
    const said = {
      tests: tests.map(({ name: test, state }) => words("tests.voice_test", { name: test, state: words(`tests.state_${state}`) })),
      scripts: scripts.map(({ title, n_lines: n }) => words("voices.scripts_row", { title: title || words("voices.scripts_untitled"), n })),
      evaluations: evaluations.map(({ title, n_sounds: n }) =>
        words("voices.evaluations_row", { title: title || words("evaluations.page_untitled"), n }),
      ),
    };
    const questions = { tests: "tests.voice_uses", scripts: "voices.scripts_uses", evaluations: "voices.evaluations_uses" };
    for (const [kind, rows] of Object.entries(said)) {
      const part = dialog.querySelector(`[data-of="${kind}"]`);
      part.hidden = !rows.length;
      part.querySelector("legend").textContent = words(questions[kind], { n: rows.length });
      part.querySelector("ul").replaceChildren(...rows.map((textContent) => make("li", { textContent, dir: "auto" })));
    }
    const form = dialog.querySelector("form");
    form.reset();
    if (!(await agreed(dialog))) return null;
    return Object.fromEntries(Object.keys(said).map((kind) => [kind, form.elements[kind].value]));
  }

  // {prompts}: whether what engines learned comes along.
  async export() {
    const form = await agreed(this._part("voice-export"));
    return form && { prompts: form.elements.prompts.checked };
  }

  // What to do where the name is taken: skip, replace or keep both; "refuse" where it is free.
  async import(preview) {
    const dialog = this._part("voice-import");
    dialog.querySelector("dl").replaceChildren(...pairsOf(preview));
    const conflict = dialog.querySelector("fieldset");
    conflict.hidden = !preview.is_taken;
    conflict.querySelector("legend").textContent = words("voices.taken", { name: preview.name });
    conflict.querySelector(".keep-both").textContent = words("voices.keep_both", { name: preview.free_name });
    const form = await agreed(dialog);
    return form && (preview.is_taken ? form.elements.conflict.value : "refuse");
  }
}

// What a bundle holds, as pairs of a name and what it says. A tensor has neither length nor rate.
function pairsOf({
  name,
  seconds: length,
  sample_rate: rate,
  kind,
  consent,
  tags,
  transcript,
  learned,
  not_here: missing,
  file_bytes: size,
}) {
  const engines = [...learned, ...missing.map((engine) => words("voices.engine_not_here", { engine }))];
  return voiceFacts({
    name,
    recording: kind
      ? words(`voices.of_${kind}`)
      : words("voices.recording_figures", { length: seconds(length), rate: number(rate / 1000) }),
    permission: consent,
    tags: tags.map(apart).join(", "),
    words: transcript,
    learned: engines.join(", ") || words("voices.learned_by_none"),
    file: bytes(size),
  });
}
