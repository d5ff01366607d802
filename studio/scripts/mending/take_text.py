"""The text of a take. One that was kept by an earlier version does not say it: its words do, as far as they tell it."""

from collections.abc import Sequence

from studio.scripts.mending.word_changes import written_words
from studio.scripts.script.take import LineTake
from studio.speech.timed_words import TimedWord

__all__ = ["take_text"]


def take_text(take: LineTake, line_text: str, *, is_fresh: bool) -> str | None:
    """line_text: of its line by now. is_fresh: whether the take is not stale. None where it cannot be told: nobody knows its words.

    Where the words alone tell it, blanks stand for the signs between them.
    """
    if take.text or is_fresh:
        return take.text or line_text
    if not take.words:
        return None
    return line_text if _has_all(line_text, take.words) else _written_by(take.words)


def _has_all(text: str, words: Sequence[TimedWord]) -> bool:
    """Whether these words, and no others, stand in the text at their places."""
    if any(text[word.start : word.end] != word.written for word in words):
        return False
    return all(any(one.start < word.end and word.start < one.end for word in words) for one in written_words(text))


def _written_by(words: Sequence[TimedWord]) -> str:
    letters = [" "] * max(word.end for word in words)
    for word in words:
        letters[word.start : word.end] = word.written
    return "".join(letters)
