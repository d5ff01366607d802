"""FIGURES: what is measured of a sound, and how its figures are read: unit, direction, decimals, ends."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["FAMILIES", "FIGURES", "Better", "Family", "FigureKind", "figure_kind"]

Better = Literal["more", "less", "none"]
Family = Literal["words", "likeness", "dnsmos", "distillmos", "loudness", "signal", "prosody", "speed", "versa"]
FAMILIES: tuple[Family, ...] = ("words", "likeness", "dnsmos", "distillmos", "loudness", "signal", "prosody", "speed", "versa")


@dataclass(frozen=True)
class FigureKind:
    """name: as files have it, and the key of its words: `evaluations.figure_<name>`. unit: "%", "dB", "ms" ..., "" for none.

    better: whether more of it, or less, is better; "none" of what only describes. ends: of its scale. is_judged: whether systems are
    compared by it, beyond chance; what is not is shown alone. is_ratio: compared as one over the other, of what grows by factors.
    """

    name: str
    family: Family
    unit: str
    better: Better
    decimals: int
    ends: tuple[float, float] = (float("-inf"), float("inf"))
    is_judged: bool = True
    is_ratio: bool = False


_KINDS = (
    # Wrong words in a hundred of those that should be heard; more than 100 where much was added.
    FigureKind("wrong_words", "words", "%", "less", 1, (0.0, float("inf"))),
    # Cosines, -1 to 1: to the recording of the voice; the largest to that of another person; the same by an encoder that no engine learned
    # to please.
    FigureKind("likeness", "likeness", "", "more", 3, (-1.0, 1.0)),
    FigureKind("other_likeness", "likeness", "", "less", 3, (-1.0, 1.0), is_judged=False),
    FigureKind("second_likeness", "likeness", "", "more", 3, (-1.0, 1.0)),
    FigureKind("dnsmos", "dnsmos", "", "more", 2, (1.0, 5.0)),
    FigureKind("dnsmos_speech", "dnsmos", "", "more", 2, (1.0, 5.0), is_judged=False),
    FigureKind("dnsmos_background", "dnsmos", "", "more", 2, (1.0, 5.0), is_judged=False),
    FigureKind("distillmos", "distillmos", "", "more", 2, (1.0, 5.0)),
    FigureKind("lufs", "loudness", "LUFS", "none", 1, is_judged=False),
    FigureKind("peak_db", "loudness", "dBTP", "none", 1, is_judged=False),
    # Of all samples, those in flat tops at the largest value.
    FigureKind("clipped", "signal", "%", "less", 3, (0.0, 100.0), is_judged=False),
    FigureKind("start_silence_ms", "signal", "ms", "none", 0, (0.0, float("inf")), is_judged=False),
    FigureKind("end_silence_ms", "signal", "ms", "none", 0, (0.0, float("inf")), is_judged=False),
    FigureKind("longest_pause_ms", "signal", "ms", "none", 0, (0.0, float("inf")), is_judged=False),
    FigureKind("silence", "signal", "%", "none", 1, (0.0, 100.0), is_judged=False),
    FigureKind("noise_db", "signal", "dBFS", "none", 1, is_judged=False),
    # The median pitch less that of the voice's recording, in semitones, and how far it is from it whichever the way; the spread of pitch
    # over that of the recording; syllables a second over those of the recording; the length over that which the text should have.
    FigureKind("pitch_shift", "prosody", "st", "none", 2, is_judged=False),
    FigureKind("pitch_distance", "prosody", "st", "less", 2, (0.0, float("inf"))),
    FigureKind("pitch_spread", "prosody", "x", "none", 2, (0.0, float("inf")), is_judged=False),
    FigureKind("pace", "prosody", "x", "none", 2, (0.0, float("inf")), is_judged=False),
    FigureKind("length", "prosody", "x", "none", 2, (0.0, float("inf")), is_judged=False),
    FigureKind("ttfp_ms", "speed", "ms", "less", 0, (0.0, float("inf")), is_ratio=True),
    FigureKind("rtf", "speed", "", "less", 3, (0.0, float("inf")), is_ratio=True),
)
FIGURES: Mapping[str, FigureKind] = {kind.name: kind for kind in _KINDS}


def figure_kind(name: str) -> FigureKind:
    """Of FIGURES; `versa.<its name>` is one that VERSA gives, of which nobody here knows which way is better. Raises KeyError."""
    if name.startswith("versa."):
        return FigureKind(name, "versa", "", "none", 3, is_judged=False)
    return FIGURES[name]
