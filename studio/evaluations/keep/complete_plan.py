"""complete_plan: the plan that an order means, with the recordings that it names."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engines.clips.clip import Clip
from engines.contract.contract import EngineInfo
from engines.errors import CallerMistake
from studio.audio.decode import decode_sound
from studio.errors import EvaluationSpeakerTensor, EvaluationTooLarge, SpeakerUnknown
from studio.evaluations.keep.store import KeptRecording
from studio.evaluations.plan.order import EvaluationOrder, SoundFile
from studio.evaluations.plan.plan import MOST_CELLS, EvaluationSystem, EvaluationText, EvaluationVoice
from studio.speakers.enrollment import API_RULE
from studio.speakers.speaker import Speaker

__all__ = ["CompletePlan", "complete_plan"]

MOST_REFERENCE_SECONDS = 120.0  # of a person who says a text


class KnownVoices(Protocol):
    """Of a studio, as a workspace sees it."""

    def speaker(self, name: str) -> Speaker: ...

    def engine_id(self, engine: str | None = None) -> str: ...

    def engine_info(self, engine: str | None = None) -> EngineInfo: ...


@dataclass(frozen=True)
class CompletePlan:
    """order: the same, of which the plan has its digests. recordings: all that it names.

    undrawn: ids of systems whose engine draws nothing: with another seed they sound the same; and of those whose sounds are brought, once
    for each text unless somebody brings more.
    """

    order: EvaluationOrder
    recordings: tuple[KeptRecording, ...]
    undrawn: frozenset[str]


def complete_plan(order: EvaluationOrder, studio: KnownVoices) -> CompletePlan:
    """Raises EvaluationTooLarge, EngineUnknown; of a recording what decoding does, ClipTooShort, ClipTooLong, ClipUnusable, with the
    `voice` or the `text` in the error's values; EvaluationSpeakerTensor."""
    plan = order.plan
    if plan.n_cells() > MOST_CELLS:
        raise EvaluationTooLarge(plan.n_cells(), MOST_CELLS)
    recordings: dict[str, KeptRecording] = {}

    def kept(recording: KeptRecording) -> str:
        return recordings.setdefault(recording.clip.digest, recording).clip.digest

    systems = tuple(_system(system, studio) for system in plan.systems)
    voices = tuple(_voice(voice, order.clips.get(voice.id), studio.speaker, kept) for voice in plan.voices)
    texts = tuple(_text(text, order.references.get(text.id), kept) for text in plan.texts)
    undrawn = frozenset(one.id for one in systems if one.engine is None or not studio.engine_info(one.engine).draws)
    whole = plan.model_copy(update={"systems": systems, "voices": voices, "texts": texts})
    return CompletePlan(EvaluationOrder(whole, order.clips, order.references), tuple(recordings.values()), undrawn)


def _system(system: EvaluationSystem, studio: KnownVoices) -> EvaluationSystem:
    return system if system.engine is None else system.model_copy(update={"engine": studio.engine_id(system.engine)})


def _voice(
    voice: EvaluationVoice, file: SoundFile | None, speaker_of: Callable[[str], Speaker], kept: Callable[[KeptRecording], str]
) -> EvaluationVoice:
    if file is not None:
        with _told("voice", voice.label):
            data, name = _read(file)
            clip = API_RULE.join([API_RULE.decode(data, filename=name)])
            return voice.model_copy(update={"clip": kept(KeptRecording(clip))})
    if voice.name is None or voice.clip is not None:
        return voice
    try:
        speaker = speaker_of(voice.name)
    except SpeakerUnknown:  # a built-in one; whether an engine has it, it says itself
        return voice
    if speaker.clip_digest is None:
        raise EvaluationSpeakerTensor(speaker.name)
    found: dict[str, object] = {"clip": kept(KeptRecording(speaker.read_clip(), speaker.generation_id))}
    if voice.words is None and speaker.transcript is not None:
        words = speaker.transcript
        found |= {"words": words.text, "language": voice.language or words.language, "are_heard": words.by_transcriber}
    return voice.model_copy(update=found)


def _text(text: EvaluationText, file: SoundFile | None, kept: Callable[[KeptRecording], str]) -> EvaluationText:
    if file is None:
        return text
    with _told("text", text.id):
        data, name = _read(file)
        clip: Clip = decode_sound(data, filename=name, most_seconds=MOST_REFERENCE_SECONDS).clip
        return text.model_copy(update={"reference": kept(KeptRecording(clip))})


def _read(file: SoundFile) -> tuple[bytes, str]:
    """(the bytes, the name of the file)."""
    return (file.read_bytes(), file.name) if isinstance(file, Path) else (file, "")


@contextmanager
def _told(what: str, name: str) -> Iterator[None]:
    """What is wrong with a recording within is told with whose it is."""
    try:
        yield
    except CallerMistake as error:
        error.values.setdefault(what, name)
        raise
