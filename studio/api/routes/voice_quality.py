"""The quality of a recording in this door's words: numbers, grades and advice. For worker threads: it measures."""

from engines.clip import Clip
from engines.clip_advice import overall, verdicts
from engines.clip_quality import measure_clip

__all__ = ["quality_of"]

_DECIMALS = {"bandwidth_hz": 0, "seconds": 2, "speech_seconds": 2, "clipping_percent": 2}


def quality_of(clip: Clip) -> dict[str, object]:
    """The member `quality` of a voice: every number of ClipQuality, the overall `verdict`, and `advice` of one entry per graded number."""
    quality = measure_clip(clip)
    lines = verdicts(quality)
    numbers: dict[str, object] = {name: _rounded(name, value) for name, value in vars(quality).items()}
    advice = [
        {"measure": line.measure, "value": _rounded(line.measure, line.value), "verdict": line.grade, "advice": line.advice}
        for line in lines
    ]
    return numbers | {"verdict": overall(lines), "advice": advice}


def _rounded(name: str, value: float) -> float | int:
    decimals = _DECIMALS.get(name, 1)
    return round(value, decimals) if decimals else round(value)
