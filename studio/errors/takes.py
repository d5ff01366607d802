"""Errors of takes in parts."""

from engines.errors import CallerMistake
from studio.errors.studio_error import StudioError

__all__ = ["PartFull", "PartUnknown", "TakeSpeakerGone", "TakeUnparted", "WordTimesUnknown"]


class PartUnknown(StudioError, CallerMistake):
    """The take has no such part, or the part was not said so often."""

    code = "part_unknown"
    status = 404

    def __init__(self, part: int, rendition: int | None = None):
        super().__init__(
            hint="List its parts.",
            sentence="part_unknown" if rendition is None else "rendition_unknown",
            part=part,
            rendition=rendition or 0,
        )


class PartFull(StudioError, CallerMistake):
    """It was said as often as is kept."""

    code = "part_full"
    status = 409

    def __init__(self, most: int):
        super().__init__(most=most)


class TakeUnparted(StudioError, CallerMistake):
    """Its text is not known, or its sound is not what was spoken."""

    code = "take_unparted"
    status = 409


class TakeSpeakerGone(StudioError, CallerMistake):
    """Nobody else may speak in its place."""

    code = "take_speaker_gone"
    status = 409

    def __init__(self, name: str):
        super().__init__(name=name)


class WordTimesUnknown(StudioError, CallerMistake):
    """Nobody can tell when its words are heard. sentence: word_times_of_recording, word_times_of_language, word_times_unlike,
    word_times_too_long; the plain one is of a take of an earlier version, or whose sound was put together again.
    """

    code = "word_times_unknown"
    status = 409
