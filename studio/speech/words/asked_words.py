"""Whether a request that asks when words are heard can be served."""

from engines.contract.contract import EngineInfo
from studio.errors import RequestInvalid
from studio.settings import Dialect
from studio.speech.body import SpeechFields
from studio.speech.words.word_aligner import can_align

__all__ = ["check_asked_words", "check_word_times"]

NO_PLACE = (  # of whom asks for word times, and the next step
    "word_timestamps=true is not supported with raw streams, which have no place for them",
    "Ask for a whole file, or for stream_format='sse', whose last event tells them.",
)
NO_ALIGNER = (
    "word_timestamps=true is not supported: this engine does not mark its words, and eSpeak NG, by which they are found, is not installed",
    "pip install espeakng-loader, or leave word_timestamps out.",
)


def check_asked_words(body: SpeechFields, info: EngineInfo, dialect: Dialect) -> None:
    """In which answers there is a place for them."""
    if dialect.no_streamed_words and body.delivery != "whole":
        raise _no_word_times(info, dialect.no_streamed_words, "")
    if body.delivery == "raw":
        raise _no_word_times(info, *NO_PLACE)
    check_word_times(info, dialect.no_aligner)


def check_word_times(info: EngineInfo, sentence: str = "") -> None:
    """Raises RequestInvalid where nobody can tell when the words of that engine are heard.

    sentence: the dialect's, "" for our own.
    """
    if not info.marks_words and not can_align():
        raise _no_word_times(info, *((sentence, "") if sentence else NO_ALIGNER))


def _no_word_times(info: EngineInfo, fact: str, hint: str) -> RequestInvalid:
    return RequestInvalid("unsupported", fact, "word_timestamps", hint, field="word_timestamps", engine=info.title)
