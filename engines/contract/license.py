"""License: one of the licenses of an engine's weights."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["License"]


@dataclass(frozen=True)
class License:
    """title: its name. url: where its text can be read, "" where the title says enough.

    covers: which part of the weights, "" for all. most_annual_users: whoever had more in the preceding year needs a further license of its
    makers before any use; 0: it counts none.
    """

    title: str
    url: str = ""
    covers: Literal["", "model", "codec"] = ""
    most_annual_users: int = 0
