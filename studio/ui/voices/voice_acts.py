"""Acts on a voice in the library, each one verb of the studio.

They answer in keys and figures; assets/web/voices/voices.js puts them into words.
"""

import time
from collections.abc import Callable
from typing import cast

from engines.clips.clip import Clip, Transcript
from engines.clips.clip_quality import measure_clip
from studio.errors import ClipMissing
from studio.library.library import OnConflict
from studio.service import Studio
from studio.speakers.consent import record_consent
from studio.speakers.demo import demo_recording
from studio.speakers.edit import SpeakerEdit, tags_of
from studio.speakers.enrollment import PAGE_RULE
from studio.speakers.speaker import Speaker, speaker_key
from studio.storage.undo_window import KEPT_SECONDS
from studio.ui.clips.clip_intake import decoded, read_sent
from studio.ui.clips.clip_report import judged_words
from studio.ui.create.creating import kind_of
from studio.ui.gradio.messages import answered
from studio.ui.gradio.words import visited_sentences
from studio.words.sentences import LANGUAGES, sentences_in
from studio.workspace import EVERYBODY

__all__ = ["act_on_voice", "make_demo", "voice_uses"]

Value = dict[str, object]


def act_on_voice(studio: Studio, asked: Value) -> Value:
    """asked: {act, ...} from assets/web/voices/voices.js. Gives {act, at, ...}, or {act, at, problem}.

    `at` makes the same answer given twice two values, so that the page hears of both.
    """
    act = str(asked["act"])
    return {"act": act, "at": time.time_ns()} | answered(ACTS[act])(studio, asked)


@answered
def make_demo(studio: Studio, asked: Value) -> Value:
    """The demo voice, made where there is none; and what to have said in it, by which engine: {voice, engine, title, text, language}."""
    recording = demo_recording()
    everybody = studio.within(EVERYBODY)
    if not any(speaker.name == recording.name for speaker in everybody.speakers()):
        everybody.enroll(recording)
    engine = studio.engine_info()
    said = visited_sentences()
    if said.language not in engine.languages:
        said = sentences_in(LANGUAGES[0])
    text = said.words("voices.demo_text", {})
    return {"voice": recording.name, "engine": engine.id, "title": engine.title, "text": text, "language": said.language}


@answered
def voice_uses(studio: Studio, asked: Value) -> Value:
    """{scripts: [{id, title, n_lines}], evaluations: [{id, title, n_sounds}]}: those in which a voice speaks, for the question what becomes
    of its takes and sounds. asked: {voice}."""
    name = str(asked["voice"])
    scripts = [{"id": script.id, "title": script.head.title, "n_lines": script.n_lines} for script in studio.scripts.using(name)]
    speaker = studio.workspace_speakers.find(speaker_key(name))
    used = () if speaker is None else studio.evaluations.using(speaker.generation_id)
    return {"scripts": scripts, "evaluations": [{"id": one.id, "title": one.plan.title, "n_sounds": one.n_said} for one in used]}


def _delete(studio: Studio, asked: Value) -> Value:
    """undo: None where the disk had no room for a way back. asked["tests"]: what becomes of listening tests with the voice, keep or delete;
    asked["scripts"], asked["evaluations"]: the same of its takes in scripts, and of what was said in it in evaluations. What is deleted of
    them does not come back with the voice."""
    speaker, comes_back = studio.library.delete(str(asked["voice"]))
    studio.listening.speaker_gone(speaker.name, delete_tests=asked.get("tests") == "delete")
    studio.scripts.speaker_gone(speaker.name, delete_takes=asked.get("scripts") == "delete", generation_id=speaker.generation_id)
    studio.evaluations.speaker_gone(speaker.generation_id, delete_sounds=asked.get("evaluations") == "delete")
    return {"name": speaker.name, "undo": speaker.generation_id if comes_back else None, "undo_seconds": KEPT_SECONDS}


def _restore(studio: Studio, asked: Value) -> Value:
    return {"name": studio.library.restore(str(asked["undo"])).name}


def _edit(studio: Studio, asked: Value) -> Value:
    words = Transcript.of(_text(asked, "transcript"), _text(asked, "language"))
    edit = SpeakerEdit(_text(asked, "name"), _text(asked, "description") or None, tags_of(_text(asked, "tags")), words)
    speaker = studio.library.edit(str(asked["voice"]), edit, replace=asked.get("replace") is True)
    return {"name": speaker.name, "doubt": _transcript_warning_of(studio, speaker)}


def _replace(studio: Studio, asked: Value) -> Value:
    upload = read_sent(asked.get("sent"))
    clip = decoded(upload)
    PAGE_RULE.check(clip)
    record = record_consent(str(asked.get("reason")), _text(asked, "who"), clip.digest)
    file = {"mime_type": upload.mime_type or "audio/wav", "filename": upload.filename, "file_bytes": len(upload.data)}
    words = Transcript.of(_text(asked, "transcript"), _text(asked, "language"))
    speaker = studio.library.replace_clip(str(asked["voice"]), clip, record.text, words, consent_record=record, **file)
    return {"name": speaker.name, "doubt": _transcript_warning(studio, clip, words)}


def _preview(studio: Studio, asked: Value) -> Value:
    """What a bundle holds, and what can be done about a taken name. learned: titles of engines; not_here: ids of those that are not."""
    preview = studio.library.preview_bundle(read_sent(asked.get("sent")).data)
    bundle, recording = preview.bundle, preview.bundle.recording
    clip = recording.clip
    titles = {status.info.id: status.info.title for status in studio.engines()}
    return {
        "name": recording.name,
        "print": recording.source_digest,
        "kind": kind_of(recording.tensor),
        "seconds": clip.seconds if clip else None,
        "sample_rate": clip.sample_rate if clip else None,
        "consent": recording.consent,
        "tags": list(recording.tags),
        "transcript": recording.transcript.text if recording.transcript else "",
        "learned": [titles[engine] for engine in bundle.engines if engine in titles],
        "not_here": [engine for engine in bundle.engines if engine not in titles],
        "file_bytes": bundle.file_bytes,
        "is_taken": preview.is_taken,
        "free_name": preview.free_name,
    }


def _import(studio: Studio, asked: Value) -> Value:
    """name: "" where nothing was to be imported beside the voice that is here."""
    speaker = studio.library.import_bundle(read_sent(asked.get("sent")).data, cast(OnConflict, str(asked.get("on_conflict", "refuse"))))
    return {"name": speaker.name if speaker else ""}


ACTS: dict[str, Callable[[Studio, Value], Value]] = {
    "delete": _delete,
    "restore": _restore,
    "edit": _edit,
    "replace": _replace,
    "preview": _preview,
    "import": _import,
}


def _transcript_warning_of(studio: Studio, speaker: Speaker) -> Value | None:
    """Of a stored voice; None also where there is no clip to hear."""
    try:
        return _transcript_warning(studio, speaker.read_clip(), speaker.transcript) if speaker.tensor is None else None
    except ClipMissing:
        return None


def _transcript_warning(studio: Studio, clip: Clip, transcript: Transcript | None) -> Value | None:
    """Why the words can hardly be those of the clip, or what engines would make of them: {case, n, spoken, engines}, n and spoken seconds;
    None where neither is to be said. It keeps nobody out.
    """
    speech_seconds = measure_clip(clip).speech_seconds if transcript is not None else 0.0
    if transcript is None or not speech_seconds:
        return None
    judged = judged_words(studio, transcript.text, speech_seconds)
    return {"case": judged["case"], **judged["values"]} if judged["is_doubtful"] else None


def _text(asked: Value, name: str) -> str:
    return str(asked.get(name) or "").strip()
