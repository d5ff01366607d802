"""Delivery: how the listener of a stream gets it, and whoever speaks its text, and so what may be made later."""

from dataclasses import dataclass

from engines.contract.text_feed import TextFeed

__all__ = ["Delivery"]


@dataclass(frozen=True)
class Delivery:
    """whole: nobody hears it before all of it is made. until: time.perf_counter() until which its listener still hears what came before it,
    as of a sentence within a session; None where it is the first. feed: of a text that is still coming; None where all of it is there."""

    whole: bool = False
    until: float | None = None
    feed: TextFeed | None = None
