"""plain_end: how many of a text's words can be spoken before its sentence has come, since they are said as they are written."""

import re
from itertools import pairwise, takewhile

from studio.reading.numbers.abbreviations import has_abbreviation

__all__ = ["plain_end"]

_LETTERS = r"(?:[^\W\d_]|[\u0300-\u036f])+"  # combining accents among them
# Of letters alone, with the mark behind it and the blank that ends it. Capitals may be read by their names or as numbers, "I" at the
# beginning of what is said apart; so may a letter with a full stop.
_WORD = re.compile(rf"[ ]*(?!\w*[A-Z]{{2}})(?![^\W\d_]\.|[IVXLCDM]\b){_LETTERS}(?:['’-]{_LETTERS})*[,;:.!?…]?[ ]")
_PRONOUN = re.compile(r"[ ]*I(?:['’][a-z]+)?[ ](?=[a-z])")


def plain_end(text: str, *, is_start: bool) -> int:
    """Where the words end that nothing that follows can change; 0 where there is none. is_start: nothing was said before.

    The last whole word is kept back, and with a name all of it: with what follows it may be a date, an amount, a king or a war.
    """
    ends = [0]
    while match := _WORD.match(text, ends[-1]) or (_PRONOUN.match(text, ends[-1]) if is_start and len(ends) == 1 else None):
        ends.append(match.end())
    if has_abbreviation(text[: ends[-1]]):
        return 0
    words = [text[start:end].lstrip() for start, end in pairwise(ends)]
    n_capital = sum(1 for _ in takewhile(lambda word: word[0].isupper(), reversed(words)))
    return ends[len(words) - max(1, n_capital)] if words else 0
