"""What is asked of a voice in the library, each one verb of the studio: the answer for the script, and the words for the person."""

from collections.abc import Callable

from engines.clip import Transcript
from studio.errors import ClipMissing
from studio.library.library import BundlePreview
from studio.service import Studio
from studio.speakers.consent import record_consent
from studio.speakers.demo import demo_recording
from studio.speakers.edit import SpeakerEdit, tags_of
from studio.speakers.enrolment import PAGE_RULE, words_doubt
from studio.speakers.speaker import Speaker
from studio.storage.trash import KEPT_SECONDS
from studio.ui.clip_intake import decoded, read_sent
from studio.ui.figures import size_words
from studio.ui.messages import Message, said_on_the_page
from studio.workspace import EVERYBODY

__all__ = ["act_on_voice"]

Value = dict[str, object]


def act_on_voice(studio: Studio, asked: Value) -> tuple[Value, Value]:
    """asked: {act, ...} from assets/web/voices.js. Gives ({act, done, ...}, the message)."""
    answer: Value = {"act": asked["act"], "done": False}

    @said_on_the_page
    def act() -> Message:
        message = ACTS[str(asked["act"])](studio, asked, answer)
        answer["done"] = True
        return message

    message = act()
    return answer | {"at": message["at"]}, message


def _delete(studio: Studio, asked: Value, answer: Value) -> Message:
    speaker = studio.library.set_aside(str(asked["voice"]))
    answer |= {"undo": speaker.generation_id, "name": speaker.name, "undo_seconds": KEPT_SECONDS}
    return Message("note", "", voice=speaker.name)  # the page offers to undo it, and says so there


def _restore(studio: Studio, asked: Value, answer: Value) -> Message:
    speaker = studio.library.restore(str(asked["undo"]))
    return Message("done", f"{speaker.name} is back.", "Engines learn it again with the next run.", voice=speaker.name)


def _edit(studio: Studio, asked: Value, answer: Value) -> Message:
    words = Transcript.of(_text(asked, "transcript"), _text(asked, "language"))
    edit = SpeakerEdit(_text(asked, "name"), _text(asked, "description") or None, tags_of(_text(asked, "tags")), words)
    speaker = studio.library.edit(str(asked["voice"]), edit, replace=asked.get("replace") is True)
    return Message("done", f"{speaker.name} is saved.", _doubt(speaker), voice=speaker.name)


def _replace(studio: Studio, asked: Value, answer: Value) -> Message:
    upload = read_sent(asked.get("sent"))
    clip = decoded(upload)
    PAGE_RULE.check(clip, what="clip")
    record = record_consent(str(asked.get("reason")), _text(asked, "who"), clip.digest)
    file = {"mime_type": upload.mime_type or "audio/wav", "filename": upload.filename, "file_bytes": len(upload.data)}
    words = Transcript.of(_text(asked, "transcript"), _text(asked, "language"))
    speaker = studio.library.replace_clip(str(asked["voice"]), clip, record.text, words, consent_record=record, **file)
    hint = " ".join(filter(None, ("What was learned from the old one is gone.", words_doubt(clip, words))))
    return Message("done", f"{speaker.name} has another clip.", hint, voice=speaker.name)


def _preview(studio: Studio, asked: Value, answer: Value) -> Message:
    preview = studio.library.preview_bundle(read_sent(asked.get("sent")).data)
    answer["preview"] = _previewed(studio, preview)
    return Message("note", "")


def _import(studio: Studio, asked: Value, answer: Value) -> Message:
    speaker = studio.library.import_bundle(read_sent(asked.get("sent")).data, asked.get("on_conflict", "refuse"))
    if speaker is None:
        return Message("note", "Nothing was imported.", "The voice of that name stays as it is.")
    answer["voice"] = speaker.name
    return Message("done", f"{speaker.name} is imported.", voice=speaker.name)


def _demo(studio: Studio, asked: Value, answer: Value) -> Message:
    recording = demo_recording()
    everybody = studio.within(EVERYBODY)
    if not any(speaker.name == recording.name for speaker in everybody.speakers()):
        everybody.enroll(recording)
    answer["voice"] = recording.name
    return Message("done", f"{recording.name} is in the library.", "It now speaks the sample text.", voice=recording.name)


ACTS: dict[str, Callable[[Studio, Value, Value], Message]] = {
    "delete": _delete,
    "restore": _restore,
    "edit": _edit,
    "replace": _replace,
    "preview": _preview,
    "import": _import,
    "demo": _demo,
}


def _doubt(speaker: Speaker) -> str:
    """Whether a stored voice's words can be those of its clip, "" where they can, or where there is no clip to hear."""
    try:
        return words_doubt(speaker.read_clip(), speaker.transcript) if speaker.embedding is None else ""
    except ClipMissing:
        return ""


def _text(asked: Value, name: str) -> str:
    return str(asked.get(name) or "").strip()


def _previewed(studio: Studio, preview: BundlePreview) -> Value:
    """The preview as lines of label and words, and what can be done about a taken name."""
    bundle, recording = preview.bundle, preview.bundle.recording
    titles = {status.info.id: status.info.title for status in studio.engines()}
    lines = {
        "Name": recording.name,
        "Recording": f"{recording.clip.seconds:.1f} s, {recording.clip.sample_rate / 1000:g} kHz",
        "Consent": recording.consent,
        "Tags": ", ".join(recording.tags),
        "Transcript": recording.transcript.text if recording.transcript else "",
        "Learned by": ", ".join(titles.get(engine, f"{engine} (not here)") for engine in bundle.engines) or "no engine yet",
        "File": size_words(bundle.file_bytes),
    }
    shown = [[label, words] for label, words in lines.items() if words]
    return {"lines": shown, "name": recording.name, "is_taken": preview.is_taken, "free_name": preview.free_name}
