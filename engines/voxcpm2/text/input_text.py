"""TextRows: the text as the model reads it, with instructions on how to speak, and behind the words of a recording."""

import re
import unicodedata

from engines.errors import TextUnspeakable

__all__ = ["input_text", "joined"]

# Scripts whose words stand together without blanks; names of Unicode begin so.
WITHOUT_BLANKS = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "IDEOGRAPHIC", "FULLWIDTH", "BOPOMOFO")


def input_text(text: str, instructions: str = "", *, normalize: bool = False) -> str:
    """What the model is to say: blanks made single, as upstream (core.py), none at the edges; instructions in parentheses before it.

    normalize: numbers and signs as words first. Raises TextUnspeakable for a text of nothing, OptionInvalid as `normalized`.
    """
    said = _single_blanks(text)
    if normalize:
        from engines.voxcpm2.text.normalization import normalized  # an optional library

        said = _single_blanks(normalized(said))
    if not said:
        raise TextUnspeakable(sentence="text_missing")
    asked = _single_blanks(instructions)
    return f"({asked}){said}" if asked else said


def joined(words: str, said: str) -> str:
    """The words of the recording and what follows, with a blank between them where both are of scripts that have blanks.

    Upstream joins them without: the last word of one and the first of the other would run together.
    """
    words = _single_blanks(words)
    return f"{words}{' ' if _has_blanks(words[-1:]) and _has_blanks(said[:1]) else ''}{said}"


def _single_blanks(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _has_blanks(character: str) -> bool:
    return bool(character) and not unicodedata.name(character, "").startswith(WITHOUT_BLANKS)
