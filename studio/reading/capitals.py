"""Capitals: a line that is written in capitals as a whole is said as words; engines spell words in capitals, or shout them.

What may be an abbreviation stays: words without a vowel, and those that people know as one; so do Roman numbers. A line of which no word
is surely one stays as it is.
"""

import re
from collections.abc import Iterator

from engines.text.language_guess import is_small_word
from studio.reading.traced_text import Replacement

__all__ = ["capital_replacements"]

_LINE = re.compile("[^\n.!?。]+")
_WORD = re.compile(r"(?<![\w&])[^\W\d_]+(?:['’][^\W\d_]+)*(?![\w&]|-\d)")  # no part of AT&T, MP3, F-16
_VOWEL = re.compile("[AEIOUYÀ-ÅÆÈ-ÏÒ-ÖØÙ-ÝĀĂĄĒĔĖĘĚĨĪĬĮİŌŎŐŒŨŪŬŮŰŲАЕЁИІЇОУЫЭЮЯЄΑΕΗΙΟΥΩΆΈΉΊΌΎΏ]")
_LONE = frozenset("AÀEÈÉYOÓUVWZКОИУВЯ")  # words of one letter: "a", "e", "y", "и"; the English "I" stays
_ROMAN = re.compile(r"(?!(?:VI|XI)$)(?=..)X{0,3}(?:IX|IV|V?I{0,3})")  # VI is a word of many languages, XI a name
LEAST_LONG_WORD = 5  # letters; few abbreviations have so many
_ABBREVIATIONS = frozenset(
    """usa uk eu un nasa nato fbi cia ceo cfo cto diy faq asap iso ieee usb gps api url html css xml sql pdf ai ui ux io ip ok tv dvd cd pc
    unesco unicef opec aids hiv dna rna uae udssr ussr brd ddr eua eeuu onu otan ue uno who wto oecd imf gop nba nfl nhl mlb fifa uefa bbc
    cnn abc nbc hbo ibm amd hp bmw kfc rsvp phd mba vip id""".split()  # noqa: SIM905 a list is longer
)


def capital_replacements(text: str, language: str) -> Iterator[Replacement]:
    """In order. language: its base code."""
    if not re.search(r"[^\W\d_a-z]{2}", text):
        return
    for line in _LINE.finditer(text):
        words = list(_WORD.finditer(line.group()))
        if _is_shouted([word.group() for word in words], language):
            yield from _lowered(line.start(), words)


def _is_shouted(words: list[str], language: str) -> bool:
    cased = [word for word in words if word.lower() != word.upper()]
    if len(cased) < 2 or any(word != word.upper() for word in cased) or all(len(word) < 2 for word in cased):
        return False
    cased = [word for word in cased if _VOWEL.search(word) and word.casefold() not in _ABBREVIATIONS]
    surely = [word for word in cased if len(word) >= LEAST_LONG_WORD or is_small_word(word.lower(), language)]
    return bool(surely) and 2 * len(surely) >= len(cased)


def _lowered(offset: int, words: list[re.Match]) -> Iterator[Replacement]:
    is_first = True
    for word in words:
        written = word.group()
        start, end = offset + word.start(), offset + word.end()
        if not is_first and _ROMAN.fullmatch(written):
            continue
        if len(written) > 1 and _VOWEL.search(written) and written.casefold() not in _ABBREVIATIONS:
            said = written.lower()
            yield Replacement(start, end, said[0].upper() + said[1:] if is_first else said)
        elif not is_first and written in _LONE:
            yield Replacement(start, end, written.lower())
        is_first = False
