"""SpeechEnd: what a stream returns. It says why a speech ended, and what a person should know about that."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["ENDED", "LOST_WORDS", "EndReason", "SpeechEnd"]

LOST_WORDS = "words may be missing. Speak it again with another seed."
EndReason = Literal["ended", "capped", "no_room", "looped", "cancelled", "failed"]


@dataclass(frozen=True)
class SpeechEnd:
    """What a stream returns when it is over (the value of its StopIteration); None means ENDED.

    reason: `ended`, all was said. `capped`, it was longer than a text of this length can be, or than was asked for. `no_room`, the engine
    could not hold more of it. `looped`, it repeated itself or fell silent. An engine gives these four; `cancelled` (the listener hung up)
    and `failed` are for whoever runs it to say.
    warning: for people, the fact, its limit and the next step; "" where there is none. values: its figures and the key of its words
    (`sentence`), for who says it in other words.
    """

    reason: EndReason = "ended"
    warning: str = ""
    values: Mapping[str, object] = field(default_factory=dict, compare=False)

    @classmethod
    def capped_by_text(cls, seconds: float) -> "SpeechEnd":
        """seconds: the most that a text of this length may take."""
        fact = f"The speech was cut after {seconds:.1f} s, the most that a text of this length may take"
        warning = f"{fact}; it may have run away from the text. Speak it again with another seed."
        return cls("capped", warning, {"sentence": "ended_by_text", "seconds": seconds})

    @classmethod
    def capped_as_asked(cls, seconds: float) -> "SpeechEnd":
        """seconds: the most that the request allowed."""
        warning = f"The speech was cut after {seconds:.1f} s, the most that was asked for. Allow more, or send less text."
        return cls("capped", warning, {"sentence": "ended_as_asked", "seconds": seconds})

    @classmethod
    def without_room(cls, seconds: float) -> "SpeechEnd":
        """seconds: of speech that the engine had room for."""
        fact = f"The speech was cut after {seconds:.1f} s: the engine has no room for more of voice and text at once"
        return cls("no_room", f"{fact}. Send the text in parts.", {"sentence": "ended_without_room", "seconds": seconds})

    @classmethod
    def silent(cls, seconds: float) -> "SpeechEnd":
        """seconds: of silence that were too many."""
        fact = f"The speech fell silent for more than {seconds:g} s and was ended there"
        return cls("looped", f"{fact}; {LOST_WORDS}", {"sentence": "ended_silent", "seconds": seconds})

    @classmethod
    def repeating(cls, seconds: float) -> "SpeechEnd":
        """seconds: for which the same sounds came again and again."""
        fact = f"The speech repeated itself for {seconds:.1f} s and was ended there"
        return cls("looped", f"{fact}; {LOST_WORDS}", {"sentence": "ended_repeating", "seconds": float(seconds)})


ENDED = SpeechEnd()
