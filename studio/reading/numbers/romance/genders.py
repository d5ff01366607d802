"""Genders: the gender of a noun, by the word or by its ending; lists of words."""

from dataclasses import dataclass

__all__ = ["FEMININE", "MASCULINE", "Genders", "capitalized_too", "words_of"]

MASCULINE, FEMININE = "m", "f"


def words_of(text: str) -> frozenset[str]:
    """Words with blanks between them."""
    return frozenset(text.split())


def capitalized_too(words: dict[str, str]) -> dict[str, str]:
    """With each as it begins a sentence."""
    return words | {written[0].upper() + written[1:]: said for written, said in words.items()}


@dataclass(frozen=True)
class Genders:
    """Of nouns in the form in which they follow a number. both: words that do not tell, as those of people."""

    masculine: frozenset[str]
    feminine: frozenset[str]
    masculine_endings: frozenset[str]
    feminine_endings: frozenset[str]
    both: frozenset[str] = frozenset()

    def of(self, word: str) -> str:
        """By the word, else by its longest known ending: "m", "f", or "" where nobody can say."""
        word = word.casefold()
        if word in self.both:
            return ""
        if word in self.masculine or word in self.feminine:
            return MASCULINE if word in self.masculine else FEMININE
        for length in range(len(word) - 1, 0, -1):
            if word[-length:] in self.masculine_endings:
                return MASCULINE
            if word[-length:] in self.feminine_endings:
                return FEMININE
        return ""
