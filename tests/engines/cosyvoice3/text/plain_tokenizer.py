"""PlainTokenizer: in the place of a checkpoint's. An id per word, mark, ideograph or other sign, the same wherever it stands."""

import re

from engines.errors import TextUnspeakable

__all__ = ["PlainTokenizer"]

_TOKEN = re.compile(r"\[[^\[\]\s]+\]|</?\w+>|[A-Za-z]+|[^\W_]|[^\w\s]")


class PlainTokenizer:
    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def ids(self, text: str) -> list[int]:
        if (control := re.search(r"<\|\w+\|>", text)) is not None:
            raise TextUnspeakable("It holds a control token.", "Leave it out.", token=control.group())
        return [self._id(token) for token in _TOKEN.findall(text)]

    def special(self, name: str) -> int:
        return self._id(f"<|{name}|>")

    def count(self, text: str) -> int:
        return len(self.ids(text))

    def text(self, ids: tuple[int, ...]) -> list[str]:
        """What the ids stand for."""
        tokens = list(self._known)
        return [tokens[i] for i in ids]

    def _id(self, token: str) -> int:
        return self._known.setdefault(token, len(self._known))
