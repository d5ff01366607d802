// The draft of a voice that is being created, as a reload shows it again: its words and choices from the browser, its clip from the studio.

import { drafts } from "../kit/draft.js";
import { clipSound } from "../sound/clip_sound.js";
import { complain, tell } from "./create_notice.js";

const FIELDS = { name: "voice-name", transcript: "voice-transcript", who: "consent-who" };

export class CreateDraft {
  // find(id): an element of the steps. ask(name, values): calls a handler of the studio. recorder: gets the clip's sound again.
  // heardSeconds: of a clip that the studio gives at once.
  constructor(find, { ask, recorder, heardSeconds }) {
    this._find = find;
    this._ask = ask;
    this._recorder = recorder;
    this._heardSeconds = heardSeconds;
  }

  // parts: { clip: { draft, start, end } or null, before, name, transcript, language, who }, the words trimmed, and choices; before: as
  // EarlierRecordings tells of them. isMade: it is no draft any more.
  keep(parts, isMade) {
    const isAnything = Boolean(parts.clip || parts.before || parts.name || parts.transcript || parts.who);
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
    const { problem, taken, clip } = await clipSound.found(this._ask, draft, this._heardSeconds);
    if (this._recorder.clip) return null; // another one by now
    if (problem) {
      if (problem.code === "E-REF-7") tell(problem);
      else complain(problem);
      return null;
    }
    this._recorder.restore(clip);
    return taken;
  }
}
