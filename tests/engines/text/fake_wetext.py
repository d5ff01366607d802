"""Wetext: a fake of the library of grammars."""

from pathlib import Path
from types import SimpleNamespace

__all__ = ["Wetext"]


class Wetext:
    """Grammars that write 3 as a word of their language and quotes as wetext 0.1.8 does, and fail where `fails` is in the text."""

    def __init__(self, folder: Path):
        (folder / "fsts").mkdir()
        self.__file__ = str(folder / "__init__.py")
        self.fails, self.made = "@", []

    def Normalizer(self, **kwargs: object) -> SimpleNamespace:
        def normalize(text: str) -> str:
            assert self.fails not in text
            return text.replace("3", {"zh": "三", "en": "three"}[kwargs["lang"]]).replace('"', '\\"')

        self.made.append(kwargs)
        return SimpleNamespace(normalize=normalize)
