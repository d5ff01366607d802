"""ConversionRequest: the meaning of a request to convert recorded speech, and which engine is to do it.

It asks for the same words, spoken the same way, in a cached voice.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Unpack

from engines.clips.clip import Clip
from engines.contract.contract import EngineInfo
from engines.errors import CallerMistake, ConversionUnsupported
from studio.errors import ClipTooLong, RecordedSpeechTooLong, RecordedSpeechUnusable, RequestInvalid
from studio.reference.reference_audio import Fetch
from studio.running.lifecycle import EngineStatus
from studio.settings import Settings
from studio.speakers.enrollment import EnrollmentRule
from studio.speech.body import ConversionBody
from studio.speech.request import DoorFields, SpeakerRequest, speaker_of, timed_decode
from studio.speech.utterance import ClipUtterance, Readings
from studio.timeline import Timeline

__all__ = ["ConversionRequest", "ReadSource", "check_converts", "chosen_converter", "conversion_of", "first_suited", "reading_source"]

ReadSource = Callable[[EngineInfo], Clip]  # blocks; told which engine converts, so that no more is decoded than that takes


@contextmanager
def reading_source(info: EngineInfo, rule: EnrollmentRule) -> Iterator[EnrollmentRule]:
    """The rule by which recorded speech is decoded that the engine is to convert: a door's, with that engine's length.

    What is wrong with the file within is told of the source: no recording of a speaker is meant. Raises RecordedSpeechUnusable,
    RequestInvalid.
    """
    try:
        yield replace(rule, most_seconds=info.most_clip_seconds)
    except ClipTooLong as error:
        raise RecordedSpeechTooLong(error.seconds, error.most_seconds, info.title) from error
    except CallerMistake as error:
        raise RequestInvalid.instead_of(error, error.fact, RecordedSpeechUnusable.parameter or "", error.hint) from error


@dataclass(frozen=True, eq=False)
class ConversionRequest(SpeakerRequest):
    """Say what is said in `source` again, in one voice. Nothing of the source is kept.

    engine: None for the first that converts and knows or can learn the voice (converter.py).
    """

    source: Clip

    @property
    def source_seconds(self) -> float:
        return self.source.seconds

    def utterance(self, info: EngineInfo, readings: Readings) -> ClipUtterance:
        """Raises ConversionUnsupported, RecordedSpeechUnusable."""
        check_converts(info)
        return ClipUtterance.of(self.source, info)


def conversion_of(
    body: ConversionBody,
    info: EngineInfo,
    settings: Settings,
    timeline: Timeline,
    fetch: Fetch,
    *,
    read_source: ReadSource,
    **door_fields: Unpack[DoorFields],
) -> ConversionRequest:
    """What the body asks of that engine. Blocks while recordings are fetched and decoded. Raises CallerMistake, FetchesBusy."""
    speaker = speaker_of(body, info, settings, timeline, fetch)
    return ConversionRequest(timed_decode(timeline, lambda: read_source(info)), **speaker, **door_fields)


# --- the engine


def check_converts(info: EngineInfo, others: Iterable[EngineInfo] = ()) -> None:
    """Raises ConversionUnsupported where it does not; others: on offer, of which those that do are named."""
    if info.converts:
        return
    able = tuple(other.title for other in others if other.converts)
    if not able:
        raise ConversionUnsupported(engine=info.title)
    hint = f"Choose {' or '.join(able)}."
    raise ConversionUnsupported(hint=hint, sentence="conversion_by_others", engine=info.title, others=able)


def chosen_converter(statuses: Sequence[EngineStatus], default: str, suits: Callable[[EngineInfo], bool]) -> EngineInfo:
    """The engine for who named none, of those that convert. suits: whether it can be asked for the voice; see first_suited.

    Raises ConversionUnsupported where none converts.
    """
    able = [status for status in statuses if status.info.converts]
    if not able:
        raise ConversionUnsupported(sentence="conversion_by_none")
    return first_suited(able, default, suits)


def first_suited(able: Sequence[EngineStatus], default: str, suits: Callable[[EngineInfo], bool]) -> EngineInfo:
    """Of engines, at least one, the first that suits, the default one before all others and last what cannot be opened. Where none suits,
    the first, which will say why.
    """
    able = sorted(able, key=lambda status: (status.is_out_of_order, status.info.id != default))
    return next((status.info for status in able if suits(status.info)), able[0].info)
