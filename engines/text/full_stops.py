"""full_stops: whether a full stop belongs to the word or the number before it: "Dr.", "z. B.", "J. R. R.", "am 3.", "No. 5"."""

import re
from collections.abc import Callable

from engines.text import abbreviations as known

__all__ = ["Verdict", "belongs_to_word", "is_plain_word"]

Verdict = tuple[bool, bool]  # (whether a sentence goes on, as far as can be told, whether no further text can change that)

_LETTERS = re.compile(r"[^\W\d_]+")
# Letters and the signs that Indic scripts write on them, which are no letters to `re`.
_LAST_WORD = re.compile(r"(?:[^\W\d_]|[\u0901-\u0963\u0981-\u09e3\u0b82-\u0bcd])+\Z")
_LONGEST_ABBREVIATION, _LONGEST_LOOK = 8, 20
# Small numbers with a full stop count in German ("am 3. Mai"): behind these words, or before a month. "I am 3." is English.
_SMALL_NUMBER = re.compile(r"(?<![\w.,:/-])\d{1,2}\Z")
_ORDINAL = re.compile(
    r"\b(?:(?<!\bI )am|der|die|das|dem|den|des|im|ins|vom|zum|zur|beim|jede[mnrs]?)[^\S\n]{1,3}(?:\d{1,2}|[IVX]{1,5})\Z", re.IGNORECASE
)
_MOST_DAYS = 31
_ROMAN = re.compile(r"[VX]|[IVXL]{2,7}")
_NUMERALS = frozenset("IVX")
_INSIDE_WORD = re.compile(r"(?:\w|[^\W_]['’])\Z")  # "4K.", "it's."
_CASED = "A-Za-z\u00c0-\u024f\u0370-\u0481\u048a-\u052f"
# "z. B", "U.S". Nothing of it ends a sentence by itself, as "4K.", "it's.", "km/h." and "я." do.
_CHAIN = re.compile(rf"(?<![\w/°'’])(?!я\.)(?:[{_CASED}]\.[ \u00a0\u202f-]?|Ph\.){{1,5}}[{_CASED}]{{1,2}}\Z")
_EXAMPLES = frozenset(("ex", "es"))
_EXAMPLE = re.compile(r"\b(?:par|por|de) ex\Z|\b(?:ad|per) es\Z")
_INITIAL = re.compile("[\u0620-\u06ff\u0e01-\u0e2e]")  # of a script without capitals: Arabic, Thai
_UNIT = re.compile(r"[/°]\w\Z")
_BEHIND_NUMBER = re.compile(r"(?:\d[ \u00a0\u202f]?|\b[IVXL]+[ \u00a0])\w\Z")
_PLAIN_WORD_BEFORE = re.compile(r"(?:[^\W\d_A-Z]{2}|\ba)\s[A-LN-Z]\Z")  # "plan B."; an M is a monsieur
_KINDS = {  # of every spelling: its own, with a capital, and in capitals where that is one
    spelling: words
    for words in (known.BEFORE_NUMBERS, known.CLOSING_WORDS, known.BEFORE_NAMES)
    for word in words
    for spelling in (word, word.capitalize() if word.islower() else word, *({word.upper()} & known.IN_CAPITALS))
}


def belongs_to_word(text: str, at: int, following: int, opening: Callable[[], str]) -> Verdict | None:
    """Whether a sentence goes on behind the full stop at `at` for what stands before it; None where nothing before it says so.

    following: where the next character stands that is no blank; len(text) for none. opening: gives the first word of the sentence.
    """
    word, since = _word_before(text, at), max(0, at - _LONGEST_LOOK)
    if (not word or word[-1] in _NUMERALS) and _ORDINAL.search(text, since, at):
        return True, True
    if not word:
        return _counts(text, at, following)
    chain = _CHAIN.search(text, since, at) if len(word) < 3 and text.find(".", max(0, at - 5), at) >= 0 else None
    if chain is not None and "".join(filter(str.isalpha, chain[0])).lower() in known.CHAINS:
        return True, True
    if len(word) > 1:
        return _behind_word(word, text, at, following, opening)
    return _behind_letter(text, at, following, opening) if chain is None else _closes(text, following, opening)


def is_plain_word(text: str, at: int, *, needs_word: bool) -> bool:
    """Whether neither an abbreviation stands before the full stop nor the number of a day. needs_word: no other number either."""
    word = _word_before(text, at)
    if word or needs_word:
        return len(word) > 1 and word not in _KINDS
    number = _SMALL_NUMBER.search(text, max(0, at - _LONGEST_LOOK), at)
    return number is None or int(number[0]) > _MOST_DAYS


def _word_before(text: str, at: int) -> str:
    since = max(0, at - _LONGEST_ABBREVIATION)
    last = text[max(since, text.rfind(" ", since, at) + 1) : at]
    if last.isalpha():  # most are
        return last
    word = _LAST_WORD.search(text, since, at)
    return word[0] if word else ""


def _behind_word(word: str, text: str, at: int, following: int, opening: Callable[[], str]) -> Verdict | None:
    kind = _KINDS.get(word)
    if kind is known.BEFORE_NAMES or (word in _EXAMPLES and _EXAMPLE.search(text, max(0, at - _LONGEST_LOOK), at)):
        return True, True
    if kind is known.CLOSING_WORDS:
        return _closes(text, following, opening)
    return _numbers(text, following) if kind is known.BEFORE_NUMBERS else None


def _behind_letter(text: str, at: int, following: int, opening: Callable[[], str]) -> Verdict | None:
    """A single letter is an initial, but for a unit, and the name of a plan."""
    letter = text[at - 1]
    since = max(0, at - _LONGEST_LOOK)
    if letter == "я" or _INSIDE_WORD.search(text, max(0, at - 3), at - 1) or _UNIT.search(text, since, at):
        return None
    if not (letter.isupper() or letter.islower()):
        return (True, True) if _INITIAL.match(letter) else None
    may_close = letter in known.BEHIND_NUMBERS and _BEHIND_NUMBER.search(text, since, at)
    return _closes(text, following, opening) if may_close or _PLAIN_WORD_BEFORE.search(text, since, at) else (True, True)


def _closes(text: str, following: int, opening: Callable[[], str]) -> Verdict:
    """Behind an abbreviation that may end a sentence: it does where another surely begins."""
    if following == len(text):
        return False, False
    found = _LETTERS.match(text, following)
    if found is None:
        return text[following] not in "¿¡", True
    word = found[0]
    begins = word in known.STARTERS or (word.isupper() and word.capitalize() in known.STARTERS and _is_loud(opening()))
    is_initial = len(word) == 1 and text.startswith(".", found.end())
    return is_initial or not begins, found.end() < len(text)


def _is_loud(word: str) -> bool:
    """Whether a text that it begins is in capitals."""
    return word.isupper() and len(word) > 1


def _numbers(text: str, following: int) -> Verdict | None:
    """Behind "No.": it goes on where a number follows."""
    if text[following : following + 1].isdigit():
        return True, True
    word = _LETTERS.match(text, following)
    if word is None or not _ROMAN.fullmatch(word[0]):
        return None if word is None or word.end() < len(text) or word[0] != "I" else (False, False)
    return True, word.end() < len(text)


def _counts(text: str, at: int, following: int) -> Verdict | None:
    """Behind a small number: it goes on where a month follows, "3. Mai"."""
    word = _LETTERS.match(text, following)
    if word is None or _SMALL_NUMBER.search(text, max(0, at - _LONGEST_LOOK), at) is None:
        return None
    if word.end() < len(text):
        return (True, True) if word[0] in known.COUNTED else None
    return (word[0] in known.COUNTED, False) if any(name.startswith(word[0]) for name in known.COUNTED) else None
