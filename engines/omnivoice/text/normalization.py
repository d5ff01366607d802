"""Text normalization: writes numbers, dates and signs of Chinese and English as words, by the grammars of text_grammar.py.

What is held out of it is that of normalize_text of omnivoice 0.2.1: marks in brackets, and of Chinese pinyin with its tone. Upstream reads
whole numbers of other languages by an optional library; here whoever gives the engine a text has written them as words before.
"""

import re
from typing import Literal

from engines.kit.phonemes.ipa import PHONES_BEGIN, PHONES_END
from engines.text.text_grammar import read_by_grammar

__all__ = ["normalized"]

OPTION = "normalize_text"
IDEOGRAPH = re.compile("[\u4e00-\u9fff]")
MARK = rf"\[[^\[\]]*\]|<[^<>]*>|{PHONES_BEGIN}[^{PHONES_END}]*{PHONES_END}"  # [laughter], [B EY1 S], <phoneme ...>
HELD_OUT: dict[Literal["zh", "en"], re.Pattern[str]] = {"en": re.compile(f"({MARK})"), "zh": re.compile(f"({MARK}|[A-Z]+[1-5])")}


def normalized(text: str, language: str | None) -> str:
    """The text with numbers and signs as words, where its language is Chinese or English; any other as it is.

    language: an ID of languages.py; without one it is Chinese where the text has an ideograph, and English elsewhere.
    Raises OptionInvalid where wetext is not installed, and where it cannot read the text.
    """
    spoken = language or ("zh" if IDEOGRAPH.search(text) else "en")
    if spoken in ("zh", "en"):
        return "".join(part if index % 2 else _read(part, spoken) for index, part in enumerate(HELD_OUT[spoken].split(text)))
    return text


def _read(part: str, language: Literal["zh", "en"]) -> str:
    """Between blanks, which the grammar would take off."""
    inner = part.strip()
    if not inner:
        return part
    at = part.index(inner)
    return part[:at] + read_by_grammar(inner, language, remove_erhua=False, option=OPTION) + part[at + len(inner) :]
