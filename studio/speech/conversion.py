"""ConversionRequest: what a request to convert recorded speech means: the same words, as they were said, in a cached voice."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from engines.clip import Clip
from engines.contract import EngineInfo
from studio.reference.reference_audio import Fetch
from studio.settings import Settings
from studio.speech.body import ConversionBody
from studio.speech.converter import check_converts
from studio.speech.request import SpeakerRequest, speaker_of, timed_decode
from studio.speech.said import SaidClip
from studio.timeline import Timeline

__all__ = ["ConversionRequest", "ReadSource", "conversion_of"]

ReadSource = Callable[[EngineInfo], Clip]  # blocks; told which engine converts, so that no more is decoded than that takes


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

    def said(self, info: EngineInfo, most_text_characters: int) -> SaidClip:
        """Raises ConversionUnsupported, SourceUnusable."""
        check_converts(info)
        return SaidClip.of(self.source, info)


def conversion_of(
    body: ConversionBody, info: EngineInfo, settings: Settings, timeline: Timeline, fetch: Fetch, *, read_source: ReadSource
) -> ConversionRequest:
    """What the body asks of that engine. Blocks while recordings are fetched and decoded. Raises CallerMistake, FetchesBusy."""
    speaker = speaker_of(body, info, settings, timeline, fetch)
    return ConversionRequest(timed_decode(timeline, lambda: read_source(info)), **speaker)
