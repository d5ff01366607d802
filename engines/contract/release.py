"""Release: one of several repositories in which the makers of an engine put its weights, among which people choose."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Release", "Suits"]

# quick: sooner heard, and less memory. better: sounds better. directed: so, and told in words how to speak. undirected: quick, and not
# told. Whoever chooses reads it in their own language.
Suits = Literal["quick", "better", "directed", "undirected"]


@dataclass(frozen=True)
class Release:
    """repository: the hub's id. size: the makers' word for it ("0.6B"). weights_bytes: what fetching it takes. suits: what it is for."""

    repository: str
    size: str
    weights_bytes: int
    suits: Suits
