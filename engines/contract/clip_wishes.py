"""ClipWishes: properties of a clip that an engine accepts but makes less of, as data. People read them before they make a voice."""

from dataclasses import dataclass

__all__ = ["NO_WISHES", "ClipWishes"]


@dataclass(frozen=True)
class ClipWishes:
    """words_over_speech: least and most of how long the words of a clip take to say, by estimate (spoken_length), over its seconds of
    speech, for an engine that speaks as fast as words and clip say together; None where it does not.

    best_seconds: least and most of a clip that it learns best from. most_seconds: of a longer one its speech is slower to come, and worse.
    Both None where it makes no difference.
    """

    words_over_speech: tuple[float, float] | None = None
    best_seconds: tuple[float, float] | None = None
    most_seconds: float | None = None

    def __post_init__(self):
        if (self.best_seconds is None) != (self.most_seconds is None):
            raise ValueError("ClipWishes wants best_seconds and most_seconds together: who hears that a clip is long asks what is better")


NO_WISHES = ClipWishes()
