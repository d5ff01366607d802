"""Plot kinds: the layout of each kind of plot."""

from collections.abc import Callable, Mapping, Sequence

from studio.listening.plan.plan import PAGES, SINGLE
from studio.listening.report.names import compared, is_of_shares, label_of, labels_of
from studio.listening.statistics.findings import Findings, PairFinding
from studio.reports.drawing import Bar, Caption, Drawing, Sign, Stroke, shortened
from studio.reports.palette import lane
from studio.reports.tracks import (
    AXIS,
    EDGE,
    FIGURE_POINTS,
    MARKS_POINTS,
    ROOM,
    TITLE_POINTS,
    WIDTH,
    Bounds,
    PlotRow,
    PlotTrack,
    bounds_of,
    titled,
    track_drawing,
)
from studio.words.line import Say

__all__ = ["DRAWN", "Lanes"]

BLOCK_POINTS, BAR_POINTS, BARS_TO = 92, 44, 86  # of a histogram
BAR_SHARE = 0.72  # of the room between two bars' middles
LETTER_POINTS, CELL_HIGH, LEAST_CELL, MOST_CELL = 120, 46, 48, 76
WHOLE = (0, 100, 20)  # of a page: from, to, step of marks
DIFFERENCES = {"cmos": (-3, 3, 1), "ccr": (-3, 3, 1)}
NONE = "–"

Lanes = Mapping[str, int]  # system -> its number, whose letter and color it has all over the page


def _scores(findings: Findings, title: str, say: Say, lanes: Lanes) -> Drawing:
    """A row for each system, the best first."""
    decimals = 2 if findings.method in (*SINGLE, *DIFFERENCES) else 0
    rows = []
    for system in findings.systems:
        at, low, high = (
            (system.mean, system.low, system.high)
            if system.mean is not None
            else (system.strength, system.strength_low, system.strength_high)
        )
        if at is not None:
            dots = tuple(sorted(system.by_listener.items()))
            rows.append(PlotRow(label_of(system, say), lanes[system.system], at, low, high, _figures(say, decimals), dots))
    rows.sort(key=lambda row: -row.at)
    return _track(rows, _rating_scale(findings) or _bounds(rows), title, say)


def _rating_scale(findings: Findings) -> tuple[float, float, float] | None:
    n_points = max((len(system.histogram) for system in findings.systems), default=0)
    return WHOLE if findings.method in PAGES else (1, n_points, 1) if n_points > 1 else None


def _pairs(findings: Findings, title: str, say: Say, lanes: Lanes) -> Drawing:
    """A row for each pair."""
    is_share = is_of_shares(findings)
    named = zip(findings.pairs, compared(findings, say), strict=True)
    rows = [row for number, (pair, names) in enumerate(named) if (row := _pair_row(pair, number, names, say, is_share=is_share))]
    bounds = (0, 100, 25) if is_share else DIFFERENCES.get(findings.method) or _bounds(rows, around=0.0)
    return _track(rows, bounds, title, say, even=50 if is_share else 0)


def _pair_row(pair: PairFinding, number: int, names: tuple[str, str], say: Say, *, is_share: bool) -> PlotRow | None:
    half = (ROOM - FIGURE_POINTS - 40) / 2  # beside what stands between the two
    label = say("report_pair", {"system": shortened(names[0], half), "other": shortened(names[1], half)})
    if is_share and pair.share is not None:
        low, high = (None if share is None else 100 * share for share in (pair.share_low_all, pair.share_high_all))
        return PlotRow(label, number, 100 * pair.share, low, high, lambda share: say("report_percent", {"value": round(share)}))
    if not is_share and pair.difference is not None:
        return PlotRow(label, number, pair.difference, pair.low_all, pair.high_all, _figures(say, 2))
    return None


def _histogram(findings: Findings, title: str, say: Say, lanes: Lanes) -> Drawing:
    """For each system bars, as high as their share of its votes."""
    systems = [system for system in findings.systems if sum(system.histogram)]
    n_bars = max(len(system.histogram) for system in systems)
    step, bottom = ROOM / n_bars, TITLE_POINTS + len(systems) * BLOCK_POINTS
    marks: list[Stroke | Bar | Sign | Caption] = [titled(title)]
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
    marks: list[Stroke | Bar | Sign | Caption] = [titled(title)]
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


def _track(rows: Sequence[PlotRow], bounds: Bounds, title: str, say: Say, even: float | None = None) -> Drawing:
    track = PlotTrack(rows, bounds, lambda at: say("report_figure", {"value": at}), even)
    return track_drawing(track, title, lambda row: _told(row, say))


def _told(row: PlotRow, say: Say) -> str:
    low, high = (NONE if value is None else row.figure(value) for value in (row.low, row.high))
    return say("plot_row", {"name": row.label, "mean": row.figure(row.at), "low": low, "high": high})


def _figures(say: Say, decimals: int) -> Callable[[float], str]:
    return lambda value: say("report_figure", {"value": round(value, decimals)})


def _bounds(rows: Sequence[PlotRow], around: float | None = None) -> Bounds:
    """Of a scale that holds all rows."""
    return bounds_of((value for row in rows for value in (row.at, row.low, row.high, *(at for _, at in row.dots))), around)


DRAWN: Mapping[str, Callable[[Findings, str, Say, Lanes], Drawing]] = {
    "scores": _scores,
    "histogram": _histogram,
    "pairs": _pairs,
    "wins": _wins,
}
