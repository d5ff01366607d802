"""Word errors: counts by jiwer how many heard words differ from the expected ones, after Whisper's normalizer.

How a word is written is no error: case, punctuation, numbers, dates, abbreviations, contractions, British or American spelling, hyphens.
In languages that are written without spaces characters are counted instead of words, and in Korean, whose spaces vary.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, product
from typing import Any, Literal

from engines.text.language_guess import guess_language
from studio.analysis.written_forms import in_full, in_one_spelling, small_change_alike, with_signs_read
from studio.reading.numbers.grammar import spelled
from studio.reading.numbers.numbers import number_replacements
from studio.reading.traced_text import TracedText

__all__ = ["WordDifferences", "WordRun", "counts_characters", "word_differences", "word_errors"]

CHARACTER_LANGUAGES = ("zh", "yue", "cmn", "ja", "th", "lo", "km", "my", "bo", "ko")
ENGLISH = "en"
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_ONE_APOSTROPHE = str.maketrans("’ʼ`", "'''")
# Whisper's normalizer drops what stands in brackets. A voice reads what is in round ones, and directions in others it may.
_OPENED = str.maketrans("()（）", "    ")
_ALL_OPENED = str.maketrans("()[]<>（）［］", " " * 10)
# Points of Hebrew and Arabic, which most people leave out, and marks that are not seen.
_UNWRITTEN = re.compile(r"[\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u00ad\u200b-\u200f\u2060\ufeff]")
_NUMBER = re.compile(r"\d{1,12}")
_TIME = re.compile(r"(?<=\b\d)\.(?=[0-5]\d(?![\d.,:%]))|(?<=\b[01]\d)\.(?=[0-5]\d(?![\d.,:%]))|(?<=\b2[0-3])\.(?=[0-5]\d(?![\d.,:%]))")
_KINDS: dict[str, Literal["lost", "added", "replaced"]] = {"delete": "lost", "insert": "added", "substitute": "replaced"}  # jiwer's names


@dataclass(frozen=True)
class WordRun:
    """Words that stand together. wanted, heard: as the normalizer writes them; of what is the same, `heard` alone matters."""

    kind: Literal["same", "lost", "added", "replaced"]
    wanted: str
    heard: str


@dataclass(frozen=True)
class WordDifferences:
    """errors: words lost, added and replaced. n_words: that should be heard. lost: those that were not, as the normalizer writes them.

    n_added: words that nobody asked for. All in characters where `counts_characters` says so. runs: all that was heard and lost, in order.
    """

    errors: int
    n_words: int
    lost: tuple[str, ...] = ()
    n_added: int = 0
    runs: tuple[WordRun, ...] = ()


def word_errors(said: str, heard: str, language: str | None = None) -> tuple[int, int]:
    """(words lost, added and replaced, words that should be said).

    The first over the second is the word error rate, more than 1 where much was added. language: a code such as "de" or "de-AT" of both.
    """
    found = word_differences(said, heard, language)
    return found.errors, found.n_words


def word_differences(said: str, heard: str, language: str | None = None) -> WordDifferences:
    """Each of the two is taken in the way of writing it that makes them most alike. language: of both; guessed where nobody knows it."""
    language = language or ("zh" if counts_characters(said) else guess_language(said))
    ways = product(_ways(said, language), _ways(heard, language))
    between = "" if counts_characters(said, language) else " "
    return min((_aligned(*pair, between) for pair in ways), key=lambda found: (found.errors / max(1, found.n_words), found.errors))


def counts_characters(text: str, language: str | None = None) -> bool:
    """Whether characters are counted. language: None where most letters of the text decide."""
    if language:
        return _base(language) in CHARACTER_LANGUAGES
    letters = sum(map(str.isalpha, text))
    return 2 * len(_UNSPACED.findall(text)) > letters


@lru_cache(512)  # texts that many sounds say
def _ways(text: str, language: str) -> tuple[tuple[str, ...], ...]:
    """Its words as they are written, and as they are read aloud: in full, with what stands in brackets and without; each way once."""
    text = _UNWRITTEN.sub("", text).translate(_ONE_APOSTROPHE)
    base = _base(language)
    opened = dict.fromkeys(text.translate(brackets) for brackets in ({}, _OPENED, _ALL_OPENED))
    spoken = [_read(with_signs_read(one, base), language) for one in _with_times(opened, base)]
    full = [in_full(one, base) for one in spoken]
    ways = dict.fromkeys((text, *spoken, *full, *(small_change_alike(one, base) for one in full)))
    return tuple(dict.fromkeys(_words(one, language) for way in ways for one in (way, way.replace("'", ""))))


def _with_times(texts: Iterable[str], language: str) -> Iterator[str]:
    """The texts, and those that have what may be a time with a full stop once more with a colon, in English, where both are written."""
    for text in texts:
        yield text
        if language == ENGLISH and _TIME.search(text):
            yield _TIME.sub(":", text)


def _read(text: str, language: str) -> str:
    """With numbers in words, by the studio's own reading where it knows the language, and else by Unicode's rules."""
    read = TracedText(text).replaced(number_replacements(text, language)).text
    return _NUMBER.sub(lambda found: _spelled(found[0], _base(language)), read) if _base(language) != ENGLISH else read


def _spelled(digits: str, language: str) -> str:
    try:
        said = spelled(int(digits), language, ("spellout-numbering", "spellout-cardinal", "spellout-cardinal-neuter"))
        return _UNWRITTEN.sub("", said)
    except (ValueError, KeyError, StopIteration):  # no words for it, or none in that language
        return digits


def _words(text: str, language: str) -> tuple[str, ...]:
    words = _normalizer(_base(language) == ENGLISH)(in_one_spelling(text.replace("ß", "ss"))).split()
    return tuple("".join(words)) if counts_characters(text, language) else tuple(words)


@lru_cache(2)
def _normalizer(is_english: bool) -> Callable[[str], str]:
    from whisper_normalizer.basic import BasicTextNormalizer
    from whisper_normalizer.english import EnglishTextNormalizer

    return EnglishTextNormalizer() if is_english else BasicTextNormalizer(preserve_marks=True)  # vowels of many scripts are marks


def _aligned(wanted: tuple[str, ...], got: tuple[str, ...], between: str) -> WordDifferences:
    """Between words that are alike, what has the same letters is the same, written apart or together."""
    from jiwer import process_words

    chunks = process_words(" ".join(wanted), " ".join(got)).alignments[0]
    errors = n_added = 0
    lost: list[str] = []
    runs: list[WordRun] = []
    for is_equal, alike in groupby(chunks, lambda chunk: chunk.type == "equal"):
        run = list(alike)
        if is_equal or _letters(wanted, run, "ref") == _letters(got, run, "hyp"):
            runs.append(WordRun("same", *(between.join(_part(words, run, side)) for words, side in ((wanted, "ref"), (got, "hyp")))))
            continue
        for chunk in run:
            missing, added = _part(wanted, [chunk], "ref"), _part(got, [chunk], "hyp")
            errors += max(len(missing), len(added))
            lost += missing if chunk.type == "delete" else ()
            n_added += len(added) if chunk.type == "insert" else 0
            runs.append(WordRun(_KINDS[chunk.type], between.join(missing), between.join(added)))
    return WordDifferences(errors, len(wanted), tuple(lost), n_added, tuple(runs))


def _letters(words: tuple[str, ...], run: list[Any], side: str) -> str:
    return "".join(_part(words, run, side))


def _part(words: tuple[str, ...], run: list[Any], side: str) -> tuple[str, ...]:
    return words[getattr(run[0], f"{side}_start_idx") : getattr(run[-1], f"{side}_end_idx")]


def _base(language: str | None) -> str:
    return (language or "").partition("-")[0].casefold()
