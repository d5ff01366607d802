"""TextPlaces: where in a text stood what was made of it, for who says the one and is asked about the other."""

import unicodedata
from collections.abc import Callable, Iterable, Sequence

from engines.text.spoken_pieces import speakable

__all__ = ["TextPlaces", "said_places", "speakable_places"]

_JAMO = range(0x1160, 0x1200)  # vowels and endings of Hangul, which go into the syllable before them (Unicode 16.0, 3.12)


class TextPlaces:
    """starts, ends: of each character that was made, what it was made of: given[start:end]. None, None: the text is as it was."""

    def __init__(self, starts: Sequence[int] | None = None, ends: Sequence[int] | None = None):
        self._starts, self._ends = starts, ends

    def of(self, start: int, end: int) -> tuple[int, int]:
        """Where made[start:end], of one character at least, stood in the given text."""
        if self._starts is None or self._ends is None:
            return start, end
        last = len(self._starts) - 1
        return self._starts[min(start, last)], self._ends[min(max(start, end - 1), last)]

    @classmethod
    def of_parts(cls, parts: Iterable[tuple[int, int, str]]) -> "TextPlaces":
        """Of a text that was made of these, in order: (start, end, what given[start:end] became); a letter for a letter where it is as
        long."""
        starts: list[int] = []
        ends: list[int] = []
        for start, end, made in parts:
            is_same = end - start == len(made)
            starts += range(start, end) if is_same else [start] * len(made)
            ends += range(start + 1, end + 1) if is_same else [end] * len(made)
        return cls(starts, ends)

    def then(self, later: "TextPlaces") -> "TextPlaces":
        """Of what was made of the text that this is of."""
        if later._starts is None or later._ends is None:
            return self
        places = [self.of(start, end) for start, end in zip(later._starts, later._ends, strict=True)]
        return TextPlaces([start for start, _ in places], [end for _, end in places])


def speakable_places(text: str, spoken: str) -> TextPlaces:
    """Of spoken = speakable(text). As long as the text it has a letter for a letter; else letters and accents were joined or parted."""
    if len(spoken) == len(text):
        return TextPlaces()
    starts = [0, *(at for at in range(1, len(text)) if not _is_joined(text[at]))]
    parts = [(start, end, _said(text[start:end])) for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    if "".join(said for _, _, said in parts) == spoken:
        return TextPlaces.of_parts(parts)
    share = len(text) / max(1, len(spoken))  # a composition across these, which no known script has: about there
    return TextPlaces([int(at * share) for at in range(len(spoken))], [int((at + 1) * share) or 1 for at in range(len(spoken))])


def said_places(text: str, said: str, phone_places: Callable[[str], TextPlaces]) -> TextPlaces:
    """Of what an engine says, which is speakable(text) or, where that asks for phones, what they are written as.

    phone_places(spoken): of the latter in the former.
    """
    spoken = speakable(text)
    places = speakable_places(text, spoken)
    return places if spoken == said else places.then(phone_places(spoken))


def _is_joined(character: str) -> bool:
    """Whether it goes with the one before it."""
    return unicodedata.combining(character) > 0 or unicodedata.category(character)[0] == "M" or ord(character) in _JAMO


def _said(cluster: str) -> str:
    return speakable(f"{cluster}a")[:-1]
