"""Plot canvas: a matplotlib figure of rows and columns, with text in fonts that exist. It imports matplotlib.

Only plots.py imports this module, when it draws.
"""

import re
from collections.abc import Sequence
from functools import cache

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager, get_font

from studio.listening.report.plots.palette import LIGHT

__all__ = ["PlotCanvas", "drawable_text", "shortened"]

# The first is part of matplotlib; the others have Chinese, where a machine has them.
FAMILIES = (
    "DejaVu Sans",
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "WenQuanYi Micro Hei",
    "PingFang SC",
    "Microsoft YaHei",
)
BOX = "\u25a1"  # white square: what stands for a character that no font has
_NO_XML = re.compile("[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters that no XML may hold (XML 1.0, 2.2)
SMALL, BODY, BOLD = 11, 13, 700  # sizes in points; the weight that DejaVu Sans has beside 400
MARGIN_POINTS = 12


class PlotCanvas:
    """title: above all rows. drawable: text is drawn here, so that characters without a font become boxes; whoever looks at text that is
    not has fonts of their own."""

    def __init__(self, title: str, *, drawable: bool):
        self.title = title
        self._shown = drawable_text if drawable else str

    def axes(self, width: float, height: float, inside: tuple[float, float, float, float]) -> Axes:
        """Of a new figure. width, height: in points. inside: left, top, right, bottom margins of what is drawn, in points."""
        left, top, right, bottom = inside
        figure = Figure(figsize=(width / 72, height / 72), facecolor="none", layout="none")
        axes = figure.add_axes((left / width, bottom / height, (width - left - right) / width, (height - top - bottom) / height))
        axes.set_axis_off()
        return axes

    def write(self, axes: Axes, place: tuple[float, float], text: str, **how: object) -> None:
        """place: in units of the data. how: ha, va, size, weight, color."""
        style = {"size": how.get("size", BODY), "weight": how.get("weight", 400), "family": list(families())}
        axes.text(
            *place,
            self._shown(_NO_XML.sub(BOX, " ".join(text.split()))),
            parse_math=False,
            fontproperties=FontProperties(**style),
            ha=how.get("ha", "left"),
            va=how.get("va", "center_baseline"),
            color=how.get("color", LIGHT["ink"]),
        )

    def marks(self, axes: Axes, marks: Sequence[tuple[float, str]], rows: tuple[float, float], below: float) -> None:
        """Lines across all rows, each with its figure below. rows: from and to. below: where the figures stand."""
        for at, text in marks:
            axes.plot([at, at], rows, color=LIGHT["line"], linewidth=1, zorder=0)
            self.write(axes, (at, below), text, ha="center", size=SMALL, color=LIGHT["ink-soft"])


@cache
def families() -> tuple[str, ...]:
    """Those of FAMILIES that this machine has."""
    here = {font.name for font in fontManager.ttflist}
    return tuple(name for name in FAMILIES if name in here)


def drawable_text(text: str) -> str:
    """With boxes for characters that no font of this machine has."""
    return "".join(character if ord(character) in _drawable() else BOX for character in text)


def shortened(label: str, most: int) -> str:
    """To the room that a label has, in characters; tables have all of it."""
    return label if len(label) <= most else f"{label[: most - 1]}…"


@cache
def _drawable() -> frozenset[int]:
    return frozenset().union(*(get_font(fontManager.findfont(name)).get_charmap() for name in families()))
