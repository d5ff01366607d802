"""Plots of findings as pictures, SVG and PNG, in the light colors of the page. The same findings make the same bytes, on any thread.

    scores      mean of each system, its 95 % interval, and a dot for each listener's own mean (MOS, SMOS, MUSHRA); strengths of AB
    histogram   how often each of 1 to 5 was said (MOS, SMOS)
    pairs       share of votes for the first of two with its interval, or their difference with its own
    wins        how often the row was preferred to the column (three systems and more)

Nothing of matplotlib's global state is touched: no pyplot, no settings.
"""

import io
import re
import xml.etree.ElementTree as ET
from typing import Literal, get_args

from studio.listening.report.names import Say, is_of_shares
from studio.listening.report.plots.palette import LIGHT
from studio.listening.statistics.findings import Findings

__all__ = ["PLOTS", "PlotKind", "plot_png", "plot_svg", "plots_of", "title_of"]

PlotKind = Literal["scores", "histogram", "pairs", "wins"]
PLOTS: tuple[PlotKind, ...] = get_args(PlotKind)
PNG_DPI = 192  # twice what SVG's points are on a screen
_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"


def plots_of(findings: Findings) -> tuple[PlotKind, ...]:
    """The kinds that there is something to be drawn of."""
    drawn = {
        "scores": any(system.mean is not None or system.strength is not None for system in findings.systems),
        "histogram": any(sum(system.histogram) for system in findings.systems),
        "pairs": any((pair.share if is_of_shares(findings) else pair.difference) is not None for pair in findings.pairs),
        "wins": len({name for pair in findings.pairs if pair.wins is not None for name in (pair.system, pair.other)}) > 2,
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


def plot_svg(findings: Findings, kind: PlotKind, say: Say) -> str:
    """A whole SVG file; its text is text. say: sentences of section `tests`. Raises ValueError for what there is nothing to be drawn of."""
    from studio.listening.report.plots.svg_text import WordedRenderer

    figure = _figure(findings, kind, say, drawable=False)
    figure.set_dpi(72)
    file = io.StringIO()
    width, height = figure.get_size_inches() * 72
    renderer = WordedRenderer(width, height, file, image_dpi=72, metadata={"Date": None, "Creator": None})
    figure.draw(renderer)
    renderer.finalize()
    return _settled(file.getvalue(), kind)


def plot_png(findings: Findings, kind: PlotKind, say: Say) -> bytes:
    """The same as a picture on white. Characters that no font of this machine has are shown as boxes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = _figure(findings, kind, say, drawable=True)
    figure.set_dpi(PNG_DPI)
    figure.set_facecolor(LIGHT["card"])
    file = io.BytesIO()
    FigureCanvasAgg(figure).print_png(file, metadata={"Software": None})
    return file.getvalue()


def _figure(findings: Findings, kind: PlotKind, say: Say, *, drawable: bool) -> "Figure":  # noqa: F821 matplotlib's, imported when drawn
    if kind not in plots_of(findings):
        raise ValueError(f"there is nothing to be drawn as {kind!r}; what can be: {', '.join(plots_of(findings)) or 'nothing'}")
    from studio.listening.report.plots import plot_kinds
    from studio.listening.report.plots.plot_canvas import PlotCanvas

    canvas = PlotCanvas(title_of(kind, findings, say), drawable=drawable)
    return getattr(plot_kinds, f"draw_{kind}")(canvas, findings, say)


def _settled(svg: str, kind: str) -> str:
    """Without what differs from one drawing to the next: matplotlib draws its ids by lot. Ids begin with the kind, so that several plots
    may stand on one page."""
    ET.register_namespace("", _SVG[1:-1])
    root = ET.fromstring(svg)
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag == f"{_SVG}metadata" or child.find(f"{_SVG}style") is not None]:
            parent.remove(child)  # its style is for every element of whatever page the plot stands on
    root.attrib["style"] = "stroke-linejoin: round; stroke-linecap: butt"
    ids = {node.attrib["id"]: f"{kind}-{number}" for number, node in enumerate(node for node in root.iter() if "id" in node.attrib)}
    for node in root.iter():
        for name, value in list(node.attrib.items()):
            if name == "id":
                node.attrib[name] = ids[value]
            elif name == _LINK:
                del node.attrib[name]
                node.attrib["href"] = f"#{ids[value.removeprefix('#')]}"
            elif "url(#" in value:
                node.attrib[name] = re.sub(r"url\(#([^)]+)\)", lambda found: f"url(#{ids[found[1]]})", value)
    return ET.tostring(root, encoding="unicode")
