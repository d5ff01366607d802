"""Characters: those that carry no sound are left out, and forms of letters, digits and units that stand for others are written plainly.

By Unicode's data (unicodedata): a compatibility form is written as NFKC has it where its kind keeps the meaning. So the ligature "ﬁ", the
mathematical "𝐇", the full-width "Ａ", "Ⅷ", "℃" and "㎏" become letters. Superscripts stay, since m² is not m2, and so does punctuation of
full width, which is how Chinese and Japanese are written. Fractions and № are words, of which each language has its own.
"""

import re
import unicodedata
from collections.abc import Iterator

from studio.reading.draft import Edit, in_order

__all__ = ["character_edits"]

# Soft hyphen, fillers, marks of direction, joiners of words and of numbers, byte order mark, and what is no character.
_SILENT = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufdd0-\ufdef\ufffe\uffff"
)
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U0010ffff"  # what they show is a matter of one font
_ART = "\u2500\u2501\u2504-\u259f"  # lines and blocks of which boxes are drawn, but for what parts columns
_LINE_ENDS = "\r\v\f\x1c-\x1e\x85\u2028\u2029"
_JOINERS = "\u200b-\u200d"
_PAGE = r"(?:Page|Seite|Página|Pagina|[-–])?[ ]?\d{1,4}(?:[ ]?(?:of|von|de|di|/)[ ]?\d{1,4})?[ ]?[-–]?"  # the number of one
_LEFT_OUT = re.compile(
    rf"(?P<page>(?<=\n)[^\S\n]*{_PAGE}[^\S\n]*\n?\f)|(?P<silent>[{_SILENT}]+)|(?P<art>[{_ART}]+)|(?P<private>[{_PRIVATE}]+)|(?P<line>\r\n|[{_LINE_ENDS}])|(?P<joiner>[{_JOINERS}]+)|(?P<dot>(?<=[ij])\u0307)"
)
_WITHOUT_BLANKS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")  # Thai, Lao, Burmese, Khmer: U+200B stands between their words
_IDEOGRAPH = re.compile("[\u3005-\u30ff\u3400-\u9fff]")
_JOINING = re.compile("[\u0590-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefe]")  # scripts whose letters change
_PICTURE_BEGINS = "\u2190"  # arrows, signs and pictures, which a joiner makes one of
# Kinds of compatibility forms (UAX 44, table 14) that are the same letters, drawn otherwise.
_PLAIN_KINDS = frozenset(("font", "wide", "narrow", "square", "initial", "medial", "final", "isolated"))
_SIGNS_OF_WIDTH = frozenset("%$£¥₩+-=<>/#&*@^_~|.,:")  # of full width they stay, but for those that belong to a number
_NUMBER_SIGNS = frozenset("%$£¥₩+-=/.,:")
_LOOSE_JAMO = ("\u3131", "\u318e")
_NUMERO = "\u2116"  # a word of its own in each language
_AMONG_LETTERS = str.maketrans("", "", "·/.°()")


def character_edits(text: str) -> Iterator[Edit]:
    """In order. What is left out is silent; what is written otherwise sounds the same, and counts as no change."""
    if text.isascii() and "\r" not in text and "\v" not in text and "\f" not in text:
        return
    yield from in_order((*_left_out(text), *_plain(text), *_composed(text)))


def _left_out(text: str) -> Iterator[Edit]:
    for match in _LEFT_OUT.finditer(text):
        start, end = match.span()
        if match.lastgroup == "line":
            yield Edit(start, end, "\n\n" if match.group() == "\u2029" else "\n")
        elif match.lastgroup == "page":
            yield Edit(start, end, kind="markup")
        elif match.lastgroup == "art":
            yield Edit(start, end, " ", kind="layout")
        elif match.lastgroup == "private":
            yield Edit(start, end, kind="picture")
        elif match.lastgroup != "joiner" or not _joins(text, start, end):
            yield Edit(start, end, kind="invisible")


def _joins(text: str, start: int, end: int) -> bool:
    """Whether the joiners there mean something: between pictures, in scripts whose letters join, or as a break between words."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if text[start] == "\u200b":
        return bool(_WITHOUT_BLANKS.match(before) or _WITHOUT_BLANKS.match(after))
    is_picture = before >= _PICTURE_BEGINS and after >= _PICTURE_BEGINS and not (before.isalpha() and after.isalpha())
    return is_picture or bool(_JOINING.match(before) and _JOINING.match(after))


def _plain(text: str) -> Iterator[Edit]:
    if unicodedata.is_normalized("NFKC", text):
        return
    forms = {c: said for c in set(text) if (said := _plain_form(c)) is not None}
    if not forms:
        return
    for match in re.finditer(f"[{re.escape(''.join(forms))}]", text):
        at, c = match.start(), match.group()
        if forms[c] in _SIGNS_OF_WIDTH and not _is_of_number(text, at, forms[c]):
            continue
        yield Edit(at, at + 1, forms[c] + _behind(text, at, c))


def _plain_form(c: str) -> str | None:
    """What stands for a character, None for one that stays."""
    tag, _, _ = unicodedata.decomposition(c).partition("> ")
    kind = tag.removeprefix("<") if tag.startswith("<") else ""
    if not kind or c.isspace():
        return None
    said = unicodedata.normalize("NFKC", c)
    if kind == "circle":
        return said if said.isalnum() else None
    if kind == "compat":
        is_letters = said.translate(_AMONG_LETTERS).isalnum()
        return said if is_letters and c != _NUMERO and not _LOOSE_JAMO[0] <= c <= _LOOSE_JAMO[1] else None
    if kind not in _PLAIN_KINDS or (kind == "square" and not said.isascii() and not "\u3300" <= c <= "\u33ff"):
        return None
    if kind == "wide" and not (said.isalnum() or said in _SIGNS_OF_WIDTH):
        return None
    return said


def _is_of_number(text: str, at: int, sign: str) -> bool:
    beside = text[at - 1 : at], text[at + 1 : at + 2]
    if sign in ".,:":  # a sentence of Chinese may end between two numbers
        return all(c.isdigit() for c in beside)
    return sign in _NUMBER_SIGNS and any(c.isdigit() for c in beside)


def _behind(text: str, at: int, c: str) -> str:
    """A mark between the number of an item and its words: "① Open" is "1. Open"."""
    if unicodedata.category(c) != "No":
        return ""
    is_first, following = not text[:at].rpartition("\n")[2].strip(), text[at + 1 : at + 2]
    parted = " " if following.isalpha() and not _IDEOGRAPH.match(following) else ""
    return f".{parted}" if is_first and (parted or following.isspace()) else parted


def _composed(text: str) -> Iterator[Edit]:
    """Letters with their accents, as one character where there is one."""
    if unicodedata.is_normalized("NFC", text):
        return
    for match in re.finditer("[^\\W\\d_][\u0300-\u036f\u0653-\u0655\u093c\u09be\u09d7\u3099\u309a]+", text):
        if (whole := unicodedata.normalize("NFC", match.group())) != match.group():
            yield Edit(*match.span(), whole)
