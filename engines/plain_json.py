"""JSON from outside: read_json bounds by a number of our own how deep its parts lie in each other.

Python's own bound moves with its version, from 1,000 levels to beyond 50,000, and what is built on the values recurses too.
"""

import json
import re
from typing import Any

__all__ = ["MOST_DEPTH", "JsonTooDeep", "check_depth", "read_json"]

MOST_DEPTH = 64  # of lists and objects in each other; what anybody sends or stores has below ten
# A string, even one that never ends, or what is neither string nor bracket. Possessive: no way back is kept for millions of escapes.
_NO_BRACKETS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[^]["{}]++', re.DOTALL)


class JsonTooDeep(json.JSONDecodeError):
    """Whoever takes a text that is no JSON takes this one."""

    def __init__(self, text: str):
        super().__init__(f"More than {MOST_DEPTH} lists and objects in each other", text, 0)


def read_json(text: str | bytes) -> Any:
    """What json.loads makes of it. Raises ValueError; JsonTooDeep, which is one, on every Python at the same depth."""
    check_depth(text)
    return json.loads(text)


def check_depth(text: str | bytes) -> None:
    """Raises JsonTooDeep; ValueError where bytes are no text. Of JSON with few brackets they are only counted."""
    n_brackets = text.count("[") + text.count("{") if isinstance(text, str) else text.count(b"[") + text.count(b"{")
    if n_brackets <= MOST_DEPTH:
        return
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    depth = 0
    for bracket in _NO_BRACKETS.sub("", text):
        depth += 1 if bracket in "[{" else -1
        if depth > MOST_DEPTH:
            raise JsonTooDeep(text)
