"""SpeechEnd: why a stream of an engine came to its end. What a generator of chunks returns, and `Engine.advance` gives."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["SpeechEnd"]


@dataclass(frozen=True)
class SpeechEnd:
    """reason: "ended", the model said so; "capped", as long as it may get; "no_room", the device's; "looped", the same again and again.

    warning: for people, where it is not "ended": the fact, the limit, the next step.
    """

    reason: Literal["ended", "capped", "no_room", "looped"] = "ended"
    warning: str = ""
