"""text_pieces: cuts a text into pieces that are spoken in turn, written as a Pocket TTS model learned to read them.

The rules, their order and the length of a piece: pocket_tts/models/text_chunking.py @ 4.0.1. Different here, on purpose: it is cut by the
studio's own splitter, so that abbreviations and numbers stay whole and characters as they are; a blank line ends a sentence; what has no
marks is cut between words; the first letter is a capital behind quotes and brackets, too; no sentence begins with a comma; “ and « close.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from engines.errors import TextUnspeakable
from engines.pocket_tts.config import TextRules
from engines.text.text_splitter import split_text

__all__ = ["MOST_TOKENS", "TextPiece", "text_pieces"]

MOST_TOKENS = 50  # MAX_TOKEN_PER_CHUNK of pocket_tts/default_parameters.py
EVEN_TOKENS = 44  # at most, on average, in the parts of what has no marks; the rest is for words that stand over, and the full stop
MOST_PARTS, FEWER_PARTS = 12, 4  # so many at once, else so many, to be cut again: what stands over adds up, and the last part lacks it
WORD_CHARACTERS = 8  # that a part may have beyond its share
NEAR_TOKENS = 6  # that the end of a piece and its capital may add to those of its parts
MOST_REMEMBERED = 16  # counts: a sentence is counted as it stands and as it would stand alone, which is mostly the same
SHORT_WORDS, PAD = 4, " " * 8
FRAMES_AFTER_END, FRAMES_AFTER_SHORT = 2 + 1, 2 + 3

TERMINAL, WEAK, CLOSERS = ".!?…", ",;:-–—", "\"'”’“‘)]»«"  # “ and « as German closes
_WORD = re.compile(r"[^\W_]")
_WEAK_AFTER_TERMINAL = re.compile(rf"([{TERMINAL}])(?: ?[,;:])+")
_OPENING = re.compile(r"[\s\"“”„«»(\[¿¡–—-]*([^\W\d_])")  # but for apostrophes: 's avonds
_PAUSE = re.compile(r"(?<=:)(?=\s)|(?<=\s[-–—])(?=\s)")  # where a clause that is too long may be cut, besides its commas


@dataclass(frozen=True)
class TextPiece:
    """text: as it is read, of at most MOST_TOKENS. frames_after_end: how many are spoken from the first that ends the speech."""

    text: str
    frames_after_end: int


def text_pieces(text: str, rules: TextRules, n_tokens: Callable[[str], int]) -> tuple[TextPiece, ...]:
    """As many whole sentences in each piece as have MOST_TOKENS together; of longer sentences clauses, else words, else characters.

    n_tokens: of a text. Only what has neither letter nor digit may be left out, between parts of a sentence that is too long.
    Takes time in proportion to the text, whatever it holds. Raises TextUnspeakable for a text without letter and digit.
    """
    sentences = [sentence for sentence in (_written(unit, rules) for unit in split_text(text, "sentence")) if _WORD.search(sentence)]
    if not sentences:
        raise TextUnspeakable(sentence="text_without_letters" if text.strip() else "text_missing")

    n_tokens = lru_cache(MOST_REMEMBERED)(n_tokens)

    def count(part: str) -> int:
        return n_tokens(_finished(part, rules))

    lead = ("", *(" " for _ in sentences[1:]))
    parts = (part for blank, sentence in zip(lead, sentences, strict=True) for part in _parts(blank + sentence, count))
    groups = _joined(((part, max(1, n_tokens(part.strip()))) for part in parts), count)
    return tuple(_piece(_finished(group, rules), rules, n_tokens) for group in groups if _WORD.search(group))


# --- how it is written


def _written(sentence: str, rules: TextRules) -> str:
    """In one line, without the characters that the model was never taught, and with a sentence mark at its end."""
    sentence = unicodedata.normalize("NFC", sentence)  # a table of tokens has é, and not e with an accent behind it
    sentence = " ".join(sentence.translate(str.maketrans(dict(rules.replace_characters))).split())
    sentence = _WEAK_AFTER_TERMINAL.sub(r"\1", sentence)  # '"Hi?", she said' without quotes
    if rules.remove_semicolons:
        sentence = sentence.replace(";", ",")
    return _ended(sentence.lstrip(",;: "), rules)


def _finished(part: str, rules: TextRules) -> str:
    """A part of a text that is written, as it stands alone: with a capital and a sentence mark, as far as the rules want them."""
    part = _ended(part.strip().lstrip(",;: "), rules)
    first = _OPENING.match(part) if rules.capitalize_first_letter else None
    if first is None or len(first[1].upper()) != 1:  # ß has no capital of one letter
        return part
    return part[: first.start(1)] + first[1].upper() + part[first.end() :]


def _ended(text: str, rules: TextRules) -> str:
    """A comma, colon or dash at the end becomes a full stop; else one follows, behind quotes and brackets."""
    core = text.rstrip(CLOSERS + " ")
    if not rules.append_terminal_punctuation or not core or core[-1] in TERMINAL:
        return text
    if core[-1] not in WEAK:
        return text + "."
    bare = core.rstrip(WEAK + " ")
    has_mark = bare.rstrip(CLOSERS + " ").endswith(tuple(TERMINAL))
    return bare + ("" if has_mark else ".") + text[len(core) :].strip()


def _piece(text: str, rules: TextRules, n_tokens: Callable[[str], int]) -> TextPiece:
    """The short ones are padded where the model wants it and there is room."""
    n_words, frames = len(text.split()), rules.model_recommended_frames_after_eos
    if frames is None:
        frames = FRAMES_AFTER_SHORT if n_words <= SHORT_WORDS else FRAMES_AFTER_END
    if rules.pad_with_spaces_for_short_inputs and n_words <= SHORT_WORDS and n_tokens(PAD + text) <= MOST_TOKENS:
        text = PAD + text
    return TextPiece(text, frames)


# --- where it is cut


def _parts(text: str, count: Callable[[str], int]) -> Iterator[str]:
    """In order, nothing between them; each of at most MOST_TOKENS where it stands alone, but for a single character."""
    n, said = count(text), text.strip()
    if n <= MOST_TOKENS or len(said) <= 1:
        yield text
        return
    cut = list(_slices(text, split_text(said, "clause")))
    if len(cut) == 1:
        cut = _PAUSE.split(text)
    if len(cut) == 1:
        cut = list(_slices(text, split_text(said, "sentence", most_characters=_most_characters(len(said), n))))
    for part in cut:
        yield from _parts(part, count)


def _most_characters(n_characters: int, n_tokens: int) -> int:
    """Of parts that are about as long as each other; fewer than there are, where tokens are more than MOST_TOKENS and characters than 1."""
    n_parts = ceil(n_tokens / EVEN_TOKENS)
    share = n_characters / (n_parts if n_parts <= MOST_PARTS else FEWER_PARTS)
    return max(1, int(share + min(WORD_CHARACTERS, share / 4)))


def _slices(text: str, units: Iterable[str]) -> Iterator[str]:
    """The whole text, cut behind each of its units but the last."""
    start = at = 0
    for unit in units:
        if start < at:
            yield text[start:at]
            start = at
        at = text.index(unit, at) + len(unit)
    yield text[start:]


def _joined(parts: Iterable[tuple[str, int]], count: Callable[[str], int]) -> Iterator[str]:
    """Neighbours together, as long as they have at most MOST_TOKENS. parts: with the tokens of each, at least 1."""
    group, total = [], 0
    for part, n in parts:
        total += n
        if group and (total > MOST_TOKENS or (total > MOST_TOKENS - NEAR_TOKENS and count("".join([*group, part])) > MOST_TOKENS)):
            yield from _fitting(group, count)
            group, total = [], n
        group.append(part)
    yield from _fitting(group, count)


def _fitting(group: list[str], count: Callable[[str], int]) -> Iterator[str]:
    """One text, or two where it has more tokens than its parts had."""
    text = "".join(group)
    if len(group) == 1 or count(text) <= MOST_TOKENS:
        yield text
        return
    yield from _fitting(group[: len(group) // 2], count)
    yield from _fitting(group[len(group) // 2 :], count)
