"""Fitting: how a line is said within its slot. Pure: seconds in, what to ask of the engine out.

First the pause behind the slot is used, then the line is said faster. What fits neither way is told, and nothing is cut.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from engines.contract.options import Option
from engines.text.spoken_length import DURATION
from studio.scripts.script.line import TimeSlot

__all__ = ["LEAST_GAP_SECONDS", "MOST_DURATION_RATE", "MOST_SPEED", "Fitting", "PlacedLine", "fit", "fittings", "native_durations"]

MOST_SPEED = 1.2  # faster speech of a stretched sound is heard as hurried; the slowest that would not be heard as drawn is 0.85
LEAST_SPEED = 0.85
MOST_DURATION_RATE = 1.4  # of an engine that speaks to a length: it articulates faster, where stretching would smear. Our choice
LEAST_GAP_SECONDS = 0.08  # between a line and the next: two frames of a film
_TOLERANCE_SECONDS = 0.02  # half a frame of a film; lip and sound are not told apart by less

FittingKind = Literal["fits", "pause", "speed", "duration", "over"]


@dataclass(frozen=True)
class Fitting:
    """kind: "fits" in its slot, "pause": runs on into the pause behind it, "speed": said at another speed, "duration": said to a length,
    "over": does not fit at the most that is allowed.

    speed: by which the line's own is multiplied; 1 where nothing changes. duration_seconds: to ask of the engine, None where it is not
    asked. over_seconds: by how much it runs beyond its room, even so.
    """

    kind: FittingKind
    speed: float = 1.0
    duration_seconds: float | None = None
    over_seconds: float = 0.0

    @property
    def is_said_again(self) -> bool:
        return self.speed != 1.0 or self.duration_seconds is not None


@dataclass(frozen=True)
class PlacedLine:
    """A line with a slot, and how long its take is."""

    line_id: str
    slot: TimeSlot
    seconds: float


def fit(
    natural_seconds: float,
    slot: TimeSlot,
    next_start: float | None,
    duration: Option | None = None,
    *,
    fill: bool = False,
) -> Fitting:
    """How a line that takes natural_seconds as it is said by itself is to be said.

    next_start: where the next line is heard, seconds of the video; None behind the last. duration: the engine's option of that name
    (`native_durations`), None where it has none. fill: also draw out what is shorter than its slot, down to a speed of 0.85.
    """
    slot_seconds = slot.end - slot.start
    room = _room(slot, next_start)
    if duration is not None and duration.maximum is not None and natural_seconds > duration.maximum:
        duration = None
    if fill and 0 < natural_seconds < slot_seconds - _TOLERANCE_SECONDS:
        return _faster(natural_seconds, max(LEAST_SPEED, natural_seconds / slot_seconds), duration, 0.0)
    if natural_seconds <= slot_seconds + _TOLERANCE_SECONDS:
        return Fitting("fits")
    if natural_seconds <= room + _TOLERANCE_SECONDS:
        return Fitting("pause")
    most = MOST_SPEED if duration is None else MOST_DURATION_RATE
    rate = natural_seconds / room if room > 0 else most
    return _faster(natural_seconds, min(rate, most), duration, max(0.0, natural_seconds / min(rate, most) - room))


def native_durations(options: Sequence[Option]) -> Option | None:
    """The option by which an engine speaks to a length."""
    return next((option for option in options if option.name == DURATION), None)


def fittings(lines: Iterable[PlacedLine]) -> Iterator[tuple[str, Fitting]]:
    """(id, how its take lies in its slot: "fits", "pause" or "over"). lines: with slots, in any order."""
    placed = sorted(lines, key=lambda line: line.slot.start)
    for number, line in enumerate(placed, 1):
        next_start = placed[number].slot.start if number < len(placed) else None
        found = fit(line.seconds, line.slot, next_start)
        if found.kind in ("fits", "pause"):
            yield line.line_id, found
        else:
            yield line.line_id, Fitting("over", over_seconds=line.seconds - _room(line.slot, next_start))


def _room(slot: TimeSlot, next_start: float | None) -> float:
    """To where a line may reach: its slot, or just before the next line where that is later. Slots may overlap by themselves; what was
    written so is not told."""
    slot_seconds = slot.end - slot.start
    if next_start is None:
        return slot_seconds
    return max(slot_seconds, next_start - slot.start - LEAST_GAP_SECONDS)


def _faster(natural_seconds: float, speed: float, duration: Option | None, over_seconds: float) -> Fitting:
    is_over = over_seconds > _TOLERANCE_SECONDS
    if duration is None:
        return Fitting("over" if is_over else "speed", speed, None, over_seconds if is_over else 0.0)
    return Fitting("over" if is_over else "duration", 1.0, natural_seconds / speed, over_seconds if is_over else 0.0)
