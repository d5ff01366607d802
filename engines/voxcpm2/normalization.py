"""Text normalisation: numbers, dates and signs as words, by the grammars of wetext, an optional library (Apache-2.0).

Which grammar, and what happens before and after it, follow TextNormalizer of voxcpm 2.0.3, with these differences: of Markdown and HTML the
marks go and their words stay (upstream drops `code`, and all between < and >); a text of another script, or one that a grammar fails on, is
refused, not read as English.
"""

import re
import unicodedata
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from engines.errors import OptionInvalid

__all__ = ["normalized"]

OPTION, LIBRARY = "normalize", "wetext"
CHINESE = re.compile("[\u4e00-\u9fff]")
KNOWN_SCRIPTS = ("LATIN", "CJK", "FULLWIDTH LATIN")  # names of Unicode begin so
MARKS = (
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),  # links and pictures: their words
    (re.compile(r"</?[A-Za-z][^<>]*>|`+|^(?:#{1,6}|-)\s+"), ""),  # tags; code; a heading or an item of a list
    (re.compile("[\u2300-\u23ff\u2600-\u2775\u2794-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff\u200d\u20e3\ufe0f]"), ""),  # emoji
    (re.compile("[“”]"), '"'),
)
MINUS = re.compile(r"(?<=[a-zA-Z0-9])-(?=\d)")  # in x-2, which the grammar would read as x and minus two
BLANK = re.compile(r"(?<![!-~]) +| +(?![!-~])")  # all but those between two characters of ASCII
SIGNS = str.maketrans({"²": "平方", "³": "立方", "√": "根号", "≈": "约等于", "<": "小于"} | dict.fromkeys("（）【】", " "))


def normalized(text: str) -> str:
    """The text with numbers and signs as words: Chinese words where it has any Chinese character, else English ones.

    Raises OptionInvalid where wetext is not installed, and where it cannot read the text as either.
    """
    wetext = _library()
    for pattern, stands in MARKS:
        text = pattern.sub(stands, text)
    text = text.strip()
    if _is_of_another_script(text):
        raise _unread()
    language = "zh" if CHINESE.search(text) else "en"
    if language == "zh":
        text = MINUS.sub(" - ", text.replace("=", "等于"))
    try:
        said = _grammar(wetext, language).normalize(text)
    except Exception as error:  # wetext asserts that its grammar has a way through the text
        raise _unread() from error
    if language == "zh":
        return BLANK.sub("", said).translate(SIGNS).replace("——", " ")
    return said.replace('\\"', '"')  # wetext 0.1.8 gives quotes back escaped


def _library() -> ModuleType:
    """wetext with its grammars beside it. Versions before 0.1 fetch them from the network; none is asked for here."""
    try:
        library = import_module(LIBRARY)
    except ImportError as error:
        raise _without_library(f"{OPTION} needs the library {LIBRARY}, which is not installed.") from error
    if not (Path(library.__file__).parent / "fsts").is_dir():
        raise _without_library(f"{OPTION} needs a newer {LIBRARY}: this one comes without its grammars.")
    return library


@cache  # one per language
def _grammar(library: ModuleType, language: str) -> object:
    return library.Normalizer(lang=language, operator="tn", **({"remove_erhua": True} if language == "zh" else {}))


def _is_of_another_script(text: str) -> bool:
    letters = [unicodedata.name(character, "") for character in text if character.isalpha()]
    return 2 * sum(not name.startswith(KNOWN_SCRIPTS) for name in letters) > len(letters)


def _without_library(fact: str) -> OptionInvalid:
    hint = f"Turn {OPTION} off, or ask whoever runs this machine to run: pip install --upgrade {LIBRARY}"
    return OptionInvalid(OPTION, fact, hint, sentence="option_without_library", library=LIBRARY)


def _unread() -> OptionInvalid:
    fact = f"{OPTION} cannot read this text as Chinese or English, the languages that {LIBRARY} knows."
    return OptionInvalid(OPTION, fact, f"Turn {OPTION} off for this text.", sentence="text_not_normalised")
