"""Tracks: a plot of rows of label, figure, dots, range and mean, over one scale. A label stands above its row, so that a plot is no wider
than a phone."""

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from studio.reports.drawing import Bar, Caption, Drawing, Shape, Sign, Stroke, points_of, shortened
from studio.reports.palette import lane

__all__ = [
    "AXIS",
    "EDGE",
    "FIGURE_POINTS",
    "MARKS_POINTS",
    "ROOM",
    "TITLE_POINTS",
    "WIDTH",
    "Bounds",
    "Marks",
    "PlotRow",
    "PlotTrack",
    "bounds_of",
    "jitter",
    "sign_of",
    "steps_of",
    "titled",
    "track_drawing",
]

WIDTH, EDGE, ROOM = 380, 10, 360  # of a plot, left of what is drawn, and of that
FIGURE_POINTS = 70  # right of a label
TITLE_POINTS, MARKS_POINTS = 34, 24
ROW_POINTS, TRACK_FROM, TRACK_TO = 52, 20, 48
BOX_POINTS = 9  # half of the height of the middle half of all dots
AXIS = 12  # size of figures that are no results
SHAPES: tuple[Shape, ...] = ("square", "round", "diamond")  # each with all lanes, so that no two of 12 signals look alike

Marks = Iterator[Stroke | Bar | Sign | Caption]
Bounds = tuple[float, float, float]  # of a scale: from, to, step of its marks


@dataclass(frozen=True)
class PlotRow:
    """number: of its lane. dots: (what it is of, where it is). figure: what is written of `at`. box: the middle half of what is drawn."""

    label: str
    number: int
    at: float
    low: float | None
    high: float | None
    figure: Callable[[float], str]
    dots: Sequence[tuple[str, float]] = ()
    box: tuple[float, float] | None = None


@dataclass(frozen=True)
class PlotTrack:
    """even: where neither of two is ahead. mark: what is written at a step of the scale."""

    rows: Sequence[PlotRow]
    bounds: Bounds
    mark: Callable[[float], str]
    even: float | None = None

    def x(self, value: float) -> float:
        """What lies outside of the scale stands at its end."""
        least, most, _ = self.bounds
        return EDGE + ROOM * (min(max(value, least), most) - least) / (most - least)


def track_drawing(track: PlotTrack, title: str, described: Callable[[PlotRow], str]) -> Drawing:
    """described: a row in words, for who does not see it."""
    bottom = TITLE_POINTS + len(track.rows) * ROW_POINTS
    marks = [titled(title), *(mark for number, row in enumerate(track.rows) for mark in _row(track, number, row))]
    for at in steps_of(track.bounds):
        figure = track.mark(at)
        half = points_of(figure, AXIS) / 2  # one at an edge is moved inwards
        x = min(max(track.x(at), half + 2), WIDTH - half - 2)
        marks.append(Caption((x, bottom + 12), figure, AXIS, anchor="middle", color="ink-soft"))
    return Drawing(WIDTH, bottom + MARKS_POINTS, title, " ".join(map(described, track.rows)), tuple(marks))


def titled(title: str) -> Caption:
    return Caption((EDGE, 15), title, is_bold=True)


def sign_of(number: int) -> Shape:
    """Of a lane."""
    return SHAPES[(number + number // 6) % len(SHAPES)]


def steps_of(bounds: Bounds) -> list[float]:
    least, most, step = bounds
    return [round(least + step * number, 6) for number in range(round((most - least) / step) + 1)]


def bounds_of(values: Iterable[float | None], around: float | None = None, least_far: float = 0.1) -> Bounds:
    """Of a scale that holds them all, in steps of 1, 2 or 5 times a power of ten. around: what is in its middle, least_far: from its end at
    least."""
    found = [value for value in values if value is not None]
    least, most = min(found), max(found)
    if around is not None:
        far = max(most - around, around - least, least_far)
        least, most = around - far, around + far
    if most - least < 1e-6:  # one value alone, as where one listener is left
        least, most = least - 0.5, most + 0.5
    raw = (most - least) / 4
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if raw <= power * factor * (1 + 1e-9))
    return math.floor(least / step + 1e-9) * step, math.ceil(most / step - 1e-9) * step, step


def jitter(name: str, label: str) -> float:
    """-1 to 1: where across its row a dot is, the same each time."""
    return int.from_bytes(hashlib.sha256(f"{name}\0{label}".encode()).digest()[:4], "big") / (1 << 31) - 1


def _row(track: PlotTrack, number: int, row: PlotRow) -> Marks:
    top = TITLE_POINTS + number * ROW_POINTS
    middle, color = top + (TRACK_FROM + TRACK_TO) / 2, lane(row.number)
    yield Caption((EDGE, top + 14), shortened(row.label, ROOM - FIGURE_POINTS), is_bold=True)
    yield Caption((EDGE + ROOM, top + 14), row.figure(row.at), 15, is_bold=True, anchor="end")
    for at in steps_of(track.bounds):
        yield Stroke((track.x(at), top + TRACK_FROM), (track.x(at), top + TRACK_TO), "line")
    if track.even is not None:
        x = track.x(track.even)
        yield Stroke((x, top + TRACK_FROM), (x, top + TRACK_TO), "ink-soft", kind="even", is_dashed=True)
    if row.box is not None:
        left, right = map(track.x, row.box)
        yield Bar((left, middle - BOX_POINTS), max(1.0, right - left), 2 * BOX_POINTS, color, 0.18, radius=3)
    for name, at in row.dots:
        yield Sign((track.x(at), middle + 10 * jitter(name, row.label)), color, "dot")
    if row.low is not None and row.high is not None:
        yield Stroke((track.x(row.low), middle), (track.x(row.high), middle), color, 4, kind="range")
    yield Sign((track.x(row.at), middle), color, sign_of(row.number))
