"""Where words begin and end, in a text as FoldedText has it."""

import re
import unicodedata

from engines.text.characters import UNSPACED, WITHOUT_BLANKS

__all__ = ["RUNS", "begins_word", "ends_word", "is_without_blanks"]

_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3"
RUNS = re.compile(rf"[^\W_{WITHOUT_BLANKS}{_HANGUL}]+")  # of letters and digits, of scripts whose words stand apart
_KOREAN = re.compile(f"[{_HANGUL}]")
# What Korean puts behind a noun without a blank: 서울에서는.
_PARTICLES = re.compile(
    "(?:은|는|이|가|을|를|의|에|에서|에게|한테|께|께서|로|으로|와|과|랑|이랑|도|만|부터|까지|처럼|보다|마다|조차|밖에|이나|나|라고|이라고|라는|이라는"
    f"|입니다|이다|인|들|님|씨)+(?![{_HANGUL}])"
)
_GENITIVE = re.compile(r"'s(?![^\W_])")  # "Nguyen's"
# Languages that write a short word with an apostrophe before the next ("l'eau", "dell'arte"), and those that put endings behind one
# ("Ankara'da").
_ELIDING, _APPENDING = ("fr", "it", "ca", "oc", "co", "lb"), ("tr", "az", "kk", "uz", "tk")


def begins_word(text: str, at: int, language: str) -> bool:
    """Whether no word goes on from before `at`. language: of the text."""
    if not at or not _is_inside(text, at):
        return True
    if text[at - 1] == "'" and at > 1 and _is_inside(text, at - 2):
        return _is(language, _ELIDING)
    return not _is_inside(text, at - 1) or _is_between_scripts(text, at)


def ends_word(text: str, at: int, language: str) -> bool:
    """Whether the word that ends before `at` goes on no further. language: of the text."""
    if at >= len(text) or not at or not _is_inside(text, at - 1):
        return True
    if text[at] == "'" and at + 1 < len(text) and _is_inside(text, at + 1):
        return _GENITIVE.match(text, at) is not None or _is(language, _APPENDING)
    return not _is_inside(text, at) or _is_between_scripts(text, at) or _PARTICLES.match(text, at) is not None


def is_without_blanks(text: str) -> bool:
    """Whether all of its letters are of scripts that put no blanks between words."""
    letters = [c for c in text if c.isalnum()]
    return bool(letters) and all(map(UNSPACED.match, letters))


def _is_inside(text: str, at: int) -> bool:
    """Whether the character there belongs to a word: a letter, a digit, a mark on one."""
    c = text[at]
    return c.isalnum() or unicodedata.category(c)[0] == "M" or c == "\u200d"


def _is_between_scripts(text: str, at: int) -> bool:
    """Whether words meet there without a blank: one side is of a script that has none, or Korean stands beside other letters."""
    if UNSPACED.match(text, at) or UNSPACED.match(text, at - 1):
        return True
    return (_KOREAN.match(text, at) is None) != (_KOREAN.match(text, at - 1) is None)


def _is(language: str, languages: tuple[str, ...]) -> bool:
    return language.partition("-")[0] in languages
