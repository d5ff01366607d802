"""Utterance: what an engine is to speak, and how long it will last. It is a text, one that is still coming, or recorded speech.

Readings: how texts are read in one workspace, the same at every door.
"""

from collections.abc import Container, Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol, Self

import numpy as np

from engines.clips.clip import SILENT_DBFS, Clip, loudest_dbfs
from engines.contract.contract import Engine, EngineInfo, HeardOut
from engines.contract.options import Value
from engines.contract.prompt import SpeakerPrompt
from engines.contract.speech_end import SpeechEnd
from engines.contract.text_feed import TextFeed
from engines.errors import ClipUnusable, LanguageUnsupported, TextUnspeakable
from engines.text.spoken_length import estimated_seconds, repeated_seconds
from engines.text.text_splitter import Granularity
from studio.errors import NoAudio, NothingSpoken, RecordedSpeechTooLong, RecordedSpeechUnusable, RequestInvalid, TextMissing
from studio.lexicons.kept_lexicon import KeptLexicon
from studio.reading.language import asked_code
from studio.reading.lexicon.entry import LexiconEntry
from studio.reading.lexicon.lexicon import Lexicon
from studio.reading.parts import NOTHING, Pause, Reading
from studio.reading.reader import Manner, Reader, read
from studio.reading.telling import shown_marks
from studio.settings import Settings
from studio.speech.body import SpeechFields
from studio.speech.in_turn import Gap, SpeechTrack, SpokenParts, parts_of, spoken_in_turn, spoken_part

__all__ = ["ClipUtterance", "FedText", "FedUtterance", "Readings", "TextUtterance", "Utterance", "check_reads_along", "check_spoken"]

USUAL_TEXT = 200 * "a"  # for an estimate of what comes while it is spoken: nobody knows how long it will be


class Utterance(Protocol):
    """reading: of a text; None of recorded speech. knows_length: whether `seconds` is no estimate."""

    knows_length: ClassVar[bool]

    @property
    def reading(self) -> Reading | None: ...

    def chunks(
        self, engine: Engine, prompt: SpeakerPrompt, options: Mapping[str, Value], pace: float, track: SpeechTrack
    ) -> Generator[np.ndarray, None, SpeechEnd]:
        """As Engine.stream gives them; closing what comes back stops the work. pace: by which they are made faster afterwards.

        track: is told where each part of a text begins, and its words.
        """
        ...

    def seconds(self, options: Mapping[str, Value], own: Container[str]) -> float:
        """That it will be heard. options: the engine's and `speed`. own: names of the engine's."""
        ...


@dataclass(frozen=True)
class Readings:
    """lexicon: the workspace's dictionary, read as it is when a text is. first: of a dictionary that goes before it, as of a script."""

    settings: Settings
    lexicon: KeptLexicon
    first: tuple[LexiconEntry, ...] = ()

    def behind(self, first: Iterable[LexiconEntry]) -> "Readings":
        """The same, with a dictionary before that of the workspace."""
        return replace(self, first=tuple(first))

    def entries(self) -> Lexicon:
        """Both dictionaries as they are now. Raises OSError, LexiconFull."""
        kept = self.lexicon.read()
        return Lexicon(kept.entries, self.first) if self.first else kept

    def read(self, text: str, info: EngineInfo, language: str | None = None, *, directions: bool = True) -> Reading:
        """What that engine says of a text. language: its code, None where nobody says.

        Raises TextMissing, TextUnspeakable, NothingSpoken.
        """
        if not text.strip():
            raise TextMissing
        if len(text) > (most := self.settings.most_text_characters):
            raise TextUnspeakable(hint="Send it in several requests.", sentence="text_too_long", n=len(text), most=most)
        reading = read(text, info, self._manner(language, directions))
        check_spoken(reading, info)
        return reading

    def reader(self, fields: SpeechFields, info: EngineInfo, granularity: Granularity, *, by_word: bool = False) -> Reader:
        """For a text that comes in pieces, see Reader. A language that the engine does not speak is refused when a sentence of it is to be
        spoken.
        """
        try:
            language = asked_code(fields.language, info)
        except LanguageUnsupported:
            language = None
        return Reader(info, self._manner(language, fields.directions is not False), granularity, by_word=by_word)

    def _manner(self, language: str | None, directions: bool) -> Manner:
        return Manner(language, directions, not self.settings.dialect.reads_texts, self.entries())


def check_spoken(reading: Reading, info: EngineInfo) -> None:
    """Raises NothingSpoken where there is no word beside what is left out."""
    if reading.left_out and not any(map(str.isalnum, reading.text)):
        raise NothingSpoken(info.title, ", ".join(shown_marks(reading.told_marks or [one.mark for one in reading.left_out])))


@dataclass(frozen=True)
class TextUtterance:
    """parts: of what is read, each as long as the engine takes at a time."""

    knows_length: ClassVar[bool] = False

    reading: Reading
    parts: SpokenParts

    @classmethod
    def of(cls, reading: Reading, info: EngineInfo) -> Self:
        return cls(reading, parts_of(reading, info))

    def chunks(
        self, engine: Engine, prompt: SpeakerPrompt, options: Mapping[str, Value], pace: float, track: SpeechTrack
    ) -> Generator[np.ndarray, None, SpeechEnd]:
        return spoken_in_turn(engine, self.parts, prompt, options, pace=pace, track=track)

    def seconds(self, options: Mapping[str, Value], own: Container[str]) -> float:
        return estimated_seconds(self.reading.text, options, own, self.reading.silence_seconds)


@dataclass(frozen=True)
class ClipUtterance:
    """clip: recorded speech that is said again."""

    knows_length: ClassVar[bool] = True
    clip: Clip

    @property
    def reading(self) -> None:
        return None

    @classmethod
    def of(cls, clip: Clip, info: EngineInfo) -> Self:
        """Raises RecordedSpeechUnusable for a clip that holds no sound, or more than the engine converts at a time."""
        if clip.seconds > info.most_clip_seconds:
            raise RecordedSpeechTooLong(clip.seconds, info.most_clip_seconds, info.title)
        level_dbfs = loudest_dbfs(clip)
        if level_dbfs < SILENT_DBFS:
            detail = f"its level is {level_dbfs:.0f} dBFS, and must be above {SILENT_DBFS:.0f} dBFS"
            raise RecordedSpeechUnusable("clip_silent", sentence="source_silent", detail=detail, level_dbfs=round(level_dbfs))
        return cls(clip)

    def chunks(
        self, engine: Engine, prompt: SpeakerPrompt, options: Mapping[str, Value], pace: float, track: SpeechTrack
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
            raise NoAudio(sentence="no_audio_of_recording", engine=engine.info.title)
        return heard_out.end

    def seconds(self, options: Mapping[str, Value], own: Container[str]) -> float:
        return repeated_seconds(self.clip.seconds, options)


# --- a text that is spoken while it comes


class FedText(TextFeed):
    """reading: of all that has come, with the silence before it and behind it."""

    def __init__(self):
        super().__init__()
        self.reading: Reading = NOTHING
        self.words = ""  # all that the engine was given

    def add_reading(self, reading: Reading) -> None:
        """More of it. A silence is none within the speech: before its first word or behind its last."""
        self.reading = self.reading.then(reading)
        if words := "".join(part.text for part in reading.parts if not isinstance(part, Pause)):
            self.words += words
            self.add(words)


def check_reads_along(info: EngineInfo, others: Iterable[EngineInfo] = ()) -> None:
    """Raises RequestInvalid where that engine speaks whole texts alone."""
    if info.reads_along:
        return
    able = ", ".join(other.id for other in others if other.reads_along)
    fact = f"streaming_mode='token_level' needs an engine that reads a text while it comes; {info.title} does not"
    hint = f"{f'Engines that do: {able}.' if able else 'No engine here does.'} Or use streaming_mode='sentence_commit'."
    raise RequestInvalid("unsupported", fact, "streaming_mode", hint, field="streaming_mode", engine=info.title)


@dataclass(frozen=True)
class FedUtterance:
    """text: what has come so far, and what will."""

    knows_length: ClassVar[bool] = False

    text: FedText

    @property
    def reading(self) -> Reading:
        return self.text.reading

    def chunks(
        self, engine: Engine, prompt: SpeakerPrompt, options: Mapping[str, Value], pace: float, track: SpeechTrack
    ) -> Generator[np.ndarray, None, SpeechEnd]:
        """As of a text that is there, with the silence before its first word and behind its last."""
        gap, lead = Gap(engine.info.sample_rate), self.reading.lead
        yield from gap.silence(lead * pace)
        part = track.begin_fed(gap.n_samples, engine.info.sample_rate * pace)
        end = yield from spoken_part(engine, engine.stream_along(self.text, prompt, options), gap.heard, part)
        part.text = self.text.words
        yield from gap.silence((self.reading.silence_seconds - lead) * pace)
        return end

    def seconds(self, options: Mapping[str, Value], own: Container[str]) -> float:
        return max(estimated_seconds(text, options, own) for text in (self.reading.text, USUAL_TEXT))
