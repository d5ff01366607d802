"""Plots of findings as pictures, SVG and PNG. The same findings and words give the same bytes, on any thread.

    scores      mean of each system, its 95 % interval, and a dot for each listener's own mean (MOS and its like, MUSHRA); strengths of AB
    histogram   how often each point of a scale was said (MOS, SMOS, DCR, P.835)
    pairs       share of votes for the first of two with its interval, or their difference with its own
    wins        how often the row was preferred to the column, where no plot of pairs says it: three systems and more, or ratings

The page of a test shows them as its report does (`inline_plots`).
"""

from collections.abc import Sequence
from typing import Literal, get_args

from studio.listening.report.names import is_of_shares
from studio.listening.report.plots.plot_kinds import DRAWN
from studio.listening.statistics.findings import Findings
from studio.reports.drawing import Drawing
from studio.reports.palette import LANES
from studio.words.line import Say

__all__ = ["PLOTS", "PlotKind", "inline_plots", "plot_png", "plot_svg", "plots_of", "title_of"]

PlotKind = Literal["scores", "histogram", "pairs", "wins"]
PLOTS: tuple[PlotKind, ...] = get_args(PlotKind)


def plots_of(findings: Findings) -> tuple[PlotKind, ...]:
    """The kinds that there is something to be drawn of. Right answers of ABX say nothing of who is preferred."""
    won = () if findings.method == "abx" else [pair for pair in findings.pairs if pair.wins is not None]
    drawn = {
        "scores": any(system.mean is not None or system.strength is not None for system in findings.systems),
        "histogram": any(sum(system.histogram) for system in findings.systems),
        "pairs": any((pair.share if is_of_shares(findings) else pair.difference) is not None for pair in findings.pairs),
        "wins": len({name for pair in won for name in (pair.system, pair.other)}) > (2 if is_of_shares(findings) else 1),
    }
    return tuple(kind for kind in PLOTS if drawn[kind])


def title_of(kind: PlotKind, findings: Findings, say: Say) -> str:
    """What stands above it."""
    if kind == "scores" and all(system.mean is None for system in findings.systems):
        return say("report_strength", {})
    if kind != "pairs":
        return say(f"report_plot_{kind}", {})
    if not is_of_shares(findings):
        return say("report_plot_differences", {})
    return say("report_plot_right" if findings.method == "abx" else "report_plot_shares", {})


def plot_svg(findings: Findings, kind: PlotKind, say: Say, systems: Sequence[str] = ()) -> str:
    """A whole SVG file; its text is text. say: sentences of section `tests`. systems: of the plan, whose places there give their colors;
    without, the places in the findings do. Raises ValueError for what there is nothing to be drawn of."""
    return _drawing(findings, kind, say, systems).svg(f"plot-{kind}")


def inline_plots(findings: Findings, say: Say, systems: Sequence[str] = ()) -> list[tuple[str, str]]:
    """(title, SVG) of all that can be drawn, as elements of a page that has the palette's colors as properties of CSS."""
    drawings = {kind: _drawing(findings, kind, say, systems) for kind in plots_of(findings)}
    return [
        (drawing.title, drawing.svg("-".join(filter(None, ("plot", findings.scale, kind))), is_inline=True))
        for kind, drawing in drawings.items()
    ]


def plot_png(findings: Findings, kind: PlotKind, say: Say, systems: Sequence[str] = ()) -> bytes:
    """The same as a picture on white. Characters that no font of this machine has are shown as boxes."""
    drawing = _drawing(findings, kind, say, systems)
    from studio.listening.report.plots.png import png_of

    return png_of(drawing)


def _drawing(findings: Findings, kind: PlotKind, say: Say, systems: Sequence[str]) -> Drawing:
    if kind not in plots_of(findings):
        raise ValueError(f"there is nothing to be drawn as {kind!r}; what can be: {', '.join(plots_of(findings)) or 'nothing'}")
    numbers = {system: number for number, system in enumerate(systems)}
    lanes = {
        found.system: numbers.get(found.system, len(LANES) - 1) if systems else number for number, found in enumerate(findings.systems)
    }
    return DRAWN[kind](findings, title_of(kind, findings, say), say, lanes)
