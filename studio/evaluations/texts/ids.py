"""Ids of texts and voices, from names as people and lists write them. The same name is the same id in every file."""

import hashlib
import re
import unicodedata

__all__ = ["UniqueIds", "plain_id"]

MOST_ID_CHARACTERS = 64  # as studio/evaluations/plan/plan.py has it
_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_OTHER = re.compile(r"[^A-Za-z0-9_.-]+")
_DIGEST_CHARACTERS = 8


def plain_id(name: str) -> str:
    """The name itself where it can be an id; else what is left of it in plain letters, and a digest, so that unlike names stay unlike."""
    if _ID.fullmatch(name) and name.strip("."):
        return name
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:_DIGEST_CHARACTERS]
    plain = _OTHER.sub("-", letters).strip("-.")[: MOST_ID_CHARACTERS - _DIGEST_CHARACTERS - 1]
    return f"{plain}-{digest}" if plain else digest


class UniqueIds:
    """Gives each name an id that nobody has yet. again: ids that came more than once; changed: names that are no ids."""

    def __init__(self):
        self.again: list[str] = []
        self.changed: list[str] = []
        self._taken: set[str] = set()
        self._last: dict[str, int] = {}  # id -> the number behind the one that was given last: thousands of one name stay quick

    def given(self, name: str) -> str:
        """An id for it. Of a name that came before it gets a number: "a", "a-2", "a-3"."""
        found = plain_id(name)
        if found != name:
            self.changed.append(name)
        if found not in self._taken:
            self._taken.add(found)
            return found
        self.again.append(name)
        number = self._last.get(found, 1) + 1
        while (numbered := _numbered(found, number)) in self._taken:
            number += 1
        self._last[found] = number
        self._taken.add(numbered)
        return numbered


def _numbered(found: str, number: int) -> str:
    behind = f"-{number}"
    return found[: MOST_ID_CHARACTERS - len(behind)] + behind
