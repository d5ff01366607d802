"""read_by_grammar: writes numbers, dates and signs of a text as words, by the grammars of wetext, an optional library (Apache-2.0)."""

import unicodedata
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Literal, Protocol

from engines.errors import OptionInvalid

__all__ = ["read_by_grammar"]

LIBRARY = "wetext"
KNOWN_SCRIPTS = ("LATIN", "CJK", "FULLWIDTH LATIN")  # names of Unicode begin so


def read_by_grammar(text: str, language: Literal["zh", "en"], *, remove_erhua: bool = True, option: str = "normalize") -> str:
    """The text in words of the language, without blanks around it. remove_erhua: of Chinese, 小孩儿 becomes 小孩. option: that asks for it.

    Raises OptionInvalid where wetext is not installed, where the text is mostly of a script that is in neither language, and where the
    grammar has no way through it: it is not read as something that it is not.
    """
    library = _library(option)
    if _is_of_another_script(text):
        raise _unread(option)
    try:
        said = _grammar(library, language, remove_erhua).normalize(text)
    except Exception as error:  # wetext asserts that its grammar has a way through the text
        raise _unread(option) from error
    return said if language == "zh" else said.replace('\\"', '"')  # wetext 0.1.8 gives quotes back escaped


def _library(option: str) -> ModuleType:
    """wetext with its grammars beside it. Versions before 0.1 fetch them from the network; none is asked for here."""
    try:
        library = import_module(LIBRARY)
    except ImportError as error:
        raise _without_library(option) from error
    if library.__file__ is None or not (Path(library.__file__).parent / "fsts").is_dir():
        raise _without_library(option, "an older one is, which comes without its grammars")
    return library


class _Grammar(Protocol):
    def normalize(self, text: str) -> str: ...


@cache  # few: one per language and manner
def _grammar(library: ModuleType, language: str, remove_erhua: bool) -> _Grammar:
    return library.Normalizer(lang=language, operator="tn", **({"remove_erhua": remove_erhua} if language == "zh" else {}))


def _is_of_another_script(text: str) -> bool:
    letters = [unicodedata.name(character, "") for character in text if character.isalpha()]
    return 2 * sum(not name.startswith(KNOWN_SCRIPTS) for name in letters) > len(letters)


def _without_library(option: str, detail: str = "") -> OptionInvalid:
    return OptionInvalid(option, sentence="option_without_library", detail=detail, library=LIBRARY)


def _unread(option: str) -> OptionInvalid:
    return OptionInvalid(option, sentence="text_not_normalised")
