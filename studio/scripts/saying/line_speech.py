"""Speech of a line: opened as its script asks for it, and made a take once it is whole."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engines.contract.contract import EngineInfo
from studio.audio.pcm16 import FULL_SCALE, int16_of
from studio.audio.resampling import Resampler
from studio.errors import WordTimesUnknown
from studio.reading.language import asked_code
from studio.reading.lexicon.entry import LexiconEntry
from studio.reading.parts import Reading
from studio.running.delivery import Delivery
from studio.scripts.saying.asked_line import AskedLine
from studio.scripts.saying.candidate import Candidate
from studio.scripts.saying.saying_studio import SayingStudio
from studio.scripts.script.take import N_PEAKS, LineTake
from studio.speech.speech import Speech
from studio.speech.timed_words import TimedWord
from studio.timeline import Timeline

__all__ = ["LineSound", "LineSpeaker", "peaks_of", "resampled"]


@dataclass(frozen=True, eq=False)
class LineSound:
    """One sound of a line, whole. samples: (T,) int16 at sample_rate, Hz. take: all that is told of it but what the file is."""

    samples: np.ndarray
    sample_rate: int
    take: LineTake


@dataclass(frozen=True)
class LineSpeaker:
    """Says the lines of one script. dictionary: the script's, which goes before that of the workspace. clock: seconds since 1970."""

    studio: SayingStudio
    dictionary: tuple[LexiconEntry, ...]
    clock: Callable[[], float]

    def open(
        self,
        asked: AskedLine,
        candidate: Candidate,
        timeline: Timeline,
        *,
        delivery: Delivery = Delivery(whole=True),
        duration_seconds: float | None = None,
    ) -> Speech:
        """Raises what Studio.say does."""
        body = asked.body(seed=candidate.seed, pace=candidate.pace, duration_seconds=duration_seconds)
        return self.studio.say(body, timeline, dictionary=self.dictionary, delivery=delivery)

    def sound(self, speech: Speech, chunks: Sequence[np.ndarray], asked: AskedLine, candidate: Candidate) -> LineSound:
        """Of a speech that was heard to its end. chunks: (T,) float32, at least one."""
        heard = np.concatenate(chunks)
        samples, (words, why_wordless) = int16_of(heard), _words(speech, heard)
        info, ttfp = speech.engine, speech.timeline.ttfp_seconds
        take = LineTake(
            id=secrets.token_hex(8),
            key=asked.key,
            sha256="",
            seconds=len(samples) / speech.sample_rate,
            sample_rate=speech.sample_rate,
            n_bytes=0,
            made=self.clock(),
            engine=info.id,
            voice=speech.speaker or asked.voice or info.default_preset or "",
            engine_build=" ".join(filter(None, (info.hub_id, info.extractor_revision))),
            generation_id=asked.generation_id,
            seed=candidate.seed,
            pace=candidate.pace,
            ttfp_seconds=None if ttfp is None else round(ttfp, 5),
            warning=_warning(speech, asked, info),
            peaks=peaks_of(samples),
            words=words,
            why_wordless=why_wordless,
            text=asked.text,
        )
        return LineSound(samples, speech.sample_rate, take)

    def read(self, asked: AskedLine) -> Reading:
        """What its engine says of it, by both dictionaries. Raises what Readings.read does, EngineUnknown, LanguageUnsupported."""
        info = self.studio.engine_info(asked.engine)
        return self.studio.readings.behind(self.dictionary).read(asked.text, info, asked_code(asked.language, info))


def resampled(samples: np.ndarray, from_hz: int, to_hz: int) -> np.ndarray:
    """A whole sound, (T,) float32."""
    if from_hz == to_hz:
        return samples
    resampler = Resampler(from_hz, to_hz)
    return np.concatenate([resampler.push(samples), resampler.finish()])


def peaks_of(samples: np.ndarray) -> tuple[int, ...]:
    """Of N_PEAKS equal stretches, 0 to 100 of full scale."""
    sizes = np.abs(samples.astype(np.int32))
    edges = np.linspace(0, len(sizes), N_PEAKS + 1).astype(int)
    return tuple(round(100 * int(sizes[start:end].max(initial=0)) / FULL_SCALE) for start, end in pairwise(edges))


def _words(speech: Speech, samples: np.ndarray) -> tuple[tuple[TimedWord, ...] | None, str]:
    """(when its words are heard, ""), as its engine told or as they are found in its sound; else None and the code of the reason."""
    try:
        return speech.words_in(samples), ""
    except WordTimesUnknown as error:
        return None, str(error.values.get("sentence", error.code))


def _warning(speech: Speech, asked: AskedLine, info: EngineInfo) -> str:
    """What is to be known of a sound though it is there: what was left out, what the engine cannot heed, who spoke for whom."""
    ignored = ", ".join(speech.request.ignored)
    told = (
        speech.warning,
        f"{info.title} cannot heed: {ignored}." if ignored else "",
        f"{asked.said_for} is not in the cast: the narrator says it." if asked.said_for else "",
    )
    return " ".join(filter(None, told))
