"""Vocabulary and ControlVocabulary: what engines ask of a tokenizer, be it a checkpoint's or a drawn one."""

from typing import Protocol

__all__ = ["ControlVocabulary", "Vocabulary"]


class Vocabulary(Protocol):
    """Turns text into tokens."""

    def ids(self, text: str) -> list[int]:
        """Of plain text. Raises TextUnspeakable where it spells a control token that would be obeyed."""
        ...


class ControlVocabulary(Vocabulary, Protocol):
    """One whose control tokens are asked for by name."""

    def special(self, name: str) -> int:
        """Of a control token, without the marks around its name."""
        ...
