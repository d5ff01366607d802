"""Delivery: how the listener of a stream gets it, and so what may be made later."""

from dataclasses import dataclass

__all__ = ["Delivery"]


@dataclass(frozen=True)
class Delivery:
    """whole: nobody hears it before all of it is made. until: time.perf_counter() until which its listener still hears what came before it,
    as of a sentence within a session; None where it is the first."""

    whole: bool = False
    until: float | None = None
