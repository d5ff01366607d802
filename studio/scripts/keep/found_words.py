"""Where words stand in a text: whatever their capitals, or in these alone; as whole words, or inside of longer ones.

Compared is as the pronunciation dictionary does: a letter with its accent is one, however it is written, and so are ß and ss where
capitals do not count. What is not found stays as it is, to the last mark.
"""

from dataclasses import dataclass

from studio.errors import EditRefused
from studio.reading.lexicon.folding import FoldedText, folded, plain
from studio.reading.lexicon.word_edges import begins_word, ends_word, is_without_blanks

__all__ = ["SoughtWords"]


@dataclass(frozen=True)
class SoughtWords:
    """text: what is looked for. is_case: in these capitals alone. is_whole: as whole words; a script without blanks knows none.

    Raises EditRefused where there is nothing to look for.
    """

    text: str
    is_case: bool = False
    is_whole: bool = False

    def __post_init__(self) -> None:
        if not self.text:
            raise EditRefused(sentence="script_find_empty")

    def places(self, text: str, language: str = "") -> list[tuple[int, int]]:
        """(start, end) in characters of the text, in order, not overlapping. language: a code; "" where nobody knows it."""
        sought, searched = folded(self.text), FoldedText(text)
        is_whole = self.is_whole and not is_without_blanks(self.text)
        found, at = [], searched.text.find(sought)
        while at >= 0:
            end = at + len(sought)
            place = searched.written(at, end)
            if (
                place is not None
                and (not is_whole or (begins_word(searched.text, at, language) and ends_word(searched.text, end, language)))
                and (not self.is_case or plain(text[slice(*place)]) == plain(self.text))
            ):
                found.append(place)
                at = searched.text.find(sought, end)
            else:
                at = searched.text.find(sought, at + 1)
        return found

    def replaced(self, text: str, by: str, language: str = "") -> str:
        """The text with `by` in the places of what is found; itself where nothing is."""
        parts, before = [], 0
        for start, end in self.places(text, language):
            parts += [text[before:start], by]
            before = end
        return "".join([*parts, text[before:]]) if parts else text
