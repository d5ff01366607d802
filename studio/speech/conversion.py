"""ConversionRequest: the meaning of a request to convert recorded speech.

It asks for the same words, spoken the same way, in a cached voice.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import ClassVar, Unpack

from engines.clips.clip import Clip
from engines.contract.contract import EngineInfo
from engines.errors import CallerMistake
from studio.errors import ClipTooLong, RecordedSpeechUnusable, RequestInvalid
from studio.reference.reference_audio import Fetch
from studio.settings import Settings
from studio.speakers.enrollment import EnrollmentRule
from studio.speech.body import ConversionBody
from studio.speech.converter import check_converts
from studio.speech.request import DoorFields, SpeakerRequest, speaker_of, timed_decode
from studio.speech.utterance import ClipUtterance, Readings
from studio.timeline import Timeline

__all__ = ["ConversionRequest", "ReadSource", "conversion_of", "reading_source"]

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
        raise RecordedSpeechUnusable.too_long(error.seconds, error.most_seconds, info.title) from error
    except CallerMistake as error:
        raise RequestInvalid.instead_of(error, error.fact, RecordedSpeechUnusable.parameter, error.hint) from error


@dataclass(frozen=True, eq=False)
class ConversionRequest(SpeakerRequest):
    """Say what is said in `source` again, in one voice. Nothing of the source is kept.

    engine: None for the first that converts and knows or can learn the voice (converter.py).
    """

    text: ClassVar[str] = ""

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
