"""Plot kinds: the layout of each kind of plot. Sizes are in points; a row of data is one unit high.

Only plots.py imports this, when it draws.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from studio.listening.report.names import Say, compared, is_of_shares, label_of, labels_of
from studio.listening.report.plots.palette import LIGHT, lane
from studio.listening.report.plots.plot_canvas import BOLD, MARGIN_POINTS, SMALL, PlotCanvas, shortened
from studio.listening.statistics.findings import Findings, PairFinding

__all__ = ["draw_histogram", "draw_pairs", "draw_scores", "draw_wins"]

WIDTH = 640
LABEL_POINTS, PAIR_POINTS, FIGURE_POINTS = 180, 290, 62  # left (of one label, of two) and right of a track
MOST_LABEL, MOST_OF_PAIR = 20, 14  # characters, at up to 8.5 points each
ROW_POINTS, EDGE_POINTS = 42, 8
TITLE_POINTS, MARKS_POINTS = 30, 26
CELL_POINTS, CELL_HIGH = 76, 50
SCALES = {"mos": (1, 5, 1), "smos": (1, 5, 1), "mushra": (0, 100, 20), "mushra-like": (0, 100, 20)}  # from, to, step of marks
MARKERS = ("s", "o", "D")  # each with all lanes, so that no two of 12 signals look alike
JITTER = 0.3  # of a row


@dataclass(frozen=True)
class _PlotRow:
    """dots: of single listeners."""

    label: str
    at: float
    low: float | None
    high: float | None
    figure: str
    dots: Sequence[tuple[str, float]] = ()


@dataclass(frozen=True)
class _PlotTrack:
    """bounds: from, to, step of the marks of its scale. even: where neither of two is ahead."""

    rows: Sequence[_PlotRow]
    bounds: tuple[float, float, float]
    label_points: float = LABEL_POINTS
    even: float | None = None


def draw_scores(canvas: PlotCanvas, findings: Findings, say: Say) -> Figure:
    """A row for each system, in the order of the findings."""
    rows = []
    for system in findings.systems:
        at, low, high = (
            (system.mean, system.low, system.high)
            if system.mean is not None
            else (system.strength, system.strength_low, system.strength_high)
        )
        if at is not None:
            figure = say("report_figure", {"value": round(at, _decimals(findings.method))})
            label = shortened(label_of(system, say), MOST_LABEL)
            rows.append(_PlotRow(label, at, low, high, figure, tuple(sorted(system.by_listener.items()))))
    bounds = SCALES.get(findings.method) or _bounds(rows)
    return _track(canvas, _PlotTrack(rows, bounds), say)


def draw_pairs(canvas: PlotCanvas, findings: Findings, say: Say) -> Figure:
    """A row for each pair."""
    is_share = is_of_shares(findings)
    named = zip(findings.pairs, compared(findings, say), strict=True)
    rows = [row for pair, names in named if (row := _pair_row(pair, names, say, is_share=is_share))]
    bounds = (0, 100, 25) if is_share else _bounds(rows, around=0.0)
    return _track(canvas, _PlotTrack(rows, bounds, label_points=PAIR_POINTS, even=50 if is_share else 0), say)


def draw_histogram(canvas: PlotCanvas, findings: Findings, say: Say) -> Figure:
    """For each system five bars, as high as their share of its votes."""
    systems = [system for system in findings.systems if sum(system.histogram)]
    height = TITLE_POINTS + len(systems) * 2 * ROW_POINTS + MARKS_POINTS
    axes = canvas.axes(WIDTH, height, (LABEL_POINTS, TITLE_POINTS, FIGURE_POINTS, MARKS_POINTS))
    n_bars = max(len(system.histogram) for system in systems)
    axes.set(xlim=(0.4, n_bars + 0.6), ylim=(len(systems), 0))
    _title(canvas, axes, height)
    for number, system in enumerate(systems):
        most = max(system.histogram)
        canvas.write(axes, _left(axes, number + 0.6), shortened(label_of(system, say), MOST_LABEL), ha="left", weight=BOLD)
        axes.plot([0.4, n_bars + 0.6], [number + 0.95] * 2, color=LIGHT["line"], linewidth=1)
        for bar, n in enumerate(system.histogram, start=1):
            high = 0.68 * n / most
            axes.add_patch(Rectangle((bar - 0.36, number + 0.95 - high), 0.72, high, color=lane(number), linewidth=0))
            if n:
                canvas.write(axes, (bar, number + 0.9 - high), say("report_figure", {"value": n}), ha="center", va="bottom", size=SMALL)
    for bar in range(1, n_bars + 1):
        canvas.write(axes, (bar, len(systems) + 0.2), str(bar), ha="center", size=SMALL, color=LIGHT["ink-soft"])
    return axes.figure


def draw_wins(canvas: PlotCanvas, findings: Findings, say: Say) -> Figure:
    """A matrix: how often the row was preferred to the column."""
    won: dict[tuple[str, str], float] = {}
    for pair in findings.pairs:
        if pair.wins is not None and pair.n:
            won[pair.system, pair.other], won[pair.other, pair.system] = pair.wins / pair.n, 1 - pair.wins / pair.n
    labels = labels_of(findings, say)
    order = [name for name in dict.fromkeys((*labels, *(name for names in won for name in names))) if any(name in names for names in won)]
    n = len(order)
    top = TITLE_POINTS + 24
    width, height = LABEL_POINTS + n * CELL_POINTS + MARGIN_POINTS, top + n * CELL_HIGH + MARGIN_POINTS
    axes = canvas.axes(width, height, (LABEL_POINTS, top, MARGIN_POINTS, MARGIN_POINTS))
    axes.set(xlim=(0, n), ylim=(n, 0))
    _title(canvas, axes, height)
    for row, name in enumerate(order):
        letter = say("report_numbered", {"number": row + 1, "label": shortened(labels.get(name, name), MOST_LABEL - 3)})
        canvas.write(axes, _left(axes, row + 0.5), letter, weight=BOLD)
        canvas.write(axes, (row + 0.5, -0.25), str(row + 1), ha="center", weight=BOLD)
        for column, other in enumerate(order):
            share = won.get((name, other))
            cell = FancyBboxPatch((column + 0.04, row + 0.05), 0.92, 0.9, boxstyle="round,pad=0,rounding_size=0.08", linewidth=0)
            cell.set(facecolor=LIGHT["sunk"] if share is None else LIGHT["accent"], alpha=None if share is None else 0.06 + 0.3 * share)
            axes.add_patch(cell)
            if share is not None:
                canvas.write(
                    axes, (column + 0.5, row + 0.5), say("report_percent", {"value": round(100 * share)}), ha="center", weight=BOLD
                )
    return axes.figure


def _track(canvas: PlotCanvas, track: _PlotTrack, say: Say) -> Figure:
    """Rows of label, dots, interval, mean and figure, over one scale."""
    (least, most, step), n = track.bounds, len(track.rows)
    height = TITLE_POINTS + n * ROW_POINTS + MARKS_POINTS
    axes = canvas.axes(WIDTH, height, (track.label_points, TITLE_POINTS, FIGURE_POINTS + MARGIN_POINTS, MARKS_POINTS))
    axes.set(xlim=(least, most), ylim=(n, 0))
    _title(canvas, axes, height)
    marks = [round(least + step * number, 6) for number in range(round((most - least) / step) + 1)]
    canvas.marks(axes, [(at, say("report_figure", {"value": at})) for at in marks], (0, n), n + 0.32)
    if track.even is not None:
        axes.plot([track.even] * 2, [0, n], color=LIGHT["ink-soft"], linewidth=1, linestyle=(0, (4, 3)), zorder=0.5)
    for number, row in enumerate(track.rows):
        _draw_row(canvas, axes, number, row)
    return axes.figure


def _draw_row(canvas: PlotCanvas, axes: Axes, number: int, row: _PlotRow) -> None:
    middle, color, how = number + 0.5, lane(number), {"clip_on": False, "solid_capstyle": "round"}
    canvas.write(axes, _left(axes, middle), row.label, weight=BOLD)
    if row.dots:
        across = [middle + JITTER * _jitter(name, row.label) for name, _ in row.dots]
        axes.plot([at for _, at in row.dots], across, "o", color=color, alpha=0.4, markersize=4, markeredgewidth=0, clip_on=False)
    if row.low is not None and row.high is not None:
        axes.plot([row.low, row.high], [middle, middle], color=color, linewidth=4, **how)
    marker = MARKERS[(number + number // 6) % len(MARKERS)]
    axes.plot([row.at], [middle], marker, color=color, markersize=10, markeredgecolor=LIGHT["card"], markeredgewidth=1.5, clip_on=False)
    right = axes.get_xlim()[1] + _points(axes, MARGIN_POINTS)
    canvas.write(axes, (right, middle), row.figure, weight=BOLD, size=15)


def _pair_row(pair: PairFinding, names: tuple[str, str], say: Say, *, is_share: bool) -> _PlotRow | None:
    label = say("report_pair", {"system": shortened(names[0], MOST_OF_PAIR), "other": shortened(names[1], MOST_OF_PAIR)})
    if is_share and pair.share is not None:
        low, high = (None if share is None else 100 * share for share in (pair.share_low, pair.share_high))
        return _PlotRow(label, 100 * pair.share, low, high, say("report_percent", {"value": round(100 * pair.share)}))
    if not is_share and pair.difference is not None:
        return _PlotRow(label, pair.difference, pair.low, pair.high, say("report_figure", {"value": round(pair.difference, 2)}))
    return None


def _title(canvas: PlotCanvas, axes: Axes, height: float) -> None:
    """Above all rows, at the left edge of the figure."""
    top = axes.get_ylim()[1]
    per_point = abs(axes.get_ylim()[0] - top) / (axes.get_position().height * height)
    above = (1 - axes.get_position().y1) * height - 10
    canvas.write(axes, _left(axes, top - above * per_point), canvas.title, weight=BOLD)


def _left(axes: Axes, row: float) -> tuple[float, float]:
    """Where labels begin, at the left edge of the figure."""
    return axes.get_xlim()[0] - _points(axes, axes.get_position().x0 * axes.figure.get_figwidth() * 72 - EDGE_POINTS), row


def _points(axes: Axes, points: float) -> float:
    """In units of the data, along the scale."""
    least, most = axes.get_xlim()
    return points * (most - least) / (axes.get_position().width * axes.figure.get_figwidth() * 72)


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


def _decimals(method: str) -> int:
    return 2 if method in ("mos", "smos", "cmos") else 0


def _jitter(listener: str, label: str) -> float:
    """-1 to 1: where across its row a listener's dot is, the same each time."""
    return int.from_bytes(hashlib.sha256(f"{listener}\0{label}".encode()).digest()[:4], "big") / (1 << 31) - 1
