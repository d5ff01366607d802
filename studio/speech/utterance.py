"""Utterance: what an engine is to speak, and how long it will last. It is a text, or recorded speech."""

from collections.abc import Container, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import ClassVar, Protocol, Self

import numpy as np

from engines.clips.clip import SILENT_DBFS, Clip, loudest_dbfs
from engines.contract.contract import Engine, EngineInfo, HeardOut, SpeechEnd
from engines.contract.options import Value
from engines.contract.prompt import SpeakerPrompt
from engines.errors import ClipUnusable
from studio.errors import NoAudio, RecordedSpeechUnusable
from studio.reading.parts import Reading
from studio.reading.speaking_time import reading_seconds, repeated_seconds
from studio.reading.telling import check_spoken
from studio.speech.in_turn import SpokenParts, parts_of, spoken_in_turn

__all__ = ["ClipUtterance", "TextUtterance", "Utterance"]


class Utterance(Protocol):
    """reading: of a text; None of recorded speech. knows_length: whether `seconds` is no estimate."""

    reading: Reading | None
    knows_length: bool

    def chunks(self, engine: Engine, prompt: SpeakerPrompt, options: Mapping[str, Value], pace: float) -> Iterator[np.ndarray]:
        """As Engine.stream gives them; closing what comes back stops the work. pace: by which they are made faster afterwards."""

    def seconds(self, options: Mapping[str, Value], own: Container[str]) -> float:
        """That it will be heard. options: the engine's and `speed`. own: names of the engine's."""


@dataclass(frozen=True)
class TextUtterance:
    """parts: of what is read, each as long as the engine takes at a time."""

    knows_length: ClassVar[bool] = False

    reading: Reading
    parts: SpokenParts

    @classmethod
    def of(cls, reading: Reading, info: EngineInfo) -> Self:
        """Raises NothingSpoken."""
        check_spoken(reading, info)
        return cls(reading, parts_of(reading, info))

    def chunks(
        self, engine: Engine, prompt: SpeakerPrompt, options: Mapping[str, Value], pace: float
    ) -> Generator[np.ndarray, None, SpeechEnd]:
        return spoken_in_turn(engine, self.parts, prompt, options, pace=pace)

    def seconds(self, options: Mapping[str, Value], own: Container[str]) -> float:
        return reading_seconds(self.reading, options, own)


@dataclass(frozen=True)
class ClipUtterance:
    """clip: recorded speech that is said again."""

    knows_length: ClassVar[bool] = True
    reading: ClassVar[None] = None

    clip: Clip

    @classmethod
    def of(cls, clip: Clip, info: EngineInfo) -> Self:
        """Raises RecordedSpeechUnusable for a clip that holds no sound, or more than the engine converts at a time."""
        if clip.seconds > info.most_clip_seconds:
            raise RecordedSpeechUnusable.too_long(clip.seconds, info.most_clip_seconds, info.title)
        level_dbfs = loudest_dbfs(clip)
        if level_dbfs < SILENT_DBFS:
            fact = f"The speech to convert is silent ({level_dbfs:.0f} dBFS). Its level must be above {SILENT_DBFS:.0f} dBFS."
            hint = "Check the microphone and record again."
            raise RecordedSpeechUnusable("clip_silent", fact, hint, sentence="source_silent", level_dbfs=round(level_dbfs))
        return cls(clip)

    def chunks(
        self, engine: Engine, prompt: SpeakerPrompt, options: Mapping[str, Value], pace: float
    ) -> Generator[np.ndarray, None, SpeechEnd]:
        """Raises NoAudio, RecordedSpeechUnusable, and what the engine raises."""
        heard = False
        with closing(engine.convert(self.clip, prompt, options)) as chunks:
            heard_out = HeardOut(chunks)
            try:
                for chunk in heard_out:
                    heard = heard or len(chunk) > 0
                    yield chunk
            except ClipUnusable as error:
                raise RecordedSpeechUnusable.instead_of(error) from error
        if not heard:
            fact, hint = f"{engine.info.title} produced no audio for this recording.", "Try another recording."
            raise NoAudio(fact, hint, sentence="no_audio_of_recording", engine=engine.info.title)
        return heard_out.end

    def seconds(self, options: Mapping[str, Value], own: Container[str]) -> float:
        return repeated_seconds(self.clip.seconds, options)
