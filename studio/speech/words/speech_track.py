"""SpeechTrack: where the parts of a speech are, and what its engine marks in them, while it is made."""

from dataclasses import dataclass, field

from engines.contract.word_marks import WordMark

__all__ = ["PartTrack", "SpeechTrack"]


@dataclass
class PartTrack:
    """text: that the engine was given. first_samples: of the whole, at which its stream begins. n_dropped: samples of its beginning that
    are left out. marks: in samples of its stream. The engine's thread writes, and others read.
    """

    text: str
    first_samples: int
    n_dropped: int = 0
    marks: list[WordMark] = field(default_factory=list)

    def whole_samples(self, stream_samples: int) -> int:
        """Of a sample of its stream that in the whole."""
        return self.first_samples + max(0, stream_samples - self.n_dropped)


class SpeechTrack:
    """part_seconds: what is heard before each part that was begun, at the pace of the speech. parts: in order.

    samples_per_second: of what parts and marks count in, the pace included.
    """

    def __init__(self, part_seconds: list[float] | None = None):
        self.part_seconds: list[float] = [] if part_seconds is None else part_seconds
        self.parts: list[PartTrack] = []
        self.samples_per_second = 1.0

    def begin(self, text: str, first_samples: int, samples_per_second: float) -> PartTrack:
        """Another part."""
        self.samples_per_second = samples_per_second
        self.part_seconds.append(first_samples / samples_per_second)
        part = PartTrack(text, first_samples)
        self.parts.append(part)
        return part

    def begin_fed(self, first_samples: int, samples_per_second: float) -> PartTrack:
        """The one part of a text that is spoken while it comes. Its text is told later, and nobody knows what of it was said when."""
        self.samples_per_second = samples_per_second
        part = PartTrack("", first_samples)
        self.parts.append(part)
        return part
