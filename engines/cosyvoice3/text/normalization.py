"""normalized: rewrites a text as the language model learned to read it: a line per paragraph, a mark at its end, Chinese without blanks.

What text_normalize of cosyvoice/cli/frontend.py @ ace7c47 does, and these differences: it goes by paragraphs; Japanese is not taken for
Chinese by its ideographs; a full stop stays one in 3.14 and in a web address. Numbers: upstream spells them in English words outside of
Chinese, or has wetext read all. Here they are left to the language model, which its makers say reads them and which may misread them, but
where wetext is asked for.
"""

import re
from typing import Literal

from engines.cosyvoice3.text.marks import IDEOGRAPH, LAST_MARK, MARK
from engines.text.text_grammar import read_by_grammar

__all__ = ["PARAGRAPH", "normalized"]

PARAGRAPH = "\n\n"  # between the paragraphs of what comes out
MOST_CLOSING = 200  # characters at the end of a paragraph that are looked at for its mark

_PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n\s*|\u2029\s*")
_IDEOGRAPH, _KANA, _HANGUL = re.compile(IDEOGRAPH), re.compile("[\u3041-\u3096\u30a1-\u30fa]"), re.compile("[\uac00-\ud7a3]")
_SPACE, _WORD = re.compile(r"\s+"), re.compile(r"[^\W_]")
_BLANK = re.compile(r"(?<![!-~]) +| +(?![!-~])")  # all but those between two characters of ASCII
_STOP = re.compile(r"(?<![0-9A-Za-z])\.|\.(?![0-9A-Za-z])")
_SIGNS = str.maketrans({"²": "平方", "³": "立方"} | dict.fromkeys("（）【】`"))
_NUMBER_OR_SIGN = re.compile(r"[\d%&@#+=$€£¥°²³]")  # what the grammar is for; the model reads other words by itself
_FINAL = frozenset(".?!;:…。？！；：．｡")
_CLOSING = frozenset("\"'”’»)]}）］】」』 ")
_COMMAS = "，,、"


def normalized(text: str, *, numbers_as_words: bool = False) -> str:
    """Paragraphs, PARAGRAPH between them, each with a final mark; "" for a text without letter or digit.

    numbers_as_words: by wetext, Chinese words in a paragraph of Chinese, else English ones. Raises OptionInvalid as read_by_grammar.
    """
    paragraphs = (part.strip() for part in _PARAGRAPH_END.split(text))
    return PARAGRAPH.join(_paragraph(part, numbers_as_words) for part in paragraphs if _WORD.search(part))


def _paragraph(text: str, numbers_as_words: bool) -> str:
    is_chinese = bool(_IDEOGRAPH.search(text)) and not _KANA.search(text) and not _HANGUL.search(text)
    text = _SPACE.sub(" ", text)
    if numbers_as_words:
        text = _in_words(text, "zh" if is_chinese else "en")
    if is_chinese:
        text = _BLANK.sub("", text.replace(" - ", "，"))
        text = _STOP.sub("。", text.replace("——", " ").translate(_SIGNS)).strip()
    return _with_final_mark(text, "。" if is_chinese or _KANA.search(text) else ".")


def _in_words(text: str, language: Literal["zh", "en"]) -> str:
    """Between marks, of which the grammar would read the digits. What has neither number nor sign stays."""
    said, at = [], 0
    for mark in MARK.finditer(text):
        said += [_part_in_words(text[at : mark.start()], language), mark.group()]
        at = mark.end()
    return "".join((*said, _part_in_words(text[at:], language)))


def _part_in_words(text: str, language: Literal["zh", "en"]) -> str:
    """The grammar takes the blanks at the edges away."""
    if not _NUMBER_OR_SIGN.search(text):
        return text
    said = text.strip()
    return text.replace(said, read_by_grammar(said, language, remove_erhua=False), 1)


def _with_final_mark(text: str, mark: str) -> str:
    """A comma in its place becomes one; closing quotes, brackets and marks of sounds may stand behind it."""
    text = text.rstrip(_COMMAS + " ")
    last = text[-MOST_CLOSING:]
    while (found := LAST_MARK.search(last)) or last[-1:] in _CLOSING:
        last = last[: found.start()] if found else last[:-1]
    return text if last[-1:] in _FINAL else text + mark
