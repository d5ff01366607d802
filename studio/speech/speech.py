"""Speech: the sound that comes back, at the requested rate and within full scale. On request it goes into the history."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

import numpy as np

from engines.contract.contract import EngineInfo
from engines.contract.language_limit import LanguageLimit
from engines.contract.speech_end import ENDED, SpeechEnd
from studio.audio.level_meter import LevelMeter, soft_limited
from studio.audio.resampling import Resampler
from studio.errors import NoAudio, WordTimesUnknown
from studio.reading.parts import Reading
from studio.reading.telling import left_out_words, shown_marks
from studio.running.stream import EngineStream, end_by
from studio.speech.in_turn import SpeechTrack
from studio.speech.request import SpeakerRequest
from studio.speech.timed_words import TimedWord
from studio.speech.utterance import Utterance
from studio.speech.words.said_words import SaidWord, fed_words, said_words
from studio.speech.words.timing import marked_intervals, timed_words
from studio.speech.words.word_aligner import aligned_intervals
from studio.timeline import Timeline

__all__ = ["Record", "Speech"]


class Record(Protocol):
    """Where a speech is kept. entry_id: of the entry that it becomes. doubt: in words, where the last one could not be kept.

    Neither method blocks.
    """

    entry_id: str
    doubt: str

    def add(self, samples: np.ndarray) -> None:
        """What the listener took, (T,), T > 0."""

    def end(self, end: SpeechEnd, words: Callable[[], tuple[TimedWord, ...] | None]) -> None:
        """It is over, also where nothing was added. Called once; what a reader adds whom another thread hung up on by then is nobody's.

        words: see Speech.words.
        """


class Speech:
    """Samples (T,) float32 in [-1, 1] at `sample_rate`, T > 0, as the engine makes them. One reader. Must be closed, or read to its end.

    engine: what speaks. speaker: the name as stored, or None for inline audio. prompt_facts: what extraction found out about the clip.
    kept_as: the id of the entry that it becomes in the history, "" where it becomes none. keeping_doubt: why it may become none. level: of
    what the listener took.
    utterance, track: what is said, and where its parts and words are, which whoever opens it sets.
    end: why it is over, for the listener; None until then. One who hung up has cancelled it, whatever the engine had made by then.
    """

    def __init__(
        self,
        request: SpeakerRequest,
        stream: EngineStream,
        engine: EngineInfo,
        speaker: str | None,
        prompt_facts: Mapping[str, object],
        *,
        record: Record | None = None,
    ):
        self.request = request
        self.utterance: Utterance | None = None
        self.track: SpeechTrack | None = None
        self.engine = engine
        self.speaker = speaker
        self.prompt_facts = prompt_facts
        self.kept_as = record.entry_id if record else ""
        self.keeping_doubt = record.doubt if record else ""
        self.sample_rate = request.sample_rate or engine.sample_rate
        self.n_samples = 0
        self.level = LevelMeter()
        self.end: SpeechEnd | None = None
        self._stream = stream
        self._resampler = Resampler(engine.sample_rate, self.sample_rate)
        self._is_over = False  # read to its end
        self._failure: Exception | None = None
        self._record = record

    @property
    def reading(self) -> Reading | None:
        """How its text is read, as far as it has come; None where none is said."""
        return self.request.reading if self.utterance is None else self.utterance.reading

    @property
    def timeline(self) -> Timeline:
        return self._stream.timeline

    @property
    def seconds(self) -> float:
        """Of sound handed out so far."""
        return self.n_samples / self.sample_rate

    @property
    def heard_until(self) -> float | None:
        """The timeline's clock when a listener has heard all that was made so far; None before anything was."""
        return self._stream.playback.dry_at

    @property
    def left_out(self) -> tuple[str, ...]:
        """Marks of the text that are not spoken."""
        return self.reading.told_marks if self.reading else ()

    @property
    def directions(self) -> tuple[str, ...]:
        """What of the text the engine follows, and does not say."""
        return self.reading.directions if self.reading else ()

    @property
    def misread(self) -> Sequence[LanguageLimit]:
        """What of the text the engine says otherwise than it is meant."""
        return self.request.misread(self.engine, self.reading)

    @property
    def told(self) -> dict[str, list[str]]:
        """For people, known before the first sound, each where there is any. What of the text is not heard as it is written: `left_out`,
        `directions`, `misread`. `reference`: which channel or track of a recording that came with the request was taken.
        """
        misread = [limit.fact for limit in self.misread]
        marks = {"left_out": self.left_out, "directions": self.directions}
        told = {name: shown_marks(found) for name, found in marks.items() if found}
        reference = [words for source in self.request.clip_sources if (words := source.told)]
        return told | {name: lines for name, lines in (("misread", misread), ("reference", reference)) if lines}

    @property
    def words(self) -> tuple[TimedWord, ...] | None:
        """When each word is heard, of those that the engine has said by now; all once it is over. None where it does not mark words."""
        if self.track is None or not self.engine.marks_words or self.reading is None:
            return None
        said = self.said_words
        return timed_words(said, marked_intervals(said, self.track), self.written, self.seconds)

    def words_in(self, samples: np.ndarray) -> tuple[TimedWord, ...]:
        """The same of a speech that is over, by whatever engine: those that are not marked are looked for in its sound. Blocks.

        samples: (T,) float32, all that was handed out. Raises WordTimesUnknown.
        """
        if (words := self.words) is not None:
            return words
        if self.track is None or not self.track.parts or self.reading is None:
            raise WordTimesUnknown(sentence="word_times_of_recording")
        said, language = self.said_words, self.request.text_language
        return timed_words(said, aligned_intervals(said, self.track, samples, self.sample_rate, language), self.written, self.seconds)

    @property
    def said_words(self) -> tuple[SaidWord, ...]:
        """The words of its text as the engine is given them, as far as that has come."""
        if self.reading is None:
            return ()
        is_fed = self.request.delivery.feed is not None
        return fed_words(self.reading, self.engine) if is_fed else said_words(self.reading, self.engine)

    @property
    def written(self) -> str:
        """The text that places of words are about; "" of one that came in pieces, which nobody keeps."""
        return self.request.written if self.request.reading is None and self.request.delivery.feed is None else ""

    @property
    def warning(self) -> str:
        """For people: what is to be known of a speech that is over, and of what was left out of its text; "" where there is nothing."""
        misread = " ".join(f"{self.engine.title}: {limit.fact} {limit.hint}" for limit in self.misread)
        left_out = left_out_words(self.left_out) if self.left_out else ""
        told = (self.end.warning if self.end else "", left_out, misread, self.keeping_doubt)
        return " ".join(filter(None, told))

    def notify(self, callback: Callable[[], None]) -> None:
        """For async doors: call back from another thread whenever `poll` has something new, and once now."""
        self._stream.notify(callback)

    def poll(self) -> tuple[np.ndarray | None, bool]:
        """(samples or None, whether it is over), without blocking. Raises what the engine raised; NoAudio."""
        with self._failures_recorded():
            while not self._is_over:
                chunk, over = self._stream.poll()
                if chunk is None and not over:
                    return None, False
                samples = self._take(chunk)
                if len(samples):
                    return samples, False
        return None, True

    def __iter__(self) -> Iterator[np.ndarray]:
        return self

    def __next__(self) -> np.ndarray:
        """The next samples, waiting for them."""
        with self._failures_recorded():
            while not self._is_over:
                samples = self._take(next(self._stream, None))
                if len(samples):
                    return samples
        raise StopIteration

    def read_all(self) -> np.ndarray:
        """The whole speech, (T,) float32."""
        try:
            return np.concatenate(list(self))
        finally:
            self.close()

    def close(self) -> None:
        """Hang up: the engine stops within one chunk. Idempotent."""
        self._finish(SpeechEnd("cancelled"))
        self._stream.close()

    def __enter__(self) -> "Speech":
        return self

    def __exit__(self, *exc_info) -> None:
        self.close()

    def _take(self, chunk: np.ndarray | None) -> np.ndarray:
        """What the listener gets of a chunk (T,), or of the end: (T',), T' sometimes 0."""
        samples = self._resampler.finish() if chunk is None else self._resampler.push(chunk)
        if len(samples):
            samples = soft_limited(samples)
            self.n_samples += len(samples)
            self.level.add(samples)
            if self._record is not None:
                self._record.add(samples)
        if chunk is None:
            self._is_over = True
            if not self.n_samples:
                raise NoAudio(sentence="speech_too_short")
            self._finish(self._stream.end or ENDED)
        return samples

    @contextmanager
    def _failures_recorded(self) -> Iterator[None]:
        """And raised again by whoever reads on."""
        if self._failure is not None:
            raise self._failure
        try:
            yield
        except Exception as error:
            self._failure = error
            self._finish(end_by(error))
            raise

    def _finish(self, end: SpeechEnd) -> None:
        """The first end counts."""
        if self.end is not None:
            return
        self.end = end
        if self._record is not None:
            self._record.end(end, lambda: self.words)
