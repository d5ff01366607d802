"""Seen: what a window shows already. A tick sends nothing where nothing changed for whoever looks, whatever changed for others."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable

import gradio as gr

__all__ = ["Checked", "changes", "seen_of"]

MOST_CHECKED = 2000  # values of which the version is known; windows that look every second or so need one each


def seen_of(version: str, *shown: object) -> str:
    """version: of all that is shown, cheap to ask; it moves for other visitors, too. shown: the values themselves."""
    return f"{version}\n{hash(repr(shown))}"


def changes(seen: str, version: str, n_shown: int, show: Callable[[], tuple]) -> tuple:
    """(n_shown values, what is seen now): those of `show` where they are not what was seen, else none of them.

    What is seen is given every time, so that not even its absence tells a visitor that others did something.
    """
    before = seen.rpartition("\n")
    if before[1] and before[0] == version:
        return *(gr.skip(),) * n_shown, seen
    *shown, now = show()
    same = now.rpartition("\n")[2] == before[2]
    return *((gr.skip(),) * n_shown if same else shown), now


class Checked:
    """Of which version of the studio values were true, by their digest, so that a look at the same version need not make them again.

    A window knows the digest of what it shows; the version stays here.
    """

    def __init__(self):
        self._versions: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def is_true(self, digest: str, version: str) -> bool:
        with self._lock:
            return self._versions.get(digest) == version

    def note(self, value: object, version: str) -> str:
        """The value's digest."""
        digest = hashlib.sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()
        with self._lock:
            self._versions[digest] = version
            self._versions.move_to_end(digest)
            if len(self._versions) > MOST_CHECKED:
                self._versions.popitem(last=False)
        return digest
