"""TimedWord: when a written word is heard."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["TimedWord", "shifted"]


@dataclass(frozen=True)
class TimedWord:
    """start_seconds, end_seconds: from the first sample of its sound. written: as the text has it ("$5"). said: as read ("five dollars").

    start, end: where it stands in the text, in characters. is_guessed: it was not found in the sound, and lies between its neighbors.
    """

    start_seconds: float
    end_seconds: float
    written: str
    said: str
    start: int
    end: int
    is_guessed: bool = False

    def members(self) -> dict[str, object]:
        """As JSON tells it, everywhere: {"start", "end": seconds, "written", "said", "from", "to": characters}; "guessed" where it is."""
        told: dict[str, object] = {"start": round(self.start_seconds, 3), "end": round(self.end_seconds, 3)}
        told |= {"written": self.written, "said": self.said, "from": self.start, "to": self.end}
        return told | ({"guessed": True} if self.is_guessed else {})

    @classmethod
    def of(cls, members: Mapping[str, object]) -> "TimedWord":
        """What `members` gave. Raises KeyError, TypeError, ValueError for what it did not."""
        start, end, first, last = (members[name] for name in ("start", "end", "from", "to"))
        if (
            not isinstance(start, int | float)
            or not isinstance(end, int | float)
            or not isinstance(first, int)
            or not isinstance(last, int)
        ):
            raise TypeError("a time or a place is no number")
        return cls(float(start), float(end), str(members["written"]), str(members["said"]), first, last, bool(members.get("guessed")))


def shifted(words: Sequence[TimedWord], seconds: float, characters: int = 0) -> tuple[TimedWord, ...]:
    """The same words in a longer sound, which begins so much earlier, and in a longer text."""
    return tuple(
        TimedWord(
            word.start_seconds + seconds,
            word.end_seconds + seconds,
            word.written,
            word.said,
            word.start + characters,
            word.end + characters,
            word.is_guessed,
        )
        for word in words
    )
