"""LineTake: one sound of a line, with how it was made and what was found of it."""

from dataclasses import dataclass

from studio.speech.timed_words import TimedWord

__all__ = ["N_PEAKS", "LineTake", "MendedFrom", "TakeEstimates"]

N_PEAKS = 48


@dataclass(frozen=True)
class TakeEstimates:
    """What the ears found; None where they cannot tell. heard: the words that were written down."""

    word_errors: int | None = None
    n_words: int | None = None
    likeness: float | None = None
    quality: float | None = None
    heard: str | None = None


@dataclass(frozen=True)
class MendedFrom:
    """Of which take another one was made: its id, and the engine that said it."""

    take: str
    engine: str


@dataclass(frozen=True)
class LineTake:
    """key: of all that shapes its sound (studio/scripts/saying/line_key.py); the take is stale where the line has another by now.

    sha256: of its file, FLAC, mono, 16 bit. ttfp_seconds: to the first sound. words: None where their times are not known, and then
    why_wordless is the reason code. engine_build: revision and weights of the engine. generation_id: of the voice, "" of a built-in one.
    seed: by which it can be said again alike. pace: how much faster it is than the line asks for, by which candidates of an engine that
    draws nothing differ.
    peaks: of N_PEAKS equal stretches of it, 0 to 100 of full scale: the sliver of its wave.
    text: that was said, "" of a take that an earlier version kept. mended_from: the take of which some words were made anew; None of one
    that was said whole.
    reason: why the ears chose it, {"key": of `scripts` in assets/words, "values": {}}; None where they did not.
    """

    id: str
    key: str
    sha256: str
    seconds: float
    sample_rate: int
    n_bytes: int
    made: float  # seconds since 1970
    engine: str
    voice: str = ""
    engine_build: str = ""
    generation_id: str = ""
    seed: int | None = None
    pace: float = 1.0
    ttfp_seconds: float | None = None
    warning: str = ""
    peaks: tuple[int, ...] = ()
    words: tuple[TimedWord, ...] | None = None
    why_wordless: str = ""
    estimates: TakeEstimates | None = None
    reason: dict | None = None
    text: str = ""
    mended_from: MendedFrom | None = None
