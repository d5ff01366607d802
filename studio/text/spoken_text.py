"""Spoken text: what of a text an engine is given, and what is left out of it. The way that every door and the preview go."""

from collections.abc import Sequence

from engines.contract.contract import EngineInfo
from studio.errors import NothingSpoken
from studio.text.long_text import check_text
from studio.text.markup import CleanText, clean_text, shown_marks

__all__ = ["left_out_words", "spoken_text"]


def spoken_text(text: str, info: EngineInfo, most_characters: int) -> CleanText:
    """The text without markup that the engine does not obey. most_characters: of the text as it was written.

    Raises TextMissing, TextUnspeakable, and NothingSpoken where there is no word beside what is left out.
    """
    check_text(text, most_characters)
    cleaned = clean_text(text, info.markup)
    if cleaned.left_out and not any(character.isalnum() for character in cleaned.text):
        raise NothingSpoken(info.title, ", ".join(shown_marks(cleaned.left_out)))
    return cleaned


def left_out_words(left_out: Sequence[str], title: str) -> str:
    """The sentence about it, for people; "" where nothing was left out. title: of the engine."""
    if not left_out:
        return ""
    return f"Left out, since {title} does not understand it: {', '.join(shown_marks(left_out))}."
