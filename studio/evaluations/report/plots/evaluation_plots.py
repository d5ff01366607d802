"""Plots of an evaluation: means with their ranges, differences of pairs, how single sounds lie, and TTFP by the length of texts.

means     mean of each system, its 95 % range, and a dot for each voice
pairs     difference of each two systems with the range that decides; in the middle neither is ahead
spread    the middle half of a system's sounds as a box, 5 to 95 of 100 as a line, their median, and a dot for each sound beyond
length    medians of TTFP over the length of the text, and a dot for each sound
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.plan.figures import FigureKind, figure_kind
from studio.evaluations.report.plots.length_plot import length_drawing
from studio.evaluations.report.report_words import LEAST_RATIO, MOST_RATIO, NONE, ReportWords
from studio.evaluations.statistics.cell_table import value_of
from studio.evaluations.statistics.findings import EvaluationFindings, PairComparison
from studio.reports.drawing import Drawing, shortened
from studio.reports.tracks import FIGURE_POINTS, ROOM, Bounds, PlotRow, PlotTrack, bounds_of, track_drawing

__all__ = ["MOST_PAIRS", "figure_drawings", "ttfp_drawing"]

MOST_PAIRS = 15  # in a picture; tables have all
MOST_OUTLIERS = 24  # of a system in a picture, on either side


@dataclass(frozen=True)
class _Plotted:
    """values: system -> of its sounds, (voice, figure)."""

    kind: FigureKind
    findings: EvaluationFindings
    words: ReportWords
    labels: Mapping[str, str]
    values: Mapping[str, Sequence[tuple[str, float]]]

    def told(self, key: str) -> Callable[[PlotRow], str]:
        """A row in words."""

        def described(row: PlotRow) -> str:
            low, high = (NONE if value is None else row.figure(value) for value in (row.low, row.high))
            return self.words.say(key, {"name": row.label, "mean": row.figure(row.at), "low": low, "high": high})

        return described

    def title(self, key: str) -> str:
        return self.words.say(key, {"figure": self.words.name(self.kind.name)})

    def lane(self, system: str) -> int:
        return list(self.labels).index(system)


def figure_drawings(data: EvaluationData, findings: EvaluationFindings, figure: str, words: ReportWords) -> list[tuple[str, Drawing]]:
    """(name, picture) of all that can be drawn of a figure."""
    values: dict[str, list[tuple[str, float]]] = {}
    for cell in data.cells:
        value = value_of(cell, figure)
        if value is not None:
            values.setdefault(cell.key.system, []).append((cell.key.voice, value))
    labels = {system.system: _label(system.label, is_toy=system.is_toy, words=words) for system in findings.systems}
    plotted = _Plotted(figure_kind(figure), findings, words, labels, values)
    drawn = (("means", _means(plotted)), ("pairs", _pairs(plotted)), ("spread", _spread(plotted)))
    return [(f"{figure.replace('.', '-')}-{name}", drawing) for name, drawing in drawn if drawing is not None]


def ttfp_drawing(data: EvaluationData, findings: EvaluationFindings, words: ReportWords) -> Drawing | None:
    """None where nothing was timed."""
    lengths = {text.id: len(text.text) for text in data.evaluation.plan.texts}
    points: dict[str, list[tuple[int, float]]] = {}
    for cell in data.cells:
        value = value_of(cell, "ttfp_ms")
        if value is not None and cell.key.text in lengths:
            points.setdefault(cell.key.system, []).append((lengths[cell.key.text], value))
    labels = {system.system: _label(system.label, is_toy=system.is_toy, words=words) for system in findings.systems}
    return length_drawing(points, labels, words) if points else None


def _means(plotted: _Plotted) -> Drawing | None:
    """A row for each system, in the plan's order, as in all tables."""
    kind, words, rows = plotted.kind, plotted.words, []
    for system, label in plotted.labels.items():
        found = plotted.findings.mean(system, kind.name)
        if found is not None:
            dots = _of_voices(plotted.values.get(system, ()), is_ratio=kind.is_ratio)
            rows.append(
                PlotRow(label, plotted.lane(system), found.mean, found.low, found.high, lambda at: words.figure(kind.name, at), dots)
            )
    if not rows:
        return None
    bounds = _scale(rows, plotted)
    return track_drawing(PlotTrack(rows, bounds, _mark(plotted, bounds[2])), plotted.title("report_plot_means"), plotted.told("plot_mean"))


def _of_voices(values: Sequence[tuple[str, float]], *, is_ratio: bool) -> list[tuple[str, float]]:
    """Means, sorted by voice; none where there is one voice."""
    voices: dict[str, list[float]] = {}
    for voice, value in values:
        voices.setdefault(voice, []).append(value)
    mean: Callable[[Sequence[float]], float] = (lambda some: 2 ** fmean(math.log2(max(one, 1e-4)) for one in some)) if is_ratio else fmean
    return sorted((voice, mean(some)) for voice, some in voices.items()) if len(voices) > 1 else []


def _pairs(plotted: _Plotted) -> Drawing | None:
    """A row for each two systems that are no toys; of figures that are compared by factors on a scale of powers of two."""
    kind, words = plotted.kind, plotted.words
    pairs = [pair for pair in plotted.findings.pairs if pair.figure == kind.name]
    rows = [row for number, pair in enumerate(pairs[:MOST_PAIRS]) if (row := _pair_row(plotted, number, pair)) is not None]
    if not rows:
        return None
    bounds = _scale(rows, plotted, is_difference=True)
    mark = _as_factor(words) if kind.is_ratio else _signed(_mark(plotted, bounds[2]))
    track = PlotTrack(rows, bounds, mark, even=0.0)
    return track_drawing(track, plotted.title("report_plot_pairs"), plotted.told("plot_pair"))


def _pair_row(plotted: _Plotted, number: int, pair: PairComparison) -> PlotRow | None:
    kind, words = plotted.kind, plotted.words
    half = (ROOM - FIGURE_POINTS - 40) / 2  # beside what stands between the two
    names = (shortened(plotted.labels[system], half) for system in (pair.system, pair.other))
    label = words.say("report_pair", dict(zip(("system", "other"), names, strict=True)))
    if pair.ratio is not None:
        at, low, high = (None if value is None else _log2(value) for value in (pair.ratio, pair.low_all, pair.high_all))
        return PlotRow(label, number, at or 0.0, low, high, _as_factor(words))
    if pair.difference is None:
        return None
    return PlotRow(label, number, pair.difference, pair.low_all, pair.high_all, lambda at: words.difference(kind.name, at))


def _spread(plotted: _Plotted) -> Drawing | None:
    """Of single sounds. The scale goes from the first to the last dot that is drawn."""
    kind, words, rows = plotted.kind, plotted.words, []
    for system, label in plotted.labels.items():
        values = sorted(value for _, value in plotted.values.get(system, ()))
        if len(values) > 1:
            low, first, middle, third, high = (_quantile(values, share) for share in (0.05, 0.25, 0.5, 0.75, 0.95))
            beyond = [*[one for one in values if one < low][:MOST_OUTLIERS], *[one for one in values if one > high][-MOST_OUTLIERS:]]
            dots = [(str(number), value) for number, value in enumerate(beyond)]
            lane, figure = plotted.lane(system), lambda at: words.figure(kind.name, at)
            rows.append(PlotRow(label, lane, middle, low, high, figure, dots, (first, third)))
    if not rows:
        return None
    bounds = _scale(rows, plotted)
    return track_drawing(
        PlotTrack(rows, bounds, _mark(plotted, bounds[2])), plotted.title("report_plot_spread"), plotted.told("plot_spread")
    )


def _quantile(values: Sequence[float], share: float) -> float:
    """values: sorted, two or more. Between two of them in a line, as NumPy does."""
    if share == 0.5:
        return median(values)
    at = share * (len(values) - 1)
    below = math.floor(at)
    return values[below] + (at - below) * (values[min(below + 1, len(values) - 1)] - values[below])


def _scale(rows: Sequence[PlotRow], plotted: _Plotted, *, is_difference: bool = False) -> Bounds:
    """Of all that was found, and of ranges as far as single sounds lie apart: those of few cells may be without end, and end with the
    scale."""
    is_factor = is_difference and plotted.kind.is_ratio
    least = 0.5 if is_factor else 10**-plotted.kind.decimals
    sounds = [_log2(value) if is_factor else value for some in plotted.values.values() for _, value in some]
    room = max(least, max(sounds, default=0.0) - min(sounds, default=0.0))
    found = [value for row in rows for value in (row.at, *(at for _, at in row.dots))] + ([0.0] if is_difference else [])
    ends = [value for row in rows for value in (row.low, row.high) if value is not None]
    shown = [*found, *(min(max(value, min(found) - room), max(found) + room) for value in ends)]
    return bounds_of(shown, 0.0, least) if is_difference else bounds_of(shown)


def _mark(plotted: _Plotted, step: float) -> Callable[[float], str]:
    """Figures below a scale, with the decimals that its steps need."""
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return lambda at: plotted.words.number(at, decimals)


def _signed(mark: Callable[[float], str]) -> Callable[[float], str]:
    return lambda at: f"{'+' if at > 0 else ''}{mark(at)}"


def _as_factor(words: ReportWords) -> Callable[[float], str]:
    """at: log2 of a factor."""
    return lambda at: words.difference("rtf", 2**at, is_ratio=True)


def _log2(value: float) -> float:
    """Of a factor, within those that can be written."""
    return math.log2(min(max(value, LEAST_RATIO), MOST_RATIO))


def _label(label: str, *, is_toy: bool, words: ReportWords) -> str:
    return words.say("report_toy_label", {"system": label}) if is_toy else label
