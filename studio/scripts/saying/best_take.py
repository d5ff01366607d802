"""The best of several takes: the fewest wrong words, then the most alike, then the most natural, with the reason why.

What differs by less than a measure tells of the same sound twice does not decide. Measured by `python -m studio.measure.scripts.best_takes
--noise`: the same takes, softer by 6 dB, 0.1 s later, with noise at -70 dBFS, and in 16 bits, which nobody hears.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from studio.scripts.script.take import LineTake, TakeEstimates

__all__ = ["LIKENESS_NOISE", "QUALITY_NOISE", "BestTake", "best_take"]

# Cosine: 0.002 at most of what nobody hears; 0.008 is the deviation between takes that differ by the noise in the voice alone.
LIKENESS_NOISE = 0.01
QUALITY_NOISE = 0.2  # of DistillMOS, 1 to 5: 0.196 at most of what nobody hears


@dataclass(frozen=True)
class BestTake:
    """reason: as LineTake has it."""

    take_id: str
    reason: dict


def best_take(takes: Sequence[LineTake], chosen: str = "") -> BestTake:
    """takes: at least one, oldest first, with estimates. chosen: the id of the one that is heard now, which stays where nothing decides.

    Where one of them has no estimate of a kind, that kind decides nothing.
    """
    left = list(takes)
    for key, value_of, noise in _MEASURES:
        values = [value_of(take.estimates or TakeEstimates()) for take in left]
        known = [value for value in values if value is not None]
        if len(known) < len(left):
            continue
        best = max(known)
        kept = [take for take, value in zip(left, known, strict=True) if best - value <= noise]
        if len(kept) == 1 < len(left):
            return BestTake(kept[0].id, {"key": key, "values": _figures(key, kept[0], left)})
        left = kept
    stays = next((take for take in left if take.id == chosen), left[0])
    return BestTake(stays.id, {"key": "best_alike" if len(takes) > 1 else "best_only", "values": {"n": len(left)}})


def _wrong_words(found: TakeEstimates) -> float | None:
    return None if found.word_errors is None else -float(found.word_errors)


# Key of the reason, the value (more is better), the difference that decides nothing.
_MEASURES: tuple[tuple[str, Callable[[TakeEstimates], float | None], float], ...] = (
    ("best_words", _wrong_words, 0.0),
    ("best_likeness", lambda found: found.likeness, LIKENESS_NOISE),
    ("best_quality", lambda found: found.quality, QUALITY_NOISE),
)


def _figures(key: str, best: LineTake, compared: Sequence[LineTake]) -> dict:
    """What its sentence says of the one and of the others, in order."""
    own, *others = (take.estimates or TakeEstimates() for take in (best, *(take for take in compared if take is not best)))
    if key == "best_words":
        return {"n": own.word_errors, "others": [other.word_errors for other in others]}
    name, decimals = ("likeness", 3) if key == "best_likeness" else ("quality", 2)
    told = [round(getattr(one, name), decimals) for one in (own, *others)]
    return {name: told[0], "others": told[1:]}
