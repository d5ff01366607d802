"""Errors of takes in parts."""

from engines.errors import CallerMistake

__all__ = ["PartFull", "PartUnknown", "TakeSpeakerGone", "TakeUnparted"]


class PartUnknown(CallerMistake):
    """The take has no such part, or the part was not said so often."""

    code = "part_unknown"

    def __init__(self, part: int, rendition: int | None = None):
        what = f"part {part}" if rendition is None else f"rendition {rendition} of part {part}"
        super().__init__(f"This take has no {what}.", "List its parts.", part=part)


class PartFull(CallerMistake):
    """It was said as often as is kept."""

    code = "part_full"

    def __init__(self, most: int):
        super().__init__(f"This part was said {most} times, which is as many as are kept.", "Choose one of them.", most=most)


class TakeUnparted(CallerMistake):
    """Its text is not known, or its sound is not what was spoken."""

    code = "take_unparted"

    def __init__(self):
        super().__init__("This take is of a recording, which is not kept, so it has no parts.", "Record it again.")


class TakeSpeakerGone(CallerMistake):
    """Nobody else may speak in its place."""

    code = "take_speaker_gone"

    def __init__(self, name: str):
        fact = f"The voice '{name}' of this take was deleted or replaced since, so no part can be said again in it."
        super().__init__(fact, "Speak the whole text in a voice that is there.", name=name)
