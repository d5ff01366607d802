"""Seen: what a window shows already. A tick sends nothing where nothing changed for whoever looks, whatever changed for others.

The window itself says what it shows. Answers may be drawn in another order than they were made in, so that what was sent last need not be
what is shown.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable

import gradio as gr

__all__ = ["Checked", "changes", "digest_of", "kept_by_the_window"]

MOST_CHECKED = 2000  # values of which the version is known; windows that look every second or so need one each


def kept_by_the_window(name: str) -> gr.Textbox:
    """Where a window has the digest of what it shows of the room `name`, to be answered together with that. It is never drawn."""
    return gr.Textbox("", visible=False, elem_id=f"{name}-seen")


def digest_of(*shown: object) -> str:
    """shown: values, and what else tells apart who sees them."""
    return hashlib.sha256(repr(shown).encode("utf-8", "surrogatepass")).hexdigest()


class Checked:
    """Of which version of the studio values were true, by their digest, so that a look at the same version need not make them again.

    A window knows the digest of what it shows; the version, which moves by what other visitors do, too, stays here.
    """

    def __init__(self):
        self._versions: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def is_true(self, digest: str, version: str) -> bool:
        with self._lock:
            return self._versions.get(digest) == version

    def note(self, version: str, *shown: object) -> str:
        """Their digest, see `digest_of`."""
        digest = digest_of(*shown)
        with self._lock:
            self._versions[digest] = version
            self._versions.move_to_end(digest)
            if len(self._versions) > MOST_CHECKED:
                self._versions.popitem(last=False)
        return digest


def changes(seen: str, n_shown: int, show: Callable[[], tuple], is_true: bool = False) -> tuple:
    """What `show` gives, n_shown values and their digest, where that is not what is seen; else nothing. is_true: known without a look."""
    nothing = (gr.skip(),) * (n_shown + 1)
    if is_true:
        return nothing
    shown = show()
    return nothing if shown[-1] == seen else shown
