"""Create a voice: clip, name, transcript, consent; then the chosen engine learns it at once."""

from dataclasses import dataclass
from pathlib import Path

import gradio as gr
from gradio.utils import get_upload_folder

from engines.clip import Transcript
from engines.errors import CallerMistake, ClipsUnsupported, EngineError
from studio.audio_files import decode_clip
from studio.errors import ConsentMissing, SpeakerExists
from studio.service import Studio
from studio.speaker import Recording, Speaker, speaker_key
from studio.ui import web
from studio.ui.clip_upload import ClipUpload, read_upload
from studio.ui.lines import message_line
from studio.ui.messages import Message, said_on_the_page

__all__ = ["CreateFields", "Draft", "build_create_fields", "create_voice"]

CONSENTS = {
    "own": "My own voice",
    "permission": "I have the speaker's permission",
    "licensed": "Public domain or licensed",
    "synthetic": "A synthetic voice",
}
# The clip stays in the browser until now (assets/web/recorder.js), so that a refused attempt loses nothing.
SEND_CLIP = """async (clip, ...rest) => {
  studio.say("create-message", { fact: "Reading the clip and learning the voice…" });
  return [await studio.recorder.send(), ...rest];
}"""


@dataclass(frozen=True)
class CreateFields:
    """The section's components, for the page to wire."""

    clip: gr.HTML
    name: gr.Textbox
    transcript: gr.Textbox
    language: gr.HTML
    consent: gr.Radio
    who: gr.Textbox
    create: gr.Button
    message: gr.HTML

    @property
    def inputs(self) -> list:
        return [self.clip, self.name, self.transcript, self.language, self.consent, self.who]


def build_create_fields() -> CreateFields:
    """The section's components in their order on the page; called inside of a column."""
    gr.HTML("<h2>Create a voice</h2>", elem_id="create-title", js_on_load=None)
    clip = gr.HTML(None, elem_id="clip", html_template=web.markup("recorder"), js_on_load=web.mount("recorder"), apply_default_css=False)
    name = gr.Textbox(label="Name", elem_id="voice-name", placeholder="Ana", max_lines=1)
    transcript = gr.Textbox(label="Transcript", info=" ", elem_id="voice-transcript", lines=2, max_lines=6)
    language = gr.HTML(
        "",
        elem_id="clip-language",
        html_template=web.markup("clip_language"),
        js_on_load=web.mount("clip-language"),
        apply_default_css=False,
    )
    consents = [(label, key) for key, label in CONSENTS.items()]
    consent = gr.Radio(consents, value=None, label="Why may you clone this voice?", elem_id="consent")
    who = gr.Textbox(
        label="Whose voice, and where is the clip from?", elem_id="consent-who", placeholder="Ana Kovač, recorded today", max_lines=1
    )
    create = gr.Button("Create voice", variant="primary", elem_id="create-button")
    return CreateFields(clip, name, transcript, language, consent, who, create, message_line("create-message"))


@dataclass(frozen=True)
class Draft:
    """What the fields hold when Create is pressed, in the order of `CreateFields.inputs`, and the chosen engine."""

    sent: object  # what the recorder sent, see clip_upload.read_upload
    name: str
    transcript: str
    language: str
    consent: str | None
    who: str
    engine: str


@said_on_the_page
def create_voice(studio: Studio, draft: Draft) -> Message:
    """Enroll the clip and warm it for the engine. The upload is read, and gone, before anything can be refused."""
    upload = read_upload(draft.sent, Path(get_upload_folder()))
    _refuse_taken(studio, draft.name)
    speaker = studio.enroll(_recording(draft, upload, _statement(draft.consent, draft.who)))
    return _warmed(studio, speaker, draft.engine)


def _refuse_taken(studio: Studio, name: str) -> None:
    """The page never replaces a voice silently, whatever the registration policy allows programs to do."""
    if any(speaker.key == speaker_key(name or "") for speaker in studio.speakers()):
        raise SpeakerExists(name)


def _statement(consent: str | None, who: str) -> str:
    """The consent as it is stored. Raises ConsentMissing."""
    if consent not in CONSENTS:
        raise ConsentMissing("It is not said why this voice may be cloned.", "Choose one of the four reasons.")
    if not (who or "").strip():
        raise ConsentMissing("It is not said whose voice this is.", "Name the person and the source of the clip.")
    return f"{CONSENTS[consent]}: {who.strip()}"


def _recording(draft: Draft, upload: ClipUpload, consent: str) -> Recording:
    return Recording(
        name=(draft.name or "").strip(),
        consent=consent,
        clip=decode_clip(upload.data, filename=upload.filename, mime_type=upload.mime_type),
        transcript=Transcript.of(draft.transcript, draft.language),
        mime_type=upload.mime_type or "audio/wav",
        filename=upload.filename,
        file_bytes=len(upload.data),
    )


def _warmed(studio: Studio, speaker: Speaker, engine: str) -> Message:
    """Warm the speaker. One whose clip or words the engine refuses does not stay: the fields do, to be mended and sent again."""
    try:
        warmth = studio.warm(speaker.name, engine)
    except ClipsUnsupported as error:
        return _stored_only(speaker, error)
    except CallerMistake:
        if studio.speaker(speaker.name).generation_id == speaker.generation_id:
            studio.forget(speaker.name)
        raise
    except EngineError as error:
        return _stored_only(speaker, error)
    title = studio.engine_info(warmth.engine).title
    how = f"{title} learned the voice in {warmth.seconds * 1000:.0f} ms."
    return Message("done", f"{speaker.name} is ready.", how, voice=speaker.name)


def _stored_only(speaker: Speaker, error: EngineError) -> Message:
    """Another engine, or this one later, may use the clip."""
    return Message("done", f"{speaker.name} is stored, but not learned yet: {error.fact}", error.hint, error.code, speaker.name)
