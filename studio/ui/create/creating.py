"""Create voice: five steps from a clip to a speaker that engines have learned. assets/web/create/creating.js draws the steps.

Its scripts call the handlers here and beside by name: a `gr.HTML` offers them as server functions, to sessions of this page alone.
A voice that other tools made is adopted, brought in by a file: what it is, and its name and permission. Asked by
assets/web/create/adopting.js.
"""

from collections.abc import Callable
from dataclasses import dataclass

import gradio as gr

from engines.clips.cleaning import can_clean
from engines.clips.clip import Transcript
from studio.service import Studio
from studio.speakers.clip_draft import ClipDrafts
from studio.speakers.consent import MOST_WHO_CHARACTERS, REASONS, record_consent
from studio.speakers.enrollment import PAGE_RULE, telling_which
from studio.speakers.metadata import MOST_NAME_BYTES, check_count
from studio.speakers.speaker import Enrollment
from studio.speakers.tensor import TENSOR_TYPE, SpeakerTensor
from studio.speakers.tensor_file import MOST_TENSOR_FILE_BYTES, read_tensor_file
from studio.speakers.voiceprint import print_digest
from studio.ui.clips.clip_estimates import can_estimate, estimate_region
from studio.ui.clips.clip_intake import ClipUpload, clip_limits, drop_clip, find_clip, read_sent, region_of, region_sound, take_clip
from studio.ui.clips.clip_report import check_region, engine_rows, judge_name, judge_words
from studio.ui.clips.designing import design_engines, keep_design
from studio.ui.clips.extracting import clip_incompatibility, extract_voice, extraction_states
from studio.ui.clips.reading_texts import reading_texts
from studio.ui.clips.transcribing import transcript_warning, write_words
from studio.ui.gradio import web
from studio.ui.gradio.current_visit import LIGHT, PRESSED, named, visited
from studio.ui.gradio.message_line import message_line
from studio.ui.gradio.messages import answered
from studio.ui.speak import speaking
from studio.ui.speak.speaking import fill

__all__ = [
    "ADOPTED_LIMITS",
    "CreateFields",
    "adopt_tensor",
    "build_create_fields",
    "create_voice",
    "kind_of",
    "look_at_tensor",
    "show_created",
    "wire_create",
    "wire_speak_now",
]

# --- what other tools made


# What the dialog has to know.
ADOPTED_LIMITS = {"tensor_bytes": MOST_TENSOR_FILE_BYTES, "name_characters": MOST_NAME_BYTES, "who_characters": MOST_WHO_CHARACTERS}


@answered
def look_at_tensor(studio: Studio, asked: dict) -> dict[str, object]:
    """asked: {sent}. {form, frames, engines}: its form, how many frames it has, and the titles of the engines that take it."""
    _, tensor = _read(studio, asked)
    takers = [status.info.title for status in studio.engines() if tensor.suits(status.info)]
    return {"form": tensor.form, "frames": tensor.n_frames, "engines": takers}


@answered
def adopt_tensor(studio: Studio, asked: dict) -> dict[str, object]:
    """Enroll it. Gives {voice, generation, print}, as create_voice does. asked: {sent, name, reason, who, replace}."""
    upload, tensor = _read(studio, asked)
    record = record_consent(asked.get("reason"), str(asked.get("who") or ""), tensor.digest)
    name = str(asked.get("name") or "").strip()
    recording = Enrollment(name, record.text, tensor=tensor, consent_record=record, mime_type=TENSOR_TYPE, filename=upload.filename)
    speaker = studio.library.create(recording, replace=asked.get("replace") is True)
    return {"voice": speaker.name, "generation": speaker.generation_id, "print": print_digest(speaker)}


def kind_of(tensor: SpeakerTensor | None) -> str:
    """What stands for a voice in place of a recording, as a key of words; "" where nothing does."""
    if tensor is None:
        return ""
    return "tools" if tensor.form else "numbers"


def _read(studio: Studio, asked: dict) -> tuple[ClipUpload, SpeakerTensor]:
    """Raises ClipAbsent, AudioTooLarge, TensorFileUnusable."""
    upload = read_sent(asked.get("sent"))
    return upload, read_tensor_file(upload.data, [status.info for status in studio.engines()])


# --- five steps


@dataclass(frozen=True)
class CreateFields:
    """The tab's components, for the page to wire."""

    steps: gr.HTML
    design: gr.HTML
    message: gr.HTML


def build_create_fields(studio: Studio, drafts: ClipDrafts) -> CreateFields:
    """The tab's components in their order on the page; called inside of the tab."""
    design = gr.HTML(
        None,
        elem_id="designing",
        html_template=web.markup("design/design"),
        js_on_load=web.mount("designing", "created", "speak", calls=True),
        apply_default_css=False,
        server_functions=[named(handler, studio) for handler in (design_engines, keep_design, judge_name)],
    )
    steps = gr.HTML(
        {
            "reasons": list(REASONS),
            "limits": clip_limits() | ADOPTED_LIMITS,
            "writes_words": studio.transcriber.is_here,
            "estimates": can_estimate(studio),
            "cleans": can_clean(),
        },
        elem_id="creating",
        html_template=web.markup("create/creating"),
        js_on_load=web.mount("creating", "created", "speak", calls=True),
        apply_default_css=False,
        server_functions=list(_handlers(studio, drafts)),
    )
    return CreateFields(steps, design, message_line("create-message"))


def wire_create(studio: Studio, fields: CreateFields, composer: gr.HTML) -> None:
    """composer: of the Speak tab, where the new voice becomes the chosen one."""

    def show(made: gr.EventData) -> object:
        return show_created(visited(studio), made._data)

    for way in (fields.steps, fields.design):
        way.created(show, None, composer, **PRESSED)


def wire_speak_now(fields: CreateFields, tabs: gr.Tabs) -> None:
    """The way to the Speak tab, of a voice that was made. By the tabs themselves: on a narrow screen a tab's button may be in a menu."""
    for way in (fields.steps, fields.design):
        way.speak(lambda: gr.update(selected="speak"), None, tabs, **LIGHT)


def show_created(studio: Studio, made: dict | None) -> object:
    """The composer of the Speak tab, with the new voice chosen; as it is where there is no such voice."""
    speaker = speaking.stored_speaker(studio, (made or {}).get("voice"))
    return gr.skip() if speaker is None else fill(speaker.name)


@answered
def create_voice(studio: Studio, drafts: ClipDrafts, asked: dict) -> dict[str, object]:
    """Enroll a region of a draft; nothing is extracted yet. Gives {voice, generation, print}, print: the digest of its drawing.

    asked: {draft, start, end, name, transcript, language, reason, who, made, replace, before}. made: generation of the voice that the same
    visit made before. replace: the visitor's own voice of that name goes. before: recordings before this one, each {draft, start, end,
    transcript}; with some, the voice may be made of them alone, without a draft of its own.
    """
    parts = [*(asked.get("before") or ()), *([asked] if asked.get("draft") or not asked.get("before") else ())]
    check_count(len(parts))
    regions = []
    for number, part in enumerate(parts, 1):
        with telling_which(number, len(parts)):
            regions.append(region_of(drafts, part))
    draft, clip = regions[0][0], PAGE_RULE.join([clip for _, clip in regions])
    words = Transcript.of_recordings([str(part.get("transcript") or "") for part in parts], len(parts), asked.get("language"))
    consent = record_consent(asked.get("reason"), asked.get("who") or "", clip.digest)
    recording = Enrollment(
        name=(asked.get("name") or "").strip(),
        consent=consent.text,
        clip=clip,
        transcript=words,
        mime_type=draft.mime_type,
        filename=draft.filename,
        file_bytes=sum(draft.file_bytes for draft, _ in regions),
        consent_record=consent,
    )
    speaker = studio.library.create(recording, made=asked.get("made"), replace=asked.get("replace") is True)
    return {"voice": speaker.name, "generation": speaker.generation_id, "print": print_digest(speaker)}


def _handlers(studio: Studio, drafts: ClipDrafts) -> list[Callable]:
    """What the scripts may call, by its name."""
    of_drafts = [named(handler, drafts) for handler in (take_clip, find_clip, region_sound, drop_clip)]
    of_both = [named(handler, studio, drafts) for handler in (check_region, create_voice, write_words, transcript_warning, estimate_region)]
    of_studio = [
        named(handler, studio)
        for handler in (engine_rows, extract_voice, extraction_states, clip_incompatibility, look_at_tensor, adopt_tensor)
    ]
    of_words = [named(handler, studio) for handler in (judge_name, judge_words)]
    return [*of_drafts, *of_both, *of_studio, *of_words, reading_texts]
