"""Plot kinds: the layout of each kind of plot. A label stands above its row, so that a plot is no wider than a phone."""

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from studio.listening.report.names import Say, compared, is_of_shares, label_of, labels_of
from studio.listening.report.plots.drawing import Bar, Caption, Drawing, Shape, Sign, Stroke, points_of, shortened
from studio.listening.report.plots.palette import lane
from studio.listening.statistics.findings import Findings, PairFinding

__all__ = ["DRAWN", "Lanes"]

WIDTH, EDGE, ROOM = 380, 10, 360  # of a plot, left of what is drawn, and of that
FIGURE_POINTS = 70  # right of a label
TITLE_POINTS, MARKS_POINTS = 34, 24
ROW_POINTS, TRACK_FROM, TRACK_TO = 52, 20, 48
BLOCK_POINTS, BAR_POINTS, BARS_TO = 92, 44, 86  # of a histogram
AXIS = 12  # size of figures that are no results
BAR_SHARE = 0.72  # of the room between two bars' middles
LETTER_POINTS, CELL_HIGH, LEAST_CELL, MOST_CELL = 120, 46, 48, 76
SCALES = {"mos": (1, 5, 1), "smos": (1, 5, 1), "mushra": (0, 100, 20), "mushra-like": (0, 100, 20)}  # from, to, step of marks
DIFFERENCES = (-3, 3, 1)  # of CMOS
SHAPES: tuple[Shape, ...] = ("square", "round", "diamond")  # each with all lanes, so that no two of 12 signals look alike
NONE = "–"

Lanes = Mapping[str, int]  # system -> its number, whose letter and color it has all over the page
Marks = Iterator[Stroke | Bar | Sign | Caption]


@dataclass(frozen=True)
class _PlotRow:
    """number: of its lane. dots: of single listeners. figure: what is written of `at`."""

    label: str
    number: int
    at: float
    low: float | None
    high: float | None
    figure: Callable[[float], str]
    dots: Sequence[tuple[str, float]] = ()

    def told(self, say: Say) -> str:
        low, high = (NONE if value is None else self.figure(value) for value in (self.low, self.high))
        return say("plot_row", {"name": self.label, "mean": self.figure(self.at), "low": low, "high": high})


@dataclass(frozen=True)
class _PlotTrack:
    """bounds: from, to, step of the marks of its scale. even: where neither of two is ahead."""

    rows: Sequence[_PlotRow]
    bounds: tuple[float, float, float]
    even: float | None = None

    def x(self, value: float) -> float:
        least, most, _ = self.bounds
        return EDGE + ROOM * (value - least) / (most - least)


def _scores(findings: Findings, title: str, say: Say, lanes: Lanes) -> Drawing:
    """A row for each system, the best first."""
    decimals = 2 if findings.method in ("mos", "smos", "cmos") else 0
    rows = []
    for system in findings.systems:
        at, low, high = (
            (system.mean, system.low, system.high)
            if system.mean is not None
            else (system.strength, system.strength_low, system.strength_high)
        )
        if at is not None:
            dots = tuple(sorted(system.by_listener.items()))
            rows.append(_PlotRow(label_of(system, say), lanes[system.system], at, low, high, _figures(say, decimals), dots))
    rows.sort(key=lambda row: -row.at)
    return _track(_PlotTrack(rows, SCALES.get(findings.method) or _bounds(rows)), title, say)


def _pairs(findings: Findings, title: str, say: Say, lanes: Lanes) -> Drawing:
    """A row for each pair."""
    is_share = is_of_shares(findings)
    named = zip(findings.pairs, compared(findings, say), strict=True)
    rows = [row for number, (pair, names) in enumerate(named) if (row := _pair_row(pair, number, names, say, is_share=is_share))]
    bounds = (0, 100, 25) if is_share else DIFFERENCES if findings.method == "cmos" else _bounds(rows, around=0.0)
    return _track(_PlotTrack(rows, bounds, even=50 if is_share else 0), title, say)


def _pair_row(pair: PairFinding, number: int, names: tuple[str, str], say: Say, *, is_share: bool) -> _PlotRow | None:
    half = (ROOM - FIGURE_POINTS - 40) / 2  # beside what stands between the two
    label = say("report_pair", {"system": shortened(names[0], half), "other": shortened(names[1], half)})
    if is_share and pair.share is not None:
        low, high = (None if share is None else 100 * share for share in (pair.share_low_all, pair.share_high_all))
        return _PlotRow(label, number, 100 * pair.share, low, high, lambda share: say("report_percent", {"value": round(share)}))
    if not is_share and pair.difference is not None:
        return _PlotRow(label, number, pair.difference, pair.low_all, pair.high_all, _figures(say, 2))
    return None


def _histogram(findings: Findings, title: str, say: Say, lanes: Lanes) -> Drawing:
    """For each system bars, as high as their share of its votes."""
    systems = [system for system in findings.systems if sum(system.histogram)]
    n_bars = max(len(system.histogram) for system in systems)
    step, bottom = ROOM / n_bars, TITLE_POINTS + len(systems) * BLOCK_POINTS
    marks: list[Stroke | Bar | Sign | Caption] = [_titled(title)]
    told = []
    for number, system in enumerate(systems):
        top = TITLE_POINTS + number * BLOCK_POINTS
        label, ground = label_of(system, say), top + BARS_TO
        marks.append(Caption((EDGE, top + 14), shortened(label, ROOM), is_bold=True))
        marks.append(Stroke((EDGE, ground), (EDGE + ROOM, ground), "line"))
        for at, n in enumerate(system.histogram):
            high, left = BAR_POINTS * n / max(system.histogram), EDGE + step * (at + (1 - BAR_SHARE) / 2)
            marks.append(Bar((left, ground - high), BAR_SHARE * step, high, lane(lanes[system.system])))
            if n:
                figure = say("report_figure", {"value": n})
                marks.append(Caption((EDGE + step * (at + 0.5), ground - high - 4), figure, AXIS, anchor="middle"))
        given = tuple(say("plot_mark", {"mark": at, "n": n}) for at, n in enumerate(system.histogram, start=1))
        told.append(say("plot_marks", {"name": label, "marks": given}))
    marks += [Caption((EDGE + step * (at + 0.5), bottom + 8), str(at + 1), AXIS, anchor="middle", color="ink-soft") for at in range(n_bars)]
    return Drawing(WIDTH, bottom + MARKS_POINTS, title, " ".join(told), tuple(marks))


def _wins(findings: Findings, title: str, say: Say, lanes: Lanes) -> Drawing:
    """A matrix: how often the row was preferred to the column."""
    won: dict[tuple[str, str], float] = {}
    for pair in findings.pairs:
        if pair.wins is not None and pair.n:
            won[pair.system, pair.other], won[pair.other, pair.system] = pair.wins / pair.n, 1 - pair.wins / pair.n
    labels = labels_of(findings, say)
    order = [name for name in dict.fromkeys((*labels, *(name for names in won for name in names))) if any(name in names for names in won)]
    wide = max(LEAST_CELL, min(MOST_CELL, (WIDTH - LETTER_POINTS - EDGE) / len(order)))
    top = TITLE_POINTS + 20
    marks: list[Stroke | Bar | Sign | Caption] = [_titled(title)]
    told = []
    for row, name in enumerate(order):
        y = top + row * CELL_HIGH
        label = say("report_numbered", {"number": row + 1, "label": shortened(labels.get(name, name), LETTER_POINTS - 36)})
        marks.append(Caption((EDGE, y + CELL_HIGH / 2 + 5), label, is_bold=True))
        marks.append(Caption((LETTER_POINTS + wide * (row + 0.5), top - 8), str(row + 1), is_bold=True, anchor="middle"))
        for column, other in enumerate(order):
            share, x = won.get((name, other)), LETTER_POINTS + wide * column
            color, opacity = ("sunk", 1.0) if share is None else ("accent", 0.06 + 0.3 * share)
            marks.append(Bar((x + 2, y + 2), wide - 4, CELL_HIGH - 4, color, opacity, radius=6))
            if share is not None:
                figure = say("report_percent", {"value": round(100 * share)})
                marks.append(Caption((x + wide / 2, y + CELL_HIGH / 2 + 5), figure, is_bold=True, anchor="middle"))
                told.append(say("plot_win", {"system": labels.get(name, name), "other": labels.get(other, other), "share": figure}))
    width, height = LETTER_POINTS + wide * len(order) + EDGE, top + CELL_HIGH * len(order) + EDGE
    return Drawing(max(width, WIDTH), height, title, " ".join(told), tuple(marks))


def _track(track: _PlotTrack, title: str, say: Say) -> Drawing:
    """Rows of label, figure, dots, interval and mean, over one scale."""
    bottom = TITLE_POINTS + len(track.rows) * ROW_POINTS
    marks = [_titled(title), *(mark for number, row in enumerate(track.rows) for mark in _row(track, number, row, say))]
    for at in _scale_of(track):
        figure = say("report_figure", {"value": at})
        half = points_of(figure, AXIS) / 2  # one at an edge is moved inwards
        x = min(max(track.x(at), half + 2), WIDTH - half - 2)
        marks.append(Caption((x, bottom + 12), figure, AXIS, anchor="middle", color="ink-soft"))
    told = " ".join(row.told(say) for row in track.rows)
    return Drawing(WIDTH, bottom + MARKS_POINTS, title, told, tuple(marks))


def _row(track: _PlotTrack, number: int, row: _PlotRow, say: Say) -> Marks:
    top = TITLE_POINTS + number * ROW_POINTS
    middle, color = top + (TRACK_FROM + TRACK_TO) / 2, lane(row.number)
    yield Caption((EDGE, top + 14), shortened(row.label, ROOM - FIGURE_POINTS), is_bold=True)
    yield Caption((EDGE + ROOM, top + 14), row.figure(row.at), 15, is_bold=True, anchor="end")
    for at in _scale_of(track):
        yield Stroke((track.x(at), top + TRACK_FROM), (track.x(at), top + TRACK_TO), "line")
    if track.even is not None:
        x = track.x(track.even)
        yield Stroke((x, top + TRACK_FROM), (x, top + TRACK_TO), "ink-soft", kind="even", is_dashed=True)
    for listener, at in row.dots:
        yield Sign((track.x(at), middle + 10 * _jitter(listener, row.label)), color, "dot")
    if row.low is not None and row.high is not None:
        yield Stroke((track.x(row.low), middle), (track.x(row.high), middle), color, 4, kind="range")
    yield Sign((track.x(row.at), middle), color, SHAPES[(row.number + row.number // 6) % len(SHAPES)])


def _scale_of(track: _PlotTrack) -> list[float]:
    least, most, step = track.bounds
    return [round(least + step * number, 6) for number in range(round((most - least) / step) + 1)]


def _titled(title: str) -> Caption:
    return Caption((EDGE, 15), title, is_bold=True)


def _figures(say: Say, decimals: int) -> Callable[[float], str]:
    return lambda value: say("report_figure", {"value": round(value, decimals)})


def _bounds(rows: Sequence[_PlotRow], around: float | None = None) -> tuple[float, float, float]:
    """(from, to, step) of a scale that holds all rows, in steps of 1, 2 or 5 times a power of ten. around: what is in its middle."""
    found = [value for row in rows for value in (row.at, row.low, row.high, *(at for _, at in row.dots)) if value is not None]
    least, most = min(found), max(found)
    if around is not None:
        far = max(most - around, around - least, 0.1)
        least, most = around - far, around + far
    raw = max(most - least, 1e-6) / 4
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if raw <= power * factor * (1 + 1e-9))
    return math.floor(least / step + 1e-9) * step, math.ceil(most / step - 1e-9) * step, step


def _jitter(listener: str, label: str) -> float:
    """-1 to 1: where across its row a listener's dot is, the same each time."""
    return int.from_bytes(hashlib.sha256(f"{listener}\0{label}".encode()).digest()[:4], "big") / (1 << 31) - 1


DRAWN: Mapping[str, Callable[[Findings, str, Say, Lanes], Drawing]] = {
    "scores": _scores,
    "histogram": _histogram,
    "pairs": _pairs,
    "wins": _wins,
}
