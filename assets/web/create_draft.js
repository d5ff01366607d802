// The draft of a voice that is being created, as a reload shows it again: its words and choices from the browser, its clip from the studio.

import { clipSound } from "./clip_sound.js";
import { recorder } from "./creating.js";
import { drafts } from "./draft.js";
import { say } from "./notices.js";

const FIELDS = { name: "voice-name", transcript: "voice-transcript", who: "consent-who", language: "clip-language-code" };
const LOST = { fact: "The studio no longer has the clip of this draft.", hint: "Record or choose it again; what you typed is kept." };

export class CreateDraft {
  // find(id): an element of the steps. ask(name, values): calls a handler of the studio.
  constructor(find, ask) {
    Object.assign(this, { _find: find, _ask: ask });
  }

  // parts: { clip: { draft, start, end } or null, name, transcript, language, who }, the words trimmed, and choices. isMade: it is no draft any more.
  keep(parts, isMade) {
    const isAnything = Boolean(parts.clip || parts.name || parts.transcript || parts.who);
    this._find("create-forget").hidden = !isAnything || isMade;
    if (!isMade) drafts.keep("create", isAnything ? parts : undefined);
  }

  forget() {
    this._find("create-forget").hidden = true;
    drafts.forget("create");
  }

  // Fills what is empty; resolves to all that was kept.
  async restored() {
    await drafts.known;
    const kept = drafts.of("create");
    for (const [name, id] of Object.entries(FIELDS)) this._find(id).value ||= kept[name] ?? "";
    return kept;
  }

  // Resolves to what the studio says of the clip, once the recorder has its sound; to null where somebody was told why not.
  async foundClip({ draft }) {
    const found = await this._ask("find_clip", { draft });
    const sound = found.problem ? found : await clipSound.whole(this._ask, found);
    if (recorder.clip) return null; // another one by now
    if (sound.problem) {
      say("create-message", sound.problem.code === "draft_gone" ? { ...LOST, code: "draft_gone" } : { kind: "problem", ...sound.problem });
      return null;
    }
    recorder.restore({ ...sound, name: found.name || "recording.wav", seconds: found.milliseconds / 1000 });
    return found;
  }
}
